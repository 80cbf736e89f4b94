package stream_test

import (
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// The streaming list: a watch that begins with what exists.

func streamed(w *stream.Watcher) { w.Start = stream.StartStream }

// streamReq is the request of a streaming list: the three parameters together,
// and no version.
var streamReq = watch("").With("sendInitialEvents", "true").With("resourceVersionMatch", "NotOlderThan").With("allowWatchBookmarks", "true")

func plainWatch(rv string) replay.Request {
	return watch(rv).With("sendInitialEvents", "").With("resourceVersionMatch", "")
}

func TestStreamingList(t *testing.T) {
	marker := replay.InitialEventsEnd
	bubble(t, "one request lists and watches, and a resume is a plain watch", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(streamReq, stream200(ev("ADDED", "b", "7")+ev("ADDED", "a", "3")+marker("12")+ev("MODIFIED", "a", "13"), cut)...),
				on(plainWatch("13"), stream200(ev("DELETED", "b", "14"), r.stop()...)...),
			}
		}, streamed)
		r.played("ADDED b 7", "ADDED a 3", "SYNCED 12", "MODIFIED a 13", "DELETED b 14")
	})
	bubble(t, "a relist is one too, swept at its marker", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(streamReq, stream200(ev("ADDED", "a", "3")+ev("ADDED", "b", "7")+marker("12")+gone, end)...),
				on(streamReq, stream200(ev("ADDED", "a", "3")+ev("ADDED", "c", "18")+marker("20"), r.stop()...)...),
			}
		}, streamed)
		r.played("ADDED a 3", "ADDED b 7", "SYNCED 12", "GAP 12", "ADDED c 18", "DELETED b 7 inferred", "SYNCED 20")
	})
	bubble(t, "a busy server is asked again in the same way", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			busy := on(streamReq, refused(429, "TooManyRequests", "Retry-After: 1")...)
			return replay.Script{busy, busy, on(streamReq, stream200(marker("12"), r.stop()...)...)}
		}, streamed)
		r.played("SYNCED 12")
	})
	bubble(t, "a break before the end begins again, after it resumes", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(streamReq, stream200(ev("ADDED", "a", "3")+ev("ADDED", "b", "5"), replay.Hold())...),
				on(streamReq, stream200(ev("ADDED", "a", "3")+ev("ADDED", "b", "5")+marker("12")+ev("ADDED", "c", "13")+ev("ADDED", "d", "14"), replay.Hold())...),
				on(plainWatch("13"), stream200(ev("ADDED", "d", "14"), r.stop()...)...),
			}
		}, streamed)
		assert.Equal(t, []string{"ADDED a 3", "ADDED b 5"}, r.take(2))
		assert.Equal(t, []string{"ADDED b 5", "SYNCED 12", "ADDED c 13", "ADDED d 14"}, r.take(4))
		r.played("ADDED d 14")
	})
	bubble(t, "a server that went back: once more by pages, and everything known is news", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(streamReq, stream200(ev("ADDED", "a", "900")+marker("1200")+gone, end)...),
				on(streamReq, stream200(ev("ADDED", "a", "900")+marker("1000"), replay.Hold())...),
				listOf("1000", item("a", "900")),
				watchOf("1000", "", r.stop()...),
			}
		}, streamed)
		r.played("ADDED a 900", "SYNCED 1200", "GAP 1200", "MODIFIED a 900", "SYNCED 1000")
	})
	bubble(t, "untracked", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(streamReq, stream200(ev("ADDED", "a", "3"), cut)...),
				listOf("10", item("a", "3")),
				watchOf("10", gone, end),
				on(streamReq, stream200(ev("ADDED", "a", "3")+marker("20"), r.stop()...)...),
			}
		}, streamed, func(w *stream.Watcher) { w.Untracked = true })
		r.played("ADDED a 3", "RESET", "ADDED a 3", "SYNCED 10", "GAP 10", "RESET", "ADDED a 3", "SYNCED 20")
	})
}

func TestCachedList(t *testing.T) {
	cachedReq := func(rv string) replay.Request {
		return replay.Request{Path: path, Query: map[string]string{"watch": "", "resourceVersion": rv, "resourceVersionMatch": "NotOlderThan"}}
	}
	bubble(t, "any state at the very first, and never one older than what was seen", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(cachedReq("0"), replay.JSON(200, replay.ListBody("10", item("a", "3")))...),
				watchOf("10", ev("ADDED", "b", "11")+gone, end),
				on(cachedReq("11"), replay.JSON(200, replay.ListBody("20", item("a", "3"), item("b", "11")))...),
				watchOf("20", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.CachedList = true })
		r.played("ADDED a 3", "SYNCED 10", "ADDED b 11", "GAP 11", "SYNCED 20")
	})
}

func TestAdaptiveSilence(t *testing.T) {
	bubble(t, "75 s once there was a bookmark, and twice that the next time", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", bm("11"), replay.Hold()),
				watchOf("11", bm("12"), replay.Hold()),
				watchOf("12", bm("13"), replay.Pause(70*time.Second), end),
				watchOf("13", bm("14"), replay.Hold()),
				watchOf("14", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
		silences := r.gaps()[1:]
		assert.InDelta(t, 75, silences[0].Seconds(), 1.1)
		assert.InDelta(t, 150, silences[1].Seconds(), 3.3)
		assert.InDelta(t, 75, silences[3].Seconds(), 1.1, "a stream that ended otherwise forgives")
	})
	bubble(t, "a server that sends a bookmark a minute is never given up", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			steps := []replay.Step{replay.Respond(200)}
			for range 4 {
				steps = append(steps, replay.Pause(62*time.Second), replay.Write(bm("11")))
			}
			return replay.Script{listOf("10"), on(watch("10"), append(steps, r.stop()...)...)}
		})
		r.played("SYNCED 10")
	})
}
