package stream_test

import (
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// What is silence, and what is not.

func TestSilence(t *testing.T) {
	bubble(t, "one event every minute keeps one stream", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			steps := []replay.Step{replay.Respond(200)}
			for _, rv := range []string{"11", "12", "13", "14"} {
				steps = append(steps, replay.Pause(time.Minute), replay.Write(ev("MODIFIED", "a", rv)))
			}
			return replay.Script{listOf("10"), on(watch("10"), append(steps, r.stop()...)...)}
		}, func(w *stream.Watcher) { w.IdleTimeout = 61 * time.Second })
		r.played("SYNCED 10", "MODIFIED a 11", "MODIFIED a 12", "MODIFIED a 13", "MODIFIED a 14")
	})
	bubble(t, "a slow caller is no silence", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11")+ev("ADDED", "b", "12"), replay.Pause(3*time.Hour), replay.Do(func() { r.cancel(errScriptOver) }), replay.Hold())}
		}, func(w *stream.Watcher) { w.IdleTimeout = 2 * time.Hour })
		var got []string
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil {
				got = append(got, line(ev))
				time.Sleep(time.Hour)
			}
		}
		assert.Equal(t, []string{"SYNCED 10", "ADDED a 11", "ADDED b 12"}, got)
	})
}
