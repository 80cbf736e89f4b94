package stream_test

import (
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// Failures of one kind: bookmarks, and the streaming list that ends with one.

func TestFailureB15BookmarksMoveTheResumePoint(t *testing.T) {
	bubble(t, "and are no change", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				on(watch("10").With("allowWatchBookmarks", "true"), stream200(bm("500"), end)...),
				watchOf("500", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
		assert.EqualValues(t, 1, r.w.State().Counters.Bookmarks)
	})
	for name, line := range map[string]string{
		"an empty version": bm(""), "no version": replay.EventOf("BOOKMARK", `{"metadata":{}}`),
		"no object": `{"type":"BOOKMARK"}` + "\n", "null": replay.EventOf("BOOKMARK", "null"), "0": bm("0"),
	} {
		bubble(t, "one with "+name+" moves nothing", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{listOf("10"), watchOf("10", line, end), watchOf("10", "", r.stop()...)}
			})
			r.played("SYNCED 10")
		})
	}
	bubble(t, "those between events count as they come", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", bm("20")+ev("ADDED", "a", "21")+bm("30")+bm("30"), replay.Reset()),
				watchOf("30", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 21")
	})
	bubble(t, "a server that never sends one is no error", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			quiet := watchOf("10", "", replay.Pause(6*time.Minute), end)
			return replay.Script{listOf("10"), quiet, quiet, quiet, watchOf("10", "", r.stop()...)}
		}, func(w *stream.Watcher) { w.WatchTimeout, w.IdleTimeout = 3*time.Minute, time.Hour })
		r.played("SYNCED 10")
	})
	bubble(t, "they are delivered to who asks for them", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", bm("50"), r.stop()...)}
		}, func(w *stream.Watcher) { w.Bookmarks = true })
		r.played("SYNCED 10", "BOOKMARK 50")
	})
}

func TestFailureB16ABookmarkIsASkeleton(t *testing.T) {
	for name, object := range map[string]string{
		"of a pod":           `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"77","creationTimestamp":null},"spec":{"containers":null},"status":{}}`,
		"of an event":        `{"kind":"Event","apiVersion":"v1","metadata":{"resourceVersion":"77"},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,"reportingComponent":"","reportingInstance":""}`,
		"with an empty name": `{"metadata":{"name":"","resourceVersion":"77"}}`,
		"null annotations":   `{"metadata":{"annotations":null,"resourceVersion":"77"}}`,
		"of a table":         `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"77"},"columnDefinitions":null,"rows":[{"cells":["",0,"<unknown>"],"object":null}]}`,
		"version alone":      `{"metadata":{"resourceVersion":"77"}}`,
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", item("a", "3")),
					watchOf("10", replay.EventOf("BOOKMARK", object), end),
					watchOf("77", gone, end),
					listOf("80", item("a", "3")),
					watchOf("80", "", r.stop()...),
				}
			})
			r.played("ADDED a 3", "SYNCED 10", "GAP 77", "SYNCED 80")
			assert.Equal(t, 1, r.w.State().Objects, "it is no object")
		})
	}
}

func TestFailureB17StreamingListsThatAServerDoesNotKnow(t *testing.T) {
	marker := replay.InitialEventsEnd
	bubble(t, "known: the end of what exists is marked", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(streamReq, stream200(ev("ADDED", "a", "9")+marker("12"), cut)...),
				on(plainWatch("12"), stream200("", r.stop()...)...),
			}
		}, streamed)
		r.played("ADDED a 9", "SYNCED 12")
	})
	for name, code := range map[string]int{"422": 422, "400": 400, "403": 403} {
		bubble(t, "refused with "+name+": listed at once, and never asked again", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					on(streamReq, refused(code, "")...),
					listOf("10", item("a", "3")),
					on(plainWatch("10"), stream200(gone, end)...),
					listOf("20", item("a", "3")),
					on(plainWatch("20"), stream200("", r.stop()...)...),
				}
			}, streamed)
			r.played("ADDED a 3", "SYNCED 10", "GAP 10", "SYNCED 20")
			assert.Zero(t, r.gaps()[0])
		})
	}
	bubble(t, "a refusal that means all of it stops at the list", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{on(streamReq, refused(403, "Forbidden")...), on(list, refused(403, "Forbidden")...)}
		}, streamed)
		assert.Empty(t, r.all())
		assert.ErrorIs(t, r.err, status.ErrForbidden)
	})
	for name, answer := range map[string][]replay.Step{
		"silent for 30 s":            stream200(ev("ADDED", "a", "3"), replay.Hold()),
		"cut":                        stream200(ev("ADDED", "a", "3"), cut),
		"clean end":                  stream200(ev("ADDED", "a", "3"), end),
		"a plain bookmark":           stream200(ev("ADDED", "a", "3")+bm("10"), replay.Hold()),
		"a change":                   stream200(ev("ADDED", "a", "3")+ev("MODIFIED", "a", "4"), replay.Hold()),
		"a delete":                   stream200(ev("ADDED", "a", "3")+ev("DELETED", "z", "4"), replay.Hold()),
		"a marker that says no":      stream200(ev("ADDED", "a", "3")+replay.EventOf("BOOKMARK", `{"metadata":{"resourceVersion":"12","annotations":{"k8s.io/initial-events-end":"false"}}}`), replay.Hold()),
		"a marker without a version": stream200(ev("ADDED", "a", "3")+replay.EventOf("BOOKMARK", `{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}`), replay.Hold()),
		"an ERROR":                   stream200(ev("ADDED", "a", "3")+replay.ErrorEvent(504, "Timeout"), end),
		"a page":                     stream200(ev("ADDED", "a", "3")+htmlPage, end),
	} {
		bubble(t, "no end of what exists, "+name+": listed this time", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					on(streamReq, answer...),
					listOf("10", item("a", "3"), item("b", "5")),
					on(plainWatch("10"), stream200(gone, end)...),
					on(streamReq, stream200(ev("ADDED", "a", "3")+ev("ADDED", "b", "5")+marker("20"), r.stop()...)...),
				}
			}, streamed)
			r.played("ADDED a 3", "ADDED b 5", "SYNCED 10", "GAP 10", "SYNCED 20")
			assert.LessOrEqual(t, r.gaps()[0], 32*time.Second)
		})
	}
}
