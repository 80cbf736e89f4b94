package stream_test

import (
	"testing"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// A watch without index.

func TestUntracked(t *testing.T) {
	untracked := func(w *stream.Watcher) { w.Untracked = true }
	bubble(t, "says Reset before a full set, and keeps nothing", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", ev("ADDED", "b", "11")+gone, end),
				listOf("20", item("b", "11")),
				watchOf("20", gone, end),
				listOf("30"),
				watchOf("30", "", r.stop()...),
			}
		}, untracked)
		r.played("ADDED a 9", "SYNCED 10", "ADDED b 11", "GAP 11", "RESET", "ADDED b 11", "SYNCED 20", "GAP 20", "RESET", "SYNCED 30")
		assert.Zero(t, r.w.State().Objects)
	})
	bubble(t, "a page that is read again goes on where it stopped", func(t *testing.T) {
		first := replay.ListPage("10", "t1", item("a", "1"))
		torn := replay.ListBody("10", item("b", "2"), item("c", "3"), item("d", "4"))
		next := replay.Request{Query: map[string]string{"continue": "t1"}}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, replay.JSON(200, first)...),
				on(next, replay.Respond(200), replay.Write(torn[:len(torn)-80]), cut),
				on(next, replay.JSON(200, torn)...),
				watchOf("10", "", r.stop()...),
			}
		}, untracked)
		r.played("ADDED a 1", "ADDED b 2", "ADDED c 3", "ADDED d 4", "SYNCED 10")
	})
	bubble(t, "page one, read again, begins with Reset", func(t *testing.T) {
		torn := replay.ListBody("10", item("a", "1"), item("b", "2"))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, replay.Respond(200), replay.Write(torn[:len(torn)-20]), cut),
				listOf("11", item("b", "2")),
				watchOf("11", "", r.stop()...),
			}
		}, untracked)
		r.played("ADDED a 1", "RESET", "ADDED b 2", "SYNCED 11")
	})
	bubble(t, "a range that goes on after a break in mid-list begins with Reset", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "1"), item("b", "2")),
				listOf("11", item("b", "2")),
				watchOf("11", "", r.stop()...),
			}
		}, untracked)
		assert.Equal(t, []string{"ADDED a 1", "ADDED b 2"}, r.take(2))
		r.played("RESET", "ADDED b 2", "SYNCED 11")
	})
}
