package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Cancel ends the loop at once, whatever it waits for, and every path says so
// with the cause of the context and not with what the cancel broke.
func TestCancelInEveryState(t *testing.T) {
	errUser := errors.New("the user has had enough")
	next := replay.Request{Query: map[string]string{"continue": "t1"}}
	for name, script := range map[string]replay.Script{
		"waiting for the headers of a list":  {on(list, replay.Hold())},
		"in mid-list":                        {on(list, replay.Respond(200), replay.Write(`{"items":[`+item("a", "1")+`,`), replay.Hold())},
		"in mid-item":                        {on(list, replay.Respond(200), replay.Write(`{"items":[{"meta`), replay.Hold())},
		"waiting for page two":               {on(list, replay.JSON(200, replay.ListPage("10", "t1", item("a", "1")))...), on(next, replay.Hold())},
		"in mid-page two":                    {on(list, replay.JSON(200, replay.ListPage("10", "t1", item("a", "1")))...), on(next, replay.Respond(200), replay.Write(`{"items":[`), replay.Hold())},
		"waiting for the headers of a watch": {listOf("10"), on(watch("10"), replay.Hold())},
		"on an idle stream":                  {listOf("10"), watchOf("10", "", replay.Hold())},
		"in mid-line":                        {listOf("10"), watchOf("10", `{"type":"ADD`, replay.Hold())},
		"in mid-member of gzip":              {listOf("10"), on(watch("10"), replay.Respond(200, "Content-Encoding: gzip"), replay.Write(replay.Gzip("x")[:5]), replay.Hold())},
		"in an error body":                   {listOf("10"), on(watch("10"), replay.Respond(500), replay.Write("oh"), replay.Hold())},
		"in backoff":                         {listOf("10"), on(watch("10"), refused(429, "", "Retry-After: 300")...)},
		"between two refused connections":    {replay.Refuse(1000)},
	} {
		bubble(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			srv := replay.NewServer(ignoreLeftovers{t}, script, replay.Options{})
			w := &stream.Watcher{Client: srv.Client(), Server: srv.URL(), Target: target}
			var at time.Time
			time.AfterFunc(3*time.Second, func() { at = time.Now(); cancel(errUser) })
			var last error
			for _, err := range w.Watch(ctx) {
				last = err
			}
			require.Equal(t, errUser, last)
			assert.Less(t, time.Since(at), 100*time.Millisecond)
			assert.Equal(t, stream.PhaseIdle, w.State().Phase)
			if name != "between two refused connections" {
				assert.Len(t, srv.Requests(), len(script), "it was in another state when it was cancelled")
			}
		})
	}
	for name, dial := range map[string]func(context.Context, string, string) (net.Conn, error){
		"while dialling": func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"in the TLS handshake": func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go io.Copy(io.Discard, server) // it listens, and never answers
			return client, nil
		},
	} {
		bubble(t, name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			transport := &http.Transport{DialContext: dial}
			defer transport.CloseIdleConnections()
			w := &stream.Watcher{
				Client: &http.Client{Transport: transport},
				Server: &url.URL{Scheme: "https", Host: "silent.test"},
				Target: target,
			}
			var at time.Time
			time.AfterFunc(time.Second, func() { at = time.Now(); cancel(errUser) })
			var last error
			for _, err := range w.Watch(ctx) {
				last = err
			}
			require.Equal(t, errUser, last)
			assert.Less(t, time.Since(at), 100*time.Millisecond)
		})
	}
	bubble(t, "before the first request", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return nil })
		r.cancel(errUser)
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, errUser)
	})
	bubble(t, "in the middle of a burst nothing more is delivered", func(t *testing.T) {
		var burst strings.Builder
		for i := range 1000 {
			burst.WriteString(ev("ADDED", fmt.Sprint("n", i), fmt.Sprint(11+i)))
		}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", burst.String(), replay.Hold())}
		})
		after := 0
		for ev, err := range r.w.Watch(r.ctx) {
			switch {
			case err != nil:
				assert.ErrorIs(t, err, errUser)
			case r.ctx.Err() != nil:
				after++
			case ev.Name == "n500":
				r.cancel(errUser)
			}
		}
		assert.Zero(t, after)
	})
}

// ignoreLeftovers is a test that does not mind exchanges never asked for.
type ignoreLeftovers struct{ *testing.T }

func (ignoreLeftovers) Errorf(string, ...any) {}
