package stream_test

import (
	"context"
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/require"
)

// The same with sockets of the kernel: each watch that is left gives its file
// descriptor back.
func TestNoFileDescriptorStays(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(entries)
	}
	for _, name := range []string{"listing", "watching"} {
		t.Run(name, func(t *testing.T) {
			before := open()
			state := leftStates[name]
			var there atomic.Pointer[func()]
			store := &replay.Store{Intercept: func(r *http.Request) []replay.Step {
				return state.answer(replay.Do(*there.Load()), r)
			}}
			srv := store.NewServer(t, replay.Options{TCP: true})
			for n := range cycles {
				breaks := n%2 == 0
				ctx, cancel := t.Context(), func() {} // a break alone has to be enough
				if !breaks {
					ctx, cancel = context.WithCancel(ctx)
				}
				there.Store(&cancel)
				w := &stream.Watcher{Client: srv.Client(), Server: srv.URL(), Target: target}
				if state.set != nil {
					state.set(w)
				}
				for ev, err := range w.Watch(ctx) {
					if err != nil {
						require.ErrorIs(t, err, context.Canceled)
					} else if ev.Name == "a" && breaks {
						break
					}
				}
				if !breaks {
					cancel() // in general it has been; vet cannot know
				}
			}
			require.GreaterOrEqual(t, len(srv.Requests()), cycles)
			srv.Close()
			require.Eventually(t, func() bool { return open() <= before }, 10*time.Second, time.Millisecond,
				"%d descriptors before, %d after", before, open())
		})
	}
}
