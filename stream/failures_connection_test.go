package stream_test

import (
	"io"
	"iter"
	"net/http"
	"strconv"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Failures of one kind: a connection that ends, or does not.

func TestFailureB33BrokenConnectionsAreResumed(t *testing.T) {
	http2 := replay.Options{TLS: true, HTTP2: true}
	a := ev("ADDED", "a", "11")
	for name, tt := range map[string]struct {
		options replay.Options
		broken  []replay.Exchange // the watch from 10, and what comes before the next one
	}{
		"RST_STREAM":              {http2, []replay.Exchange{watchOf("10", a, replay.RstStream(2))}},
		"RST_STREAM, no error":    {http2, []replay.Exchange{watchOf("10", a, replay.RstStream(0))}},
		"RST_STREAM before":       {http2, []replay.Exchange{on(watch("10"), replay.RstStream(2)), watchOf("10", a, end)}},
		"REFUSED_STREAM":          {http2, []replay.Exchange{watchOf("10", a, end), on(watch("11"), replay.RstStream(7))}},
		"GOAWAY and close":        {http2, []replay.Exchange{watchOf("10", a, replay.GoAway(0), replay.Pause(time.Second), cut)}},
		"GOAWAY, stream goes on":  {http2, []replay.Exchange{watchOf("10", "", replay.GoAway(0), replay.Write(a), replay.Pause(time.Minute), end)}},
		"GOAWAY, enhance calm":    {http2, []replay.Exchange{watchOf("10", a, replay.GoAway(11), cut)}},
		"HTTP/2 closed":           {http2, []replay.Exchange{watchOf("10", a, cut)}},
		"HTTP/2 reset":            {http2, []replay.Exchange{watchOf("10", a, replay.Reset())}},
		"HTTP/1 closed":           {replay.Options{}, []replay.Exchange{watchOf("10", a, cut)}},
		"HTTP/1 reset":            {replay.Options{}, []replay.Exchange{watchOf("10", a, replay.Reset())}},
		"HTTP/1 with TLS, closed": {replay.Options{TLS: true}, []replay.Exchange{watchOf("10", a, cut)}},
		"HTTP/1 with TLS, reset":  {replay.Options{TLS: true}, []replay.Exchange{watchOf("10", a, replay.Reset())}},
		"accepted and closed":     {replay.Options{}, []replay.Exchange{watchOf("10", a, cut), replay.Drop(3)}},
		"refused":                 {replay.Options{}, []replay.Exchange{watchOf("10", a, cut), replay.Refuse(3)}},
		"refused for longer":      {replay.Options{}, []replay.Exchange{watchOf("10", a, cut), replay.Refuse(10)}},
		"accepted, then refused":  {replay.Options{}, []replay.Exchange{watchOf("10", a, cut), replay.Drop(2), replay.Refuse(2)}},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRigOn(t, tt.options, func(r *rig) replay.Script {
				s := append(replay.Script{listOf("10")}, tt.broken...)
				return append(s, watchOf("11", ev("ADDED", "b", "12"), r.stop()...))
			})
			r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
		})
	}
	bubble(t, "a stream that had lived is resumed soon", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), watchOf("10", "", replay.Pause(time.Minute), cut), watchOf("10", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
		assert.Less(t, r.gaps()[1]-time.Minute, time.Second)
	})
	bubble(t, "failures in a row cannot come in a burst", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", "", cut), replay.Drop(5), watchOf("10", "", r.stop()...)}
		})
		r.played("SYNCED 10")
		assert.Greater(t, time.Since(r.begun), 5*time.Second)
	})
}

func TestFailureB34DeadConnectionIsFoundAndNotUsedAgain(t *testing.T) {
	bubble(t, "an answer that never begins", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), on(watch("10"), replay.Hold()), watchOf("10", "", r.stop()...)}
		}, func(w *stream.Watcher) { w.HeaderTimeout = time.Minute })
		r.played("SYNCED 10")
		assert.GreaterOrEqual(t, r.gaps()[1], time.Minute)
		assert.Less(t, r.gaps()[1], time.Minute+2*time.Second)
	})
	for name, options := range map[string]replay.Options{"HTTP/1": {}, "HTTP/2": {TLS: true, HTTP2: true}} {
		bubble(t, name+": a stream that says nothing is given up 15 s after its own end", func(t *testing.T) {
			r := newRigOn(t, options, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10"),
					watchOf("10", ev("ADDED", "a", "11"), replay.Freeze()),
					watchOf("11", "", r.stop()...),
				}
			})
			r.played("SYNCED 10", "ADDED a 11")
			seen := r.srv.Requests()
			seconds, err := strconv.Atoi(seen[1].URL.Query().Get("timeoutSeconds"))
			require.NoError(t, err)
			silence := r.gaps()[1]
			assert.GreaterOrEqual(t, silence, time.Duration(seconds)*time.Second+15*time.Second)
			assert.Less(t, silence, time.Duration(seconds)*time.Second+17*time.Second)
			assert.NotEqual(t, seen[1].Conn, seen[2].Conn, "the dead connection must not be used again")
		})
	}
	bubble(t, "an HTTP/2 peer that answers no PING is found by the transport", func(t *testing.T) {
		r := newRigOn(t, replay.Options{TLS: true, HTTP2: true}, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11"), replay.Freeze()),
				watchOf("11", "", r.stop()...),
			}
		})
		r.w.Client.Transport.(*http.Transport).HTTP2 = &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second}
		r.played("SYNCED 10", "ADDED a 11")
		assert.Less(t, r.gaps()[1], 47*time.Second)
		assert.NotEqual(t, r.srv.Requests()[1].Conn, r.srv.Requests()[2].Conn)
	})
	bubble(t, "every watch asks for its own end, and not all for the same", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := replay.Script{listOf("10")}
			for range 8 {
				s = append(s, watchOf("10", "", replay.Pause(time.Minute), cut))
			}
			return append(s, watchOf("10", "", r.stop()...))
		})
		r.played("SYNCED 10")
		lengths := map[string]bool{}
		for _, seen := range r.srv.Requests()[1:] {
			seconds, err := strconv.Atoi(seen.URL.Query().Get("timeoutSeconds"))
			require.NoError(t, err)
			assert.GreaterOrEqual(t, seconds, 300)
			assert.Less(t, seconds, 600)
			lengths[strconv.Itoa(seconds)] = true
		}
		assert.Greater(t, len(lengths), 4)
	})
}

func TestFailureB35NoLimitOnAWholeRequestEndsAWatch(t *testing.T) {
	impatient := func(w *stream.Watcher) { w.Client.Timeout = 10 * time.Second }
	bubble(t, "busy for two minutes, then quiet for 100 s", func(t *testing.T) {
		want := []string{"SYNCED 10"}
		r := newRig(t, func(r *rig) replay.Script {
			steps := []replay.Step{replay.Respond(200)}
			for i := range 24 {
				rv := strconv.Itoa(11 + i)
				steps = append(steps, replay.Pause(5*time.Second), replay.Write(ev("MODIFIED", "a", rv)))
				want = append(want, "MODIFIED a "+rv)
			}
			steps = append(steps, replay.Pause(100*time.Second))
			return replay.Script{listOf("10"), on(watch("10"), append(steps, r.stop()...)...)}
		}, impatient)
		r.played(want...)
		assert.Greater(t, time.Since(r.begun), 220*time.Second)
	})
	bubble(t, "headers that take longer than the client's own limit are waited for", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), on(watch("10"), append([]replay.Step{replay.Pause(30 * time.Second)}, stream200("", r.stop()...)...)...)}
		}, impatient)
		r.played("SYNCED 10")
	})
	bubble(t, "nor is a list cut that goes on sending", func(t *testing.T) {
		body := replay.ListBody("10", item("a", "3"))
		steps := []replay.Step{replay.Respond(200)}
		for i := range body {
			steps = append(steps, replay.Write(body[i:i+1]), replay.Pause(time.Second))
		}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{on(list, append(steps, end)...), watchOf("10", "", r.stop()...)}
		}, impatient)
		r.played("ADDED a 3", "SYNCED 10")
	})
}

func TestFailureB40CancelEndsAQuietStreamAtOnce(t *testing.T) {
	bubble(t, "a read that waits", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{listOf("10"), watchOf("10", "", replay.Hold())} })
		var cancelled time.Time
		time.AfterFunc(time.Minute, func() { cancelled = time.Now(); r.cancel(errScriptOver) })
		r.played("SYNCED 10")
		assert.Zero(t, time.Since(cancelled))
		assert.Empty(t, r.waiting, "that is no failure to be retried")
	})
	burst := ""
	for i := range 1000 {
		burst += ev("MODIFIED", "a", strconv.Itoa(11+i))
	}
	bubble(t, "no event comes after a cancel, whatever has been read already", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{listOf("10"), watchOf("10", burst, replay.Hold())} })
		after, seen := 0, 0
		for ev, err := range r.w.Watch(r.ctx) {
			switch {
			case err != nil:
				assert.ErrorIs(t, err, errScriptOver)
				assert.Zero(t, ev)
			case r.ctx.Err() != nil:
				after++
			default:
				if seen++; seen == 500 {
					r.cancel(errScriptOver)
				}
			}
		}
		assert.Zero(t, after)
		assert.Equal(t, 500, seen)
	})
	bubble(t, "nor after a break", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{listOf("10"), watchOf("10", burst, replay.Hold())} })
		next, stop := iter.Pull2(r.w.Watch(r.ctx))
		for range 10 {
			_, _, ok := next()
			require.True(t, ok)
		}
		stop()
		ev, err, ok := next()
		assert.Zero(t, ev)
		assert.NoError(t, err)
		assert.False(t, ok)
	})
}

func TestFailureB41TheEndOfAStreamIsNoEvent(t *testing.T) {
	bubble(t, "one connection has one end, and nothing behind it", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{watchOf("10", "", end)} })
		next, stop := iter.Pull2(r.w.Connect(r.ctx, "10"))
		defer stop()
		ev, err, ok := next()
		assert.Zero(t, ev)
		assert.ErrorIs(t, err, io.EOF)
		assert.True(t, ok)
		for range 1000 {
			ev, err, ok := next()
			require.Zero(t, ev)
			require.NoError(t, err)
			require.False(t, ok)
		}
	})
	bubble(t, "the loop goes on to the next stream by itself, and shows no zero event", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := replay.Script{listOf("10")}
			for range 20 {
				s = append(s, watchOf("10", bm("10"), replay.Pause(6*time.Minute), end))
			}
			return append(s, watchOf("10", "", r.stop()...))
		}, func(w *stream.Watcher) { w.IdleTimeout = time.Hour })
		r.played("SYNCED 10")
		assert.Greater(t, time.Since(r.begun), 2*time.Hour)
	})
	bubble(t, "a watch that has stopped says the same each time", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{watchOf("10", gone, end)}
		}, retryWatcher("10"))
		assert.Empty(t, r.all())
		first := r.err
		require.Error(t, first)
		for range 1000 {
			require.Empty(t, r.all())
			require.Equal(t, first, r.err)
		}
		assert.Len(t, r.srv.Requests(), 1, "and asks no server")
	})
}
