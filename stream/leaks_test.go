package stream_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A thousand watches one after the other, each left in the same state: by a
// break at its event a where there is one, and by a cancel once the server has
// got there, in turn. Nothing of them stays: no connection, and no goroutine,
// or the bubble could not end.

const cycles = 1000

// leftState is where a watch is left. there is the step that cancels it, if it
// is to be cancelled.
type leftState struct {
	phase  stream.Phase // that it is in by then
	set    func(w *stream.Watcher)
	answer func(there replay.Step, r *http.Request) []replay.Step
	silent bool // no event comes, so there is no break
	merged bool
}

func held(there replay.Step, body string) []replay.Step {
	return stream200(body, there, replay.Hold())
}

var leftStates = map[string]leftState{
	"waiting for headers": {phase: stream.PhaseListing, silent: true, answer: func(there replay.Step, r *http.Request) []replay.Step {
		return []replay.Step{there, replay.Hold()}
	}},
	"listing": {phase: stream.PhaseListing, answer: func(there replay.Step, r *http.Request) []replay.Step {
		return held(there, `{"items":[`+item("a", "9")+`,`)
	}},
	"streaming list": {phase: stream.PhaseListing, set: func(w *stream.Watcher) { w.Start = stream.StartStream },
		answer: func(there replay.Step, r *http.Request) []replay.Step { return held(there, ev("ADDED", "a", "9")) }},
	"locating": {phase: stream.PhaseListing, silent: true, set: func(w *stream.Watcher) { w.Start = stream.StartNow },
		answer: func(there replay.Step, r *http.Request) []replay.Step { return held(there, `{"items":[`) }},
	"watching": {phase: stream.PhaseWatching, set: exactly, answer: watched},
	"probing": {phase: stream.PhaseWatching, silent: true, set: exactly, answer: func(there replay.Step, r *http.Request) []replay.Step {
		if r.URL.Query().Get("watch") != "" {
			return stream200("garbage\n", end)
		}
		return held(there, `{"items":[`)
	}},
	"backing off": {phase: stream.PhaseWaiting, silent: true, set: exactly, answer: func(there replay.Step, r *http.Request) []replay.Step {
		return append(refused(429, "", "Retry-After: 200")[:2], end, replay.Pause(time.Minute), there)
	}},
	"merged": {phase: stream.PhaseWatching, merged: true, set: exactly, answer: watched},
	"with a checkpoint": {phase: stream.PhaseWatching, answer: func(there replay.Step, r *http.Request) []replay.Step {
		switch q := r.URL.Query(); {
		case q.Get("watch") != "":
			return held(there, ev("MODIFIED", "a", "11"))
		default:
			return replay.JSON(200, replay.ListBody("10"))
		}
	}},
}

func exactly(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, "10" }

func watched(there replay.Step, r *http.Request) []replay.Step {
	return held(there, ev("ADDED", "a", "11"))
}

func TestNothingStays(t *testing.T) {
	for name, state := range leftStates {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "checkpoint")
			synctest.Test(t, func(t *testing.T) {
				var there atomic.Pointer[func()]
				store := &replay.Store{Intercept: func(r *http.Request) []replay.Step {
					return state.answer(replay.Do(*there.Load()), r)
				}}
				srv := store.NewServer(t, replay.Options{})
				network := &counted{dial: srv.DialContext}
				transport := &http.Transport{DialContext: network.DialContext}
				watcher := func() *stream.Watcher {
					w := &stream.Watcher{Client: &http.Client{Transport: transport}, Server: srv.URL(), Target: target}
					if state.set != nil {
						state.set(w)
					}
					if name == "with a checkpoint" {
						w.Checkpoint = stream.CheckpointFile(file)
					}
					return w
				}
				for n := range cycles {
					ctx, cancel := context.WithTimeoutCause(t.Context(), 24*time.Hour, errLate)
					breaks := !state.silent && n%2 == 0
					w := watcher()
					var once sync.Once // of a merged watch, the first
					cancelSoon := func() {
						time.AfterFunc(time.Millisecond, func() { // what was sent has been read
							assert.Equal(t, state.phase, w.State().Phase)
							cancel()
						})
					}
					reached := func() {
						if !breaks {
							once.Do(cancelSoon)
						}
					}
					there.Store(&reached)
					pairs := w.Watch(ctx)
					if state.merged {
						pairs = stream.Merge(ctx, w, watcher())
					}
					var last error
					for ev, err := range pairs {
						if last = err; err == nil && ev.Name == "a" && breaks {
							break
						}
					}
					if breaks {
						require.NoError(t, last)
					} else {
						require.ErrorIs(t, last, context.Canceled)
					}
					synctest.Wait() // a break alone has to be enough
					require.LessOrEqual(t, network.open.Load(), int32(1), "connections after %d watches", n+1)
					cancel()
				}
				assert.GreaterOrEqual(t, len(srv.Requests()), cycles)
				transport.CloseIdleConnections()
				synctest.Wait()
				assert.Zero(t, network.open.Load())
			})
		})
	}
}

// counted is a network that knows how many connections are open.
type counted struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	open atomic.Int32
}

func (c *counted) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.open.Add(1)
	return &countedConn{Conn: conn, of: c}, nil
}

type countedConn struct {
	net.Conn
	of   *counted
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.of.open.Add(-1) })
	return c.Conn.Close()
}
