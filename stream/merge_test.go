package stream_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sources are n rigs that share a context, each with the script of its number.
func sources(t *testing.T, scripts ...replay.Script) []*stream.Watcher {
	var all []*stream.Watcher
	for i, script := range scripts {
		r := newRig(t, func(*rig) replay.Script { return script })
		r.w.Target.Name = fmt.Sprint("source-", i)
		all = append(all, r.w)
	}
	return all
}

func TestMerge(t *testing.T) {
	hold := replay.Hold()
	bubble(t, "events of all, in the order of each, and each says where it is from", func(t *testing.T) {
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		all := sources(t,
			replay.Script{listOf("10", item("a", "1")), watchOf("10", ev("MODIFIED", "a", "11")+ev("MODIFIED", "a", "12"), hold)},
			replay.Script{listOf("20", item("b", "2")), watchOf("20", gone, end), listOf("30"), watchOf("30", "", hold)},
		)
		got := map[*stream.Watcher][]string{}
		for ev, err := range stream.Merge(ctx, all...) {
			if err != nil {
				assert.ErrorIs(t, err, errScriptOver)
				continue
			}
			got[ev.Source] = append(got[ev.Source], line(ev))
		}
		assert.Equal(t, []string{"ADDED a 1", "SYNCED 10", "MODIFIED a 11", "MODIFIED a 12"}, got[all[0]])
		assert.Equal(t, []string{"ADDED b 2", "SYNCED 20", "GAP 20", "DELETED b 2 inferred", "SYNCED 30"}, got[all[1]])
	})
	bubble(t, "an event that was acknowledged in the moment of a cancel does not come again", func(t *testing.T) {
		store := &replay.Store{}
		store.PutItem("a", "")
		store.PutItem("b", "")
		for range 500 { // both are ready at once only now and then
			w := &stream.Watcher{Client: &http.Client{Transport: store}, Server: &url.URL{Scheme: "http", Host: "server"}, Target: target}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var seen []string
			for ev, err := range stream.Merge(ctx, w) {
				if err == nil {
					seen = append(seen, line(ev))
				}
				cancel()
			}
			for ev, err := range stream.Merge(t.Context(), w) {
				require.NoError(t, err)
				require.NotContains(t, seen, line(ev))
				break
			}
		}
	})
	bubble(t, "a source that stops for good ends them all, with its error", func(t *testing.T) {
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		all := sources(t,
			replay.Script{listOf("10"), watchOf("10", "", hold)},
			replay.Script{on(list, append([]replay.Step{replay.Pause(time.Second)}, refused(403, "Forbidden")...)...)},
		)
		var last error
		for _, err := range stream.Merge(ctx, all...) {
			assert.NoError(t, last, "nothing after the error")
			last = err
		}
		require.ErrorIs(t, last, status.ErrForbidden)
		assert.ErrorContains(t, last, "source-1")
		assert.Equal(t, stream.PhaseIdle, all[0].State().Phase)
	})
	bubble(t, "a break acknowledges nothing, of none of them; Ack one", func(t *testing.T) {
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		early := watchOf("10", ev("ADDED", "a", "11"), hold)
		late := watchOf("20", "", replay.Pause(time.Second), replay.Write(ev("ADDED", "b", "21")), hold)
		all := sources(t,
			replay.Script{early, early, watchOf("11", "", hold)},
			replay.Script{late, late, late},
		)
		for i, w := range all {
			w.Start, w.ResourceVersion = stream.StartExact, fmt.Sprint(10*(i+1))
		}
		for range stream.Merge(ctx, all...) {
			time.Sleep(time.Millisecond) // until the other one has asked, too
			break
		}
		assert.Equal(t, "10", all[0].State().ResourceVersion)
		assert.Equal(t, "20", all[1].State().ResourceVersion)
		for ev := range stream.Merge(ctx, all...) {
			ev.Source.Ack()
			time.Sleep(time.Millisecond)
			break
		}
		assert.Equal(t, "11", all[0].State().ResourceVersion)
		var got []string
		for ev, err := range stream.Merge(ctx, all...) {
			if err == nil {
				got = append(got, line(ev))
			}
		}
		assert.Equal(t, []string{"ADDED b 21"}, got)
	})
	bubble(t, "a busy source does not keep a quiet one waiting", func(t *testing.T) {
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		busy := ""
		for i := range 1000 {
			busy += ev("MODIFIED", "a", fmt.Sprint(11+i))
		}
		all := sources(t,
			replay.Script{watchOf("10", busy, hold)},
			replay.Script{watchOf("10", ev("ADDED", "b", "11"), hold)},
		)
		for _, w := range all {
			w.Start, w.ResourceVersion = stream.StartExact, "10"
		}
		var order []string
		for ev, err := range stream.Merge(ctx, all...) {
			if err == nil {
				time.Sleep(time.Millisecond) // so that both are waiting
				order = append(order, ev.Name)
			}
		}
		require.Len(t, order, 1001)
		assert.Less(t, slices.Index(order, "b"), 5)
	})
	bubble(t, "Ack of a source whose event is still on its way means nothing", func(t *testing.T) {
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		one := watchOf("10", ev("ADDED", "a", "11"), hold)
		all := sources(t, replay.Script{one}, replay.Script{one})
		for _, w := range all {
			w.Start, w.ResourceVersion = stream.StartExact, "10"
		}
		for ev := range stream.Merge(ctx, all...) {
			time.Sleep(time.Second) // until the other one is waiting with its event
			for _, w := range all {
				w.Ack()
			}
			for _, w := range all {
				want := "10"
				if w == ev.Source {
					want = "11"
				}
				assert.Equal(t, want, w.State().ResourceVersion)
			}
			break
		}
	})
	bubble(t, "a caller who panics leaves nothing running", func(t *testing.T) {
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		one := watchOf("10", ev("ADDED", "a", "11"), hold)
		all := sources(t, replay.Script{one}, replay.Script{one})
		for _, w := range all {
			w.Start, w.ResourceVersion = stream.StartExact, "10"
		}
		assert.PanicsWithValue(t, "oh", func() {
			for range stream.Merge(ctx, all...) {
				time.Sleep(time.Second)
				panic("oh")
			}
		})
		for _, w := range all {
			assert.Equal(t, stream.PhaseIdle, w.State().Phase)
		}
	})
	bubble(t, "of nothing", func(t *testing.T) {
		for _, err := range stream.Merge(t.Context()) {
			assert.ErrorAs(t, err, new(*stream.ConfigError))
		}
	})
}
