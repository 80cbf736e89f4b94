package stream_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// Failures of one kind: where one event ends and the next begins.

func TestFailureB19ChunksAreNoEvents(t *testing.T) {
	a, b := ev("ADDED", "a", "11"), ev("ADDED", "b", "12")
	twice := func(t *testing.T, chunks ...string) {
		r := newRig(t, func(r *rig) replay.Script {
			steps := []replay.Step{replay.Respond(200)}
			for _, chunk := range chunks {
				steps = append(steps, replay.Write(chunk), replay.Pause(time.Millisecond))
			}
			return replay.Script{listOf("10"), on(watch("10"), append(steps, cut)...), watchOf("12", "", r.stop()...)}
		})
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
	}
	for name, chunks := range map[string][]string{
		"one byte in each":             strings.Split(a+b, ""),
		"two events in one":            {a + b},
		"empty lines between":          {"\n\n" + a + "\r\n" + b},
		"carriage returns":             {strings.ReplaceAll(a+b, "\n", "\r\n")},
		"white space":                  {" \n\t\n" + a + "   \r\n" + b + "\n"},
		"lines of nothing, one by one": {"\n", "\r", "\n", a, "\n", "\n", b},
	} {
		bubble(t, name, func(t *testing.T) { twice(t, chunks...) })
	}
	for i := 1; i < len(a+b); i++ {
		bubble(t, fmt.Sprintf("split at byte %d", i), func(t *testing.T) { twice(t, (a + b)[:i], (a + b)[i:]) })
	}
	bubble(t, "one event on several lines is a broken stream", func(t *testing.T) {
		pretty := strings.ReplaceAll(b, `,"object"`, ",\n\"object\"")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", a+pretty, end), watchOf("11", "", r.stop()...)}
		})
		r.played("SYNCED 10", "ADDED a 11")
	})
}

func TestFailureB21LongLinesAreRead(t *testing.T) {
	object := func(name, rv string, size int) string {
		return `{"kind":"ConfigMap","metadata":{"name":"` + name + `","namespace":"t","uid":"u-` + name + `","resourceVersion":"` + rv + `"},"data":{"k":"` + strings.Repeat("x", size) + `"}}`
	}
	for name, size := range map[string]int{"70,000 bytes": 70_000, "3 MiB": 3 << 20, "just under the default limit": decode.DefaultLimit - 500} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", object("l", "9", size)),
					watchOf("10", replay.EventOf("ADDED", object("a", "11", size))+ev("ADDED", "b", "12"), cut),
					watchOf("12", "", r.stop()...),
				}
			})
			r.played("ADDED l 9", "SYNCED 10", "ADDED a 11", "ADDED b 12")
		})
	}
	bubble(t, "an event over the limit stops the second time, and says the size", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			big := watchOf("10", replay.EventOf("ADDED", object("a", "11", 2000)), end)
			return replay.Script{listOf("10"), big, big}
		}, func(w *stream.Watcher) { w.MaxFrame = 1024 })
		assert.Equal(t, []string{"SYNCED 10"}, r.all())
		var size *decode.FrameSizeError
		if assert.ErrorAs(t, r.err, &size) {
			assert.Equal(t, 1024, size.Limit)
		}
		assert.ErrorContains(t, r.err, "1024")
	})
	bubble(t, "an item over the limit stops as well", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			big := listOf("10", item("a", "3"), object("b", "4", 2000))
			return replay.Script{big, big}
		}, func(w *stream.Watcher) { w.MaxFrame = 1024 })
		assert.Equal(t, []string{"ADDED a 3"}, r.all())
		assert.ErrorAs(t, r.err, new(*decode.FrameSizeError))
	})
}

// A server that ends a stream in whatever way is resumed from the last whole
// event, and what was torn comes again.
func TestFailureB22HalfAnEventIsNone(t *testing.T) {
	half := `{"type":"ADDED","object":{"metadata":{"name":"b","resourceVersion":"12"`
	for name, answer := range map[string][]replay.Step{
		"clean end":                      stream200(ev("ADDED", "a", "11"), end),
		"cut":                            stream200(ev("ADDED", "a", "11"), cut),
		"reset":                          stream200(ev("ADDED", "a", "11"), replay.Reset()),
		"cut in mid-line":                stream200(ev("ADDED", "a", "11")+half, cut),
		"reset in mid-line":              stream200(ev("ADDED", "a", "11")+half, replay.Reset()),
		"clean end in mid-line":          stream200(ev("ADDED", "a", "11")+half, end),
		"less than the length promised":  {replay.Respond(200, "Content-Length: 9999"), replay.Write(ev("ADDED", "a", "11") + half), cut},
		"no length, closed in mid-line":  {replay.Respond(200, "Connection: close", "Content-Length:"), replay.Write(ev("ADDED", "a", "11") + half), cut},
		"HTTP/1.0, closed in mid-line":   {replay.Raw("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + ev("ADDED", "a", "11") + half), cut},
		"garbage after the event":        stream200(ev("ADDED", "a", "11")+"garbage\n", end),
		"a page after the event":         stream200(ev("ADDED", "a", "11")+htmlPage, end),
		"ERROR event 500":                stream200(ev("ADDED", "a", "11")+replay.ErrorEvent(500, "InternalError"), end),
		"ERROR event of unknown code":    stream200(ev("ADDED", "a", "11")+replay.ErrorEvent(666, ""), end),
		"ERROR event with null":          stream200(ev("ADDED", "a", "11")+`{"type":"ERROR","object":null}`+"\n", end),
		"ERROR event with a pod":         stream200(ev("ADDED", "a", "11")+replay.EventOf("ERROR", item("x", "99")), end),
		"ERROR event with no object":     stream200(ev("ADDED", "a", "11")+`{"type":"ERROR"}`+"\n", end),
		"ERROR event 429 as Status hint": stream200(ev("ADDED", "a", "11")+replay.EventOf("ERROR", replay.StatusRetry(429, "TooManyRequests", 2)), end),
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10"),
					on(watch("10"), answer...),
					watchOf("11", ev("ADDED", "b", "12"), r.stop()...),
				}
			})
			r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
		})
	}
	bubble(t, "a last line that lacks only its newline is whole", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11")+strings.TrimSuffix(ev("ADDED", "b", "12"), "\n"), end),
				watchOf("12", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
	})
	bubble(t, "the first retry comes soon, the next ones back off, and progress forgives", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", "", cut), watchOf("10", "", cut), watchOf("10", "", cut), watchOf("10", "", cut),
				watchOf("10", ev("ADDED", "a", "11"), cut),
				watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 11")
		pauses := r.gaps()[1:]
		assert.Less(t, pauses[0], time.Second)
		assert.Greater(t, pauses[1], 800*time.Millisecond)
		assert.Greater(t, pauses[3], 3*time.Second)
		assert.Less(t, pauses[4], time.Second)
	})
}

func TestFailureB25GzipDelaysNoEvent(t *testing.T) {
	bubble(t, "it is not asked for", func(t *testing.T) {
		w := watch("10")
		w.Header = map[string]string{"Accept-Encoding": "identity"}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), on(w, stream200("", r.stop()...)...)}
		})
		r.played("SYNCED 10")
	})
	bubble(t, "member by member, none late", func(t *testing.T) {
		var delivered atomic.Bool
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				on(watch("10"), replay.Respond(200, "Content-Encoding: gzip"),
					replay.Write(replay.Gzip(ev("ADDED", "a", "11"))), replay.Pause(time.Second),
					replay.Do(func() { assert.True(t, delivered.Load(), "the first event waits for the second") }),
					replay.Write(replay.Gzip(ev("ADDED", "b", "12"))), replay.Pause(time.Second), end),
				watchOf("12", "", r.stop()...),
			}
		})
		var got []string
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil {
				if ev.Name == "a" {
					delivered.Store(true)
				}
				got = append(got, line(ev))
			}
		}
		assert.Equal(t, []string{"SYNCED 10", "ADDED a 11", "ADDED b 12"}, got)
	})
	member := replay.Gzip(ev("ADDED", "b", "12"))
	for i := range member {
		bubble(t, fmt.Sprintf("torn at byte %d of a member", i), func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				answer := on(watch("10"), replay.Respond(200, "Content-Encoding: gzip"),
					replay.Write(replay.Gzip(ev("ADDED", "a", "11"))+member[:i]), end)
				return replay.Script{listOf("10"), answer, on(replay.Request{}, stream200("", r.stop()...)...)}
			})
			got := r.all()
			assert.Equal(t, []string{"SYNCED 10", "ADDED a 11"}, got[:2])
			resumed := r.srv.Requests()[2].URL.Query().Get("resourceVersion")
			if len(got) == 3 { // all but the checksum came
				assert.Equal(t, "ADDED b 12", got[2])
				assert.Equal(t, "12", resumed)
			} else {
				assert.Equal(t, "11", resumed)
			}
		})
	}
	bubble(t, "a body that only says it is gzip is a broken stream", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				on(watch("10"), replay.Respond(200, "Content-Encoding: gzip"), replay.Write(ev("ADDED", "a", "11")), end),
				watchOf("10", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
	})
}
