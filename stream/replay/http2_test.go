package replay_test

import (
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

func TestRstStreamEndsTheStreamAndKeepsTheConnection(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		if !o.HTTP2 {
			return
		}
		srv := NewServer(t, Script{
			On(Watch(ConfigMaps, "10"), Respond(200), Write(Event("ADDED", "a", "11")), RstStream(2)),
			On(Watch(ConfigMaps, "11"), Respond(200)),
			On(List("/refused"), RstStream(2)),
		}, o)
		_, body, err := get(t, srv, watch10)
		require.Error(t, err)
		assert.Contains(t, err.Error(), "INTERNAL_ERROR")
		assert.Equal(t, Event("ADDED", "a", "11"), body)
		_, _, err = get(t, srv, ConfigMaps+"?watch=true&resourceVersion=11")
		require.NoError(t, err)
		assert.Equal(t, 1, srv.Requests()[1].Conn)
		_, _, err = get(t, srv, "/refused")
		require.Error(t, err)
	})
}

func TestGoAwayLetsTheStreamEndAndMovesTheNextRequest(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		if !o.HTTP2 {
			return
		}
		srv := NewServer(t, Script{
			On(Watch(ConfigMaps, "10"), Respond(200), GoAway(0), Write(Event("ADDED", "a", "11")), End()),
			On(Watch(ConfigMaps, "11"), Respond(200), Write(Event("ADDED", "b", "12")), GoAway(0), Cut()),
			On(Watch(ConfigMaps, "12"), Respond(200)),
		}, o)
		_, body, err := get(t, srv, watch10)
		require.NoError(t, err)
		assert.Equal(t, Event("ADDED", "a", "11"), body)
		_, _, err = get(t, srv, ConfigMaps+"?watch=true&resourceVersion=11")
		require.Error(t, err)
		assert.Contains(t, err.Error(), "GOAWAY")
		_, _, err = get(t, srv, ConfigMaps+"?watch=true&resourceVersion=12")
		require.NoError(t, err)
		seen := srv.Requests()
		assert.NotEqual(t, seen[0].Conn, seen[1].Conn)
		assert.NotEqual(t, seen[1].Conn, seen[2].Conn)
	})
}

func TestOnlyAFrozenPeerFailsThePing(t *testing.T) {
	for name, end := range map[string]Step{"hold": Hold(), "freeze": Freeze()} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := NewServer(t, Script{On(List("/"), Respond(200), end)}, Options{HTTP2: true})
				srv.Client().Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{
					SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second,
				}
				start := time.Now()
				resp, err := open(t, srv, "/")
				require.NoError(t, err)
				time.AfterFunc(time.Hour, func() { resp.Body.Close() })
				_, err = io.ReadAll(resp.Body)
				require.Error(t, err)
				want := time.Hour
				if name == "freeze" {
					want = 45 * time.Second
				}
				assert.Equal(t, want, time.Since(start))
			})
		})
	}
}

func TestStreamsOfOneConnectionDoNotWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(t, Script{
			On(List("/held"), Respond(200), Hold()),
			On(List("/next"), JSON(200, "{}")...),
		}, Options{HTTP2: true})
		held, err := open(t, srv, "/held")
		require.NoError(t, err)
		defer held.Body.Close()
		_, body, err := get(t, srv, "/next")
		require.NoError(t, err)
		assert.Equal(t, "{}", body)
		assert.Equal(t, 1, srv.Requests()[1].Conn)
	})
}
