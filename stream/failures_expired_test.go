package stream_test

import (
	"errors"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What has broken watch clients in the field, kind by kind: the tests called
// TestFailure are rows of FAILURES.md, which says where each was reported.
//
// This file: history is gone, in each of the ways a server says so, and one in
// which it does not.

func TestFailureB01ExpiredVersionIsNotAskedForAgain(t *testing.T) {
	bubble(t, "once: a list, and a watch from its version", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", gone, end),
				listOf("20", item("a", "9")),
				watchOf("20", "", r.stop()...),
			}
		})
		kinds := map[string]bool{}
		var got []string
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil {
				got = append(got, line(ev))
				kinds[ev.Kind] = true
			}
		}
		assert.Equal(t, []string{"ADDED a 9", "SYNCED 10", "GAP 10", "SYNCED 20"}, got)
		assert.NotContains(t, kinds, "Status", "an error is no object")
	})
	bubble(t, "again and again: lists and watches alternate with growing pauses", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := replay.Script{listOf("10"), watchOf("10", gone, end)}
			for range 5 {
				s = append(s, listOf("20"), watchOf("20", gone, end))
			}
			return append(s, listOf("30"), watchOf("30", "", r.stop()...))
		})
		r.played("SYNCED 10", "GAP 10", "SYNCED 20", "GAP 20", "SYNCED 20", "GAP 20", "SYNCED 20",
			"GAP 20", "SYNCED 20", "GAP 20", "SYNCED 20", "GAP 20", "SYNCED 30")
		pauses := r.gaps()
		assert.Less(t, pauses[1], time.Second, "the first relist waits little")
		assert.Greater(t, pauses[3], 800*time.Millisecond)
		assert.Greater(t, pauses[11], 12*time.Second)
	})
}

// relists plays an answer that means the loss of version 10, and what must
// follow: one list, and its difference.
func relists(t *testing.T, answer ...replay.Step) {
	r := newRig(t, func(r *rig) replay.Script {
		return replay.Script{
			listOf("10", item("a", "9"), item("b", "8"), item("c", "7")),
			on(watch("10"), answer...),
			listOf("20", item("a", "9"), replay.ItemUID("c", "u-c2", "15"), item("d", "16")),
			watchOf("20", "", r.stop()...),
		}
	})
	r.played("ADDED a 9", "ADDED b 8", "ADDED c 7", "SYNCED 10", "GAP 10",
		"DELETED c 7 inferred", "ADDED c 15", "ADDED d 16", "DELETED b 8 inferred", "SYNCED 20")
}

func TestFailureB02Status410IsTheSameAsTheEvent(t *testing.T) {
	for name, answer := range map[string][]replay.Step{
		"HTTP 410 with a Status":           refused(410, "Gone"),
		"HTTP 410 with a Status, Expired":  refused(410, "Expired"),
		"HTTP 410 with nothing":            replay.JSON(410, ""),
		"HTTP 410 with a page":             replay.JSON(410, "<html/>", "Content-Type: text/html"),
		"HTTP 410 with half a Status":      replay.JSON(410, replay.StatusBody(410, "Gone")[:30]),
		"HTTP 400 that says it is Expired": refused(400, "Expired"),
		"ERROR event Gone":                 stream200(replay.ErrorEvent(410, "Gone"), end),
		"ERROR event Expired":              stream200(gone, end),
		"ERROR event, cut":                 stream200(gone, cut),
		"ERROR event, connection kept":     stream200(gone, replay.Hold()),
		"ERROR event, no newline":          stream200(gone[:len(gone)-1], end),
		"ERROR event with the reason only": stream200(replay.EventOf("ERROR", `{"reason":"Expired"}`), end),
		"ERROR event with the code only":   stream200(replay.EventOf("ERROR", `{"kind":"Status","code":410}`), end),
	} {
		bubble(t, name, func(t *testing.T) { relists(t, answer...) })
	}
}

func TestFailureB03ErrorInsideOf200IsRead(t *testing.T) {
	bubble(t, "what follows it is not delivered", func(t *testing.T) {
		relists(t, stream200(gone+ev("ADDED", "x", "11"), end)...)
	})
	bubble(t, "nor what follows in another chunk", func(t *testing.T) {
		relists(t, stream200(gone, replay.Write(ev("ADDED", "x", "11")), end)...)
	})
	bubble(t, "the gap says why", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), watchOf("10", gone, end),
				listOf("20"), watchOf("20", "", r.stop()...),
			}
		})
		var cause error
		for ev := range r.w.Watch(r.ctx) {
			if ev.Type == stream.Gap {
				cause = ev.Cause
			}
		}
		require.ErrorIs(t, cause, status.ErrExpired)
		answer, ok := errors.AsType[*status.Error](cause)
		require.True(t, ok)
		assert.Equal(t, 200, answer.HTTPStatus)
		assert.Equal(t, 410, answer.Code)
		assert.EqualValues(t, "Expired", answer.Reason)
		assert.EqualValues(t, 1, r.w.State().Counters.Relists)
	})
	bubble(t, "and so does the end of one connection", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{watchOf("10", gone+ev("ADDED", "x", "11"), end)} })
		var last error
		for ev, err := range r.w.Connect(r.ctx, "10") {
			assert.Zero(t, ev)
			last = err
		}
		assert.ErrorIs(t, last, status.ErrExpired)
	})
}

// A stream that ends clean, at once and with nothing in it is what some
// servers send for a version they have forgotten. After three of them the
// server is asked for its own version, by a list of one item; if that finds
// nothing wrong and the next stream ends in the same way, the history is taken
// for lost.
func TestFailureB04EmptyStreamsAreNoSuccess(t *testing.T) {
	for name, answer := range map[string][]replay.Step{
		"chunked":          stream200("", replay.Pause(5*time.Millisecond), end),
		"of length 0":      {replay.Respond(200, "Content-Length: 0"), replay.Pause(5 * time.Millisecond), end},
		"closed":           {replay.Respond(200, "Connection: close", "Content-Length:"), cut},
		"with empty lines": stream200("\n\r\n", end),
		"204":              {replay.Respond(204), end},
	} {
		empty := on(watch("10"), answer...)
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", item("a", "3")),
					empty, empty, empty, probe("15"), empty,
					listOf("15", item("a", "3"), item("b", "12")),
					watchOf("15", "", r.stop()...),
				}
			})
			r.played("ADDED a 3", "SYNCED 10", "GAP 10", "ADDED b 12", "SYNCED 15")
			pauses := r.gaps()
			assert.Greater(t, pauses[2], pauses[1], "the second pause")
			assert.Greater(t, pauses[3], pauses[2], "the third pause")
		})
	}
	bubble(t, "but those that last as long as was asked for are", func(t *testing.T) {
		quiet := watchOf("10", "", replay.Pause(time.Second), end)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), quiet, probe("10"), quiet, quiet, quiet, quiet, quiet, watchOf("10", "", r.stop()...)}
		}, func(w *stream.Watcher) { w.WatchTimeout = time.Second })
		r.played("SYNCED 10")
		for _, pause := range r.gaps()[3:] {
			assert.LessOrEqual(t, pause, 3*time.Second, "no backing off")
		}
	})
	bubble(t, "and a bookmark is something", func(t *testing.T) {
		empty := watchOf("10", "", end)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), empty, empty, watchOf("10", bm("11"), replay.Pause(5*time.Millisecond), end),
				watchOf("11", "", end), watchOf("11", "", end), watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
	})
}

func TestFailureB09NoVersionIsReadFromAMessage(t *testing.T) {
	for _, message := range []string{
		"old: 10 (77)", "too old resource version: 10 (77)",
		`The resourceVersion for the provided watch is too old. \"resourceVersion\":\"77\"`,
	} {
		status := `"message":"` + message + `","reason":"Expired","code":410}`
		bubble(t, "event: "+message, func(t *testing.T) {
			relists(t, stream200(replay.EventOf("ERROR", `{"kind":"Status","metadata":{"resourceVersion":"77"},`+status), end)...)
		})
		bubble(t, "status: "+message, func(t *testing.T) {
			relists(t, replay.JSON(410, `{"kind":"Status","metadata":{"resourceVersion":"77","continue":"77"},`+status)...)
		})
	}
}
