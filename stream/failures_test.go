package stream_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What has broken watch clients in the field. Each test is one kind of
// failure; its cases are the forms it comes in.

var (
	gone     = replay.ErrorEvent(410, "Expired")
	end      = replay.End()
	cut      = replay.Cut()
	htmlPage = "<html><body>Bad Gateway</body></html>"
)

// status200 answers with an error status and a body.
func refused(code int, reason string, header ...string) []replay.Step {
	return replay.JSON(code, replay.StatusBody(code, reason), header...)
}

func TestExpiredVersionIsNeverAskedForAgain(t *testing.T) {
	for name, answer := range map[string][]replay.Step{
		"ERROR event Expired":               stream200(gone, end),
		"ERROR event Gone":                  stream200(replay.ErrorEvent(410, "Gone"), end),
		"ERROR event with the reason only":  stream200(replay.EventOf("ERROR", `{"reason":"Expired"}`), end),
		"ERROR event with the code only":    stream200(replay.EventOf("ERROR", `{"kind":"Status","code":410}`), end),
		"HTTP 410 with a Status":            refused(410, "Gone"),
		"HTTP 410 with nothing":             replay.JSON(410, ""),
		"HTTP 410 with a page":              replay.JSON(410, "<html/>", "Content-Type: text/html"),
		"and what follows is not delivered": stream200(gone+ev("ADDED", "b", "11"), end),
		"the version in the message is no version": stream200(replay.EventOf("ERROR",
			`{"kind":"Status","message":"too old resource version: 10 (77)","reason":"Expired","code":410}`), end),
	} {
		bubble(t, name, func(t *testing.T) {
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
		})
	}
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

func TestGapSaysWhy(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
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
		var answer *status.Error
		require.ErrorAs(t, cause, &answer)
		assert.Equal(t, 200, answer.HTTPStatus)
		assert.Equal(t, 410, answer.Code)
		assert.EqualValues(t, 1, r.w.State().Counters.Relists)
	})
}

// A server that ends a stream in whatever way is resumed from the last whole
// event, and what was torn comes again.
func TestBrokenStreamIsResumed(t *testing.T) {
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
				watchOf("10", strings.TrimSuffix(ev("ADDED", "b", "12"), "\n"), end),
				watchOf("12", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED b 12")
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

// An answer that is no refusal by the API server itself says nothing about
// the version: it is kept, and nothing is listed.
func TestTransientAnswersKeepTheVersion(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, answer := range map[string][]replay.Step{
		"502 with nothing":             replay.JSON(502, ""),
		"503 Status":                   refused(503, "ServiceUnavailable"),
		"503 text":                     replay.JSON(503, "upstream", "Content-Type: text/plain"),
		"504 page":                     replay.JSON(504, htmlPage, "Content-Type: text/html"),
		"408 page":                     replay.JSON(408, htmlPage, "Content-Type: text/html"),
		"403 page of a proxy":          replay.JSON(403, htmlPage, "Content-Type: text/html"),
		"500 that is no Status":        replay.JSON(500, `{"error":"x"}`),
		"500 ServerTimeout":            refused(500, "ServerTimeout"),
		"500 that never ends":          {replay.Respond(500), replay.Write(long), replay.Hold()},
		"429 of a busy server":         replay.JSON(429, "Too many requests, please try again later.\n", "Content-Type: text/plain", "Retry-After: 1"),
		"200 page":                     stream200(htmlPage, end),
		"200 with a List":              stream200(replay.ListBody("10"), end),
		"headers never come":           {replay.Hold()},
		"garbage for headers":          {replay.Raw("garbage\r\n\r\n"), cut},
		"closed before headers":        {cut},
		"reset before headers":         {replay.Reset()},
		"401 after it had worked":      refused(401, "Unauthorized"),
		"404 text after it had worked": replay.JSON(404, "404 page not found\n", "Content-Type: text/plain"),
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10"),
					watchOf("10", ev("ADDED", "a", "11"), end),
					on(watch("11"), answer...),
					watchOf("11", ev("ADDED", "b", "12"), r.stop()...),
				}
			})
			r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
		})
	}
	for name, script := range map[string][]replay.Exchange{
		"refused connections": {replay.Refuse(5)},
		"accepted and closed": {replay.Drop(5)},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				s := replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11"), cut)}
				s = append(s, script...)
				return append(s, watchOf("11", "", r.stop()...))
			})
			r.played("SYNCED 10", "ADDED a 11")
			assert.Greater(t, time.Since(r.begun), 5*time.Second, "five failures cannot come in a burst")
		})
	}
}

func TestServersHintIsAFloor(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  []replay.Step
		atLeast time.Duration
		atMost  time.Duration
	}{
		"header in seconds":     {refused(429, "TooManyRequests", "Retry-After: 7"), 7 * time.Second, 14 * time.Second},
		"details":               {replay.JSON(429, replay.StatusRetry(429, "TooManyRequests", 9)), 9 * time.Second, 18 * time.Second},
		"event":                 {stream200(replay.EventOf("ERROR", replay.StatusRetry(500, "InternalError", 4)), end), 4 * time.Second, 8 * time.Second},
		"absurd":                {refused(429, "TooManyRequests", "Retry-After: 999999999"), 299 * time.Second, 301 * time.Second},
		"negative":              {refused(429, "TooManyRequests", "Retry-After: -1"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"garbage":               {refused(429, "TooManyRequests", "Retry-After: soon"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"a date in the past":    {refused(503, "ServiceUnavailable", "Retry-After: Fri, 31 Dec 1999 15:04:05 GMT"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"even on the first try": {refused(503, "ServiceUnavailable", "Retry-After: 3"), 3 * time.Second, 6 * time.Second},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{listOf("10"), on(watch("10"), tt.answer...), watchOf("10", "", r.stop()...)}
			})
			r.played("SYNCED 10")
			pause := r.gaps()[1]
			assert.GreaterOrEqual(t, pause, tt.atLeast)
			assert.LessOrEqual(t, pause, tt.atMost+10*time.Millisecond)
		})
	}
}

func TestRefusalsStop(t *testing.T) {
	for name, tt := range map[string]struct {
		answer []replay.Step
		want   error
	}{
		"401":        {refused(401, "Unauthorized"), status.ErrUnauthorized},
		"403":        {refused(403, "Forbidden"), status.ErrForbidden},
		"404":        {replay.JSON(404, "404 page not found\n", "Content-Type: text/plain"), status.ErrNotFound},
		"405":        {refused(405, "MethodNotAllowed"), status.ErrMethodNotAllowed},
		"400":        {refused(400, "BadRequest"), nil},
		"422":        {refused(422, "Invalid"), nil},
		"a redirect": {replay.JSON(302, "", "Location: https://evil.test/?token=s3cret"), status.ErrRedirect},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return replay.Script{on(list, tt.answer...)} })
			require.Empty(t, r.all())
			var failure *stream.Error
			require.ErrorAs(t, r.err, &failure)
			assert.Equal(t, stream.List, failure.Verb)
			assert.Equal(t, target, failure.Target)
			if tt.want != nil {
				assert.ErrorIs(t, r.err, tt.want)
			}
			text := r.err.Error()
			assert.Contains(t, text, "list configmaps in namespace t at replay.test")
			assert.NotContains(t, text, "s3cret")
			assert.NotContains(t, text, "\n")
		})
	}
	bubble(t, "403 on the watch alone names the watch", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), on(watch("10"), refused(403, "Forbidden")...)}
		})
		assert.Equal(t, []string{"SYNCED 10"}, r.all())
		assert.ErrorContains(t, r.err, "watch configmaps in namespace t")
	})
	bubble(t, "a caller's own version that the server cannot read stops after three", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			bad := on(watch("abc"), refused(500, "")...)
			return replay.Script{bad, bad, bad}
		}, func(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, "abc" })
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, status.ErrInvalidResourceVersion)
	})
	bubble(t, "a List in place of a stream stops after three", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			bad := watchOf("10", replay.ListBody("10"), end)
			return replay.Script{listOf("10"), bad, bad, bad}
		})
		assert.Equal(t, []string{"SYNCED 10"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrNotStream)
	})
	bubble(t, "an event over the limit stops the second time, and says the size", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			big := watchOf("10", replay.EventOf("ADDED", `{"data":"`+strings.Repeat("x", 2000)+`"}`), end)
			return replay.Script{listOf("10"), big, big}
		}, func(w *stream.Watcher) { w.MaxFrame = 1024 })
		assert.Equal(t, []string{"SYNCED 10"}, r.all())
		assert.ErrorContains(t, r.err, "1024")
	})
	bubble(t, "a list without a version cannot be watched, and no version is invented", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{on(list, replay.JSON(200, `{"kind":"ConfigMapList","metadata":{},"items":[`+item("a", "3")+`]}`)...)}
		})
		assert.Equal(t, []string{"ADDED a 3", "SYNCED"}, r.all())
		assert.ErrorIs(t, r.err, stream.ErrNoResourceVersion)
	})
	bubble(t, "a body that is no list stops", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			object := on(list, replay.JSON(200, item("a", "3"))...)
			return replay.Script{object, object, object}
		})
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, status.ErrNotStream)
	})
	bubble(t, "denied after it had worked: two minutes of patience", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			missing := on(watch("11"), replay.JSON(404, "404 page not found\n", "Content-Type: text/plain")...)
			return replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11"), end), missing, missing}
		}, func(w *stream.Watcher) { w.Backoff.Min, w.Backoff.Max = 2*time.Minute, 2*time.Minute })
		assert.Equal(t, []string{"SYNCED 10", "ADDED a 11"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrResourceGone)
		assert.Greater(t, time.Since(r.begun), 2*time.Minute)
	})
}

func TestVersionsAreOpaque(t *testing.T) {
	for _, version := range []string{"9007199254740993", "99999999999999999999", "v:7/é &+", "a1", "00012"} {
		bubble(t, version, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf(version, item("a", version)),
					watchOf(version, ev("MODIFIED", "a", version), end), // had this one
					watchOf(version, "", r.stop()...),
				}
			})
			r.played("ADDED a "+version, "SYNCED "+version)
			assert.EqualValues(t, 1, r.w.State().Counters.Duplicates)
		})
	}
	bubble(t, "the last one counts, not the greatest", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("8"),
				watchOf("8", ev("ADDED", "a", "9")+ev("ADDED", "b", "10")+ev("ADDED", "c", "2"), cut),
				watchOf("2", "", r.stop()...),
			}
		})
		r.played("SYNCED 8", "ADDED a 9", "ADDED b 10", "ADDED c 2")
	})
	bubble(t, "an event without one is delivered and moves nothing", func(t *testing.T) {
		nameless := replay.EventOf("MODIFIED", `{"kind":"ConfigMap","metadata":{"name":"a"}}`)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "b", "11")+nameless, cut),
				watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED b 11", "MODIFIED a")
	})
	bubble(t, "an old server's DELETED, with the version of the object, moves nothing back", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "3")),
				watchOf("10", ev("ADDED", "b", "11")+ev("DELETED", "a", "3"), cut),
				watchOf("11", "", r.stop()...),
			}
		})
		r.played("ADDED a 3", "SYNCED 10", "ADDED b 11", "DELETED a 3")
	})
}

func TestBookmarks(t *testing.T) {
	skeleton := `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"","resourceVersion":"77","creationTimestamp":null},"spec":{"containers":null},"status":{}}}` + "\n"
	bubble(t, "move the resume point, are no change, and count as life", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", bm("50")+bm("")+skeleton, end),
				watchOf("77", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
		assert.EqualValues(t, 3, r.w.State().Counters.Bookmarks)
	})
	bubble(t, "are delivered if asked for", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", bm("50"), r.stop()...)}
		}, func(w *stream.Watcher) { w.Bookmarks = true })
		r.played("SYNCED 10", "BOOKMARK 50")
	})
}

func TestUnknownEventsAreSkippedAndToldOf(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11")+ev("RENAMED", "a", "12")+ev("added", "x", "13")+ev("ADDED", "b", "14"), cut),
				watchOf("14", "", r.stop()...),
			}
		})
		var types []string
		r.w.Trace.UnknownEvent = func(typ string, line []byte) { types = append(types, typ+" "+string(line[:9])) }
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 14")
		assert.Equal(t, []string{`RENAMED {"type":"`, `added {"type":"`}, types)
	})
}

func TestTraceSeesEveryLine(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		all := ev("ADDED", "a", "11") + ev("ADDED", "a", "11") + ev("NEW", "a", "12") + bm("13") + gone + "garbage\n"
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), watchOf("10", strings.TrimSuffix(all, "garbage\n"), end),
				listOf("20"), watchOf("20", "garbage\n", end), watchOf("20", "", r.stop()...),
			}
		})
		var seen strings.Builder
		r.w.Trace.Line = func(line []byte) { seen.Write(line); seen.WriteByte('\n') }
		r.played("SYNCED 10", "ADDED a 11", "GAP 13", "DELETED a 11 inferred", "SYNCED 20")
		assert.Equal(t, all, seen.String())
	})
}

func TestSilence(t *testing.T) {
	bubble(t, "a stream that says nothing is given up 15 s after its own end", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11"), replay.Hold()),
				watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 11")
		silence := r.gaps()[1]
		assert.Greater(t, silence, 5*time.Minute+15*time.Second)
		assert.Less(t, silence, 10*time.Minute+17*time.Second)
		first, second := r.srv.Requests()[1], r.srv.Requests()[2]
		assert.NotEqual(t, first.Conn, second.Conn, "the dead connection must not be used again")
	})
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

func TestLists(t *testing.T) {
	next := func(token string) replay.Request {
		return replay.Request{Path: path, Query: map[string]string{"continue": token, "watch": "", "resourceVersion": ""}}
	}
	page := func(rv, token string, items ...string) []replay.Step {
		return replay.JSON(200, replay.ListPage(rv, token, items...))
	}
	bubble(t, "a failed page is asked for again with its token, and its items come once", func(t *testing.T) {
		torn := replay.ListPage("10", "t2", item("b", "2"), item("c", "3"))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, page("10", "t1", item("a", "1"))...),
				on(next("t1"), replay.Respond(200), replay.Write(torn[:len(torn)-60]), cut),
				on(next("t1"), refused(503, "ServiceUnavailable")...),
				on(next("t1"), page("10", "t2", item("b", "2"), item("c", "3"))...),
				on(next("t2"), page("10", "", item("d", "4"))...),
				watchOf("10", "", r.stop()...),
			}
		})
		r.played("ADDED a 1", "ADDED b 2", "ADDED c 3", "ADDED d 4", "SYNCED 10")
	})
	bubble(t, "an expired token starts the run over, without the token of the refusal", func(t *testing.T) {
		expired := replay.JSON(410, `{"kind":"Status","metadata":{"continue":"inconsistent"},"reason":"Expired","code":410}`)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, page("10", "t1", item("a", "1"), item("b", "2"))...),
				on(next("t1"), expired...),
				on(list, page("20", "t1", item("a", "1"), item("c", "15"))...),
				on(next("t1"), expired...),
				on(list, page("30", "t1", item("a", "1"))...),
				on(next("t1"), expired...),
				on(list.With("limit", ""), page("40", "", item("a", "1"), item("c", "15"), item("d", "35"))...),
				watchOf("40", "", r.stop()...),
			}
		})
		r.played("ADDED a 1", "ADDED b 2", "ADDED c 15", "ADDED d 35", "DELETED b 2 inferred", "SYNCED 40")
	})
	bubble(t, "half a list deletes nothing, a whole one does", func(t *testing.T) {
		whole := replay.ListBody("20", item("a", "1"))
		for_ := func(body string, then replay.Step) replay.Exchange {
			return on(list, replay.Respond(200), replay.Write(body), then)
		}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "1"), item("b", "2")),
				watchOf("10", gone, end),
				for_(whole[:len(whole)-1], end), // lacks its last brace
				for_(whole[:len(whole)-2]+replay.StatusBody(500, "InternalError"), end),
				for_(whole+"{}", end),
				on(list, replay.JSON(200, replay.StatusBody(200, ""))...),
				on(list, replay.JSON(200, "")...),
				listOf("20", item("a", "1")),
				watchOf("20", "", r.stop()...),
			}
		})
		r.played("ADDED a 1", "ADDED b 2", "SYNCED 10", "GAP 10", "DELETED b 2 inferred", "SYNCED 20")
	})
	bubble(t, "page one, read again, is another snapshot", func(t *testing.T) {
		torn := replay.ListBody("10", item("a", "1"), item("b", "2"))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, replay.Respond(200), replay.Write(torn[:len(torn)-3]), cut),
				listOf("11", item("a", "1")),
				watchOf("11", "", r.stop()...),
			}
		})
		// Whether b came before the cut is up to the reader; if it did, its
		// delete must too.
		got := r.all()
		if len(got) == 2 {
			assert.Equal(t, []string{"ADDED a 1", "SYNCED 11"}, got)
		} else {
			assert.Equal(t, []string{"ADDED a 1", "ADDED b 2", "DELETED b 2 inferred", "SYNCED 11"}, got)
		}
	})
	for name, body := range map[string]string{
		"null items":  `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":null}`,
		"no items":    `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"}}`,
		"sorted keys": `{"apiVersion":"v1","items":[],"kind":"ConfigMapList","metadata":{"continue":"","resourceVersion":"10"}}`,
		"pretty":      "{\n  \"kind\": \"ConfigMapList\",\n  \"metadata\": {\n    \"resourceVersion\": \"10\"\n  },\n  \"items\": []\n}",
	} {
		bubble(t, "empty: "+name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{on(list, replay.JSON(200, body)...), watchOf("10", "", r.stop()...)}
			})
			r.played("SYNCED 10")
		})
	}
	for name, listOf := range map[string]func(rv string, items ...string) replay.Exchange{
		"version before the items": listOf,
		"version after the items": func(rv string, items ...string) replay.Exchange {
			body := `{"apiVersion":"v1","items":[` + strings.Join(items, ",") + `],"kind":"ConfigMapList","metadata":{"resourceVersion":"` + rv + `"}}`
			return on(list, replay.JSON(200, body)...)
		},
	} {
		bubble(t, "a server that went back: everything known is news, "+name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				s := replay.Script{
					listOf("1200", item("a", "1001"), item("b", "1100")),
					watchOf("1200", gone, end),
					listOf("1050", item("a", "1001"), item("c", "1040")),
				}
				if strings.Contains(name, "after") {
					s = append(s, s[2]) // only now is it known how old the list is
				}
				return append(s, watchOf("1050", "", r.stop()...))
			})
			want := []string{"ADDED a 1001", "ADDED b 1100", "SYNCED 1200", "GAP 1200",
				"MODIFIED a 1001", "ADDED c 1040", "DELETED b 1100 inferred", "SYNCED 1050"}
			if strings.Contains(name, "after") {
				want[4], want[5] = want[5], want[4]
			}
			r.played(want...) // c once, although the list was read twice
		})
	}
}

func TestDeliveredOnce(t *testing.T) {
	bubble(t, "a server that repeats itself after a resume", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", ev("ADDED", "b", "11")+ev("DELETED", "a", "12"), cut),
				watchOf("12", ev("ADDED", "b", "11")+ev("DELETED", "a", "12")+ev("MODIFIED", "b", "13"), r.stop()...),
			}
		})
		var left []string
		r.w.Trace.Duplicate = func(ev stream.Event) { left = append(left, line(ev)) }
		r.played("ADDED a 9", "SYNCED 10", "ADDED b 11", "DELETED a 12", "MODIFIED b 13")
		assert.Equal(t, []string{"ADDED b 11", "DELETED a 12"}, left)
	})
	bubble(t, "another object under an old name deletes the old one first", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", replay.EventOf("ADDED", replay.ItemUID("a", "other", "11"))+ev("DELETED", "a", "12"), r.stop()...),
			}
		})
		// The last DELETED is of the object that is gone already.
		r.played("ADDED a 9", "SYNCED 10", "DELETED a 9 inferred", "ADDED a 11")
	})
	bubble(t, "objects without uid", func(t *testing.T) {
		bare := func(rv string) string { return `{"metadata":{"name":"a","resourceVersion":"` + rv + `"}}` }
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", bare("9")),
				watchOf("10", replay.EventOf("MODIFIED", bare("9"))+replay.EventOf("MODIFIED", bare("11"))+gone, end),
				listOf("20", bare("11")),
				watchOf("20", replay.EventOf("DELETED", bare("21")), r.stop()...),
			}
		})
		r.played("ADDED a 9", "SYNCED 10", "MODIFIED a 11", "GAP 11", "SYNCED 20", "DELETED a 21")
	})
}

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

func TestCompressedWatch(t *testing.T) {
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
	bubble(t, "torn in mid-member", func(t *testing.T) {
		member := replay.Gzip(ev("ADDED", "b", "12"))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				on(watch("10"), replay.Respond(200, "Content-Encoding: gzip"),
					replay.Write(replay.Gzip(ev("ADDED", "a", "11"))+member[:len(member)/2]), end),
				watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 11")
	})
}
