package stream_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Orders of events that have broken the loop once, or nearly. Each is a
// schedule, and what must come of it.

func TestServersThatLoseEachWatchAreNotListedInAStorm(t *testing.T) {
	for name, life := range map[string]time.Duration{"at once": 0, "after a second of life": 1100 * time.Millisecond} {
		bubble(t, name, func(t *testing.T) {
			lists := 0
			watchFake(t, time.Hour, func(q url.Values) fakeAnswer {
				if q.Get("watch") == "true" {
					return fakeAnswer{hold: life, then: gone}
				}
				lists++
				return fakeAnswer{body: replay.ListBody("10")}
			})
			assert.Less(t, lists, 100)
			assert.Greater(t, lists, 50, "but they are listed")
		})
	}
}

func TestEndlessPagesAreNotFollowedAtFullSpeed(t *testing.T) {
	for name, token := range map[string]func() string{
		"a page that continues with itself": func() string { return "same" },
		"short pages without end":           func() func() string { n := ""; return func() string { n += "x"; return n } }(),
	} {
		bubble(t, name, func(t *testing.T) {
			requests := 0
			watchFake(t, time.Hour, func(q url.Values) fakeAnswer {
				if requests++; requests > 6000 {
					return fakeAnswer{hold: 2 * time.Hour} // enough is known
				}
				return fakeAnswer{body: replay.ListPage("10", token(), item("a", "5"))}
			})
			assert.Less(t, requests, 5000)
		})
	}
}

func TestEventsWithoutObject(t *testing.T) {
	for _, object := range []string{``, `,"object":null`, `,"object":[1]`, `,"object":"x"`} {
		bubble(t, object, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10"), watchOf("10", ev("ADDED", "a", "11")+`{"type":"ADDED"`+object+"}\n"+ev("ADDED", "b", "12"), end),
					watchOf("11", "", r.stop()...),
				}
			})
			r.played("SYNCED 10", "ADDED a 11")
		})
	}
}

func TestCachedListGivesUpACacheThatIsBehind(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		tooLarge := replay.JSON(504, `{"kind":"Status","reason":"Timeout","code":504,"details":{"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1}}`)
		cached := replay.Request{Path: path, Query: map[string]string{"resourceVersion": "100", "resourceVersionMatch": "NotOlderThan"}}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(replay.Request{Query: map[string]string{"resourceVersion": "0"}}, replay.JSON(200, replay.ListBody("100", item("a", "90")))...),
				watchOf("100", gone, end),
				on(cached, tooLarge...), on(cached, tooLarge...), on(cached, tooLarge...),
				listOf("50", item("a", "90")),
				watchOf("50", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.CachedList = true })
		r.played("ADDED a 90", "SYNCED 100", "GAP 100", "MODIFIED a 90", "SYNCED 50")
	})
}

func TestZeroIsNoVersion(t *testing.T) {
	bubble(t, "of a list", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{listOf("0", item("a", "3"))} })
		assert.Equal(t, []string{"ADDED a 3", "SYNCED 0"}, r.all())
		assert.ErrorIs(t, r.err, stream.ErrNoResourceVersion)
	})
	bubble(t, "of an event or a bookmark", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", bm("0")+ev("ADDED", "a", "0"), cut),
				watchOf("10", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 0")
	})
}

func TestUnorderedStartIsNotAskedForTwice(t *testing.T) {
	bubble(t, "after a break in the burst, deletes are found", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(watch(""), stream200(ev("ADDED", "a", "3")+ev("ADDED", "b", "4")+ev("ADDED", "c", "5"), replay.Hold())...),
				listOf("9", item("b", "4"), item("c", "5")),
				watchOf("9", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartMostRecent })
		assert.Len(t, r.take(3), 3)
		r.played("GAP partial", "ADDED c 5", "DELETED a 3 inferred", "SYNCED 9")
	})
	bubble(t, "with nothing acknowledged, it is", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(watch(""), stream200(ev("ADDED", "a", "3"), replay.Hold())...),
				on(watch(""), stream200(ev("ADDED", "a", "3"), r.stop()...)...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartMostRecent })
		assert.Len(t, r.take(1), 1)
		r.played("ADDED a 3")
	})
}

func TestUntrackedPagesComeOnce(t *testing.T) {
	untracked := func(w *stream.Watcher) { w.Untracked = true }
	next := replay.Request{Query: map[string]string{"continue": "t1"}}
	pageOne := on(list, replay.JSON(200, replay.ListPage("10", "t1", item("a", "1")))...)
	pageTwo := on(next, replay.JSON(200, replay.ListBody("10", item("b", "2")))...)
	bubble(t, "a break at Synced reads the last page again, and delivers nothing of it", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{pageOne, pageTwo, pageTwo, watchOf("10", "", r.stop()...)}
		}, untracked)
		assert.Len(t, r.take(3), 3)
		r.played("SYNCED 10")
	})
	bubble(t, "a Reset that was not acknowledged comes again", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("5", item("z", "1")), watchOf("5", gone, end),
				on(list, replay.JSON(200, replay.ListPage("10", "t1"))...), pageTwo, pageTwo,
				watchOf("10", "", r.stop()...),
			}
		}, untracked)
		assert.Equal(t, []string{"ADDED z 1", "SYNCED 5", "GAP 5", "RESET"}, r.take(4))
		r.played("RESET", "ADDED b 2", "SYNCED 10")
	})
}

func TestProgressForgivesWhateverTheStreamEndsWith(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := replay.Script{listOf("10")}
			for range 6 {
				s = append(s, on(watch("10"), refused(503, "")...))
			}
			return append(s,
				watchOf("10", ev("ADDED", "a", "11")+replay.ErrorEvent(500, "InternalError"), end),
				watchOf("11", "", r.stop()...))
		})
		r.played("SYNCED 10", "ADDED a 11")
		pauses := r.gaps()
		assert.Less(t, pauses[len(pauses)-1], 1700*time.Millisecond)
	})
}

func TestANewRangeIsNotJudgedByTheLast(t *testing.T) {
	bubble(t, "the patience with a denial begins anew", func(t *testing.T) {
		denied := on(watch("11"), refused(403, "Forbidden")...)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), watchOf("10", ev("ADDED", "a", "11"), end), denied,
				denied, watchOf("11", "", r.stop()...),
			}
		})
		ctx, cancel := contextFor(t, 5*time.Second)
		defer cancel()
		r.w.Backoff.Min, r.w.Backoff.Max = 6*time.Second, 6*time.Second
		for range r.w.Watch(ctx) {
		}
		time.Sleep(time.Hour)
		r.played()
	})
	bubble(t, "and so do the reconnects", func(t *testing.T) {
		down := on(list, refused(503, "")...)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{down, down, down, down, listOf("10"), watchOf("10", "", r.stop()...)}
		}, func(w *stream.Watcher) { w.Policy.MaxReconnects = 2 })
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, stream.ErrMaxReconnects)
		r.played("SYNCED 10")
	})
}

func TestRepeatedEventsMoveNothingBack(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "b", "11")+ev("ADDED", "c", "12"), cut),
				watchOf("12", ev("ADDED", "b", "11"), cut),
				watchOf("12", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED b 11", "ADDED c 12")
	})
}

func TestWordsOfAServerAreQuoted(t *testing.T) {
	evil := strings.Repeat("x", 5000) + "\x1b[2J\n"
	for name, tt := range map[string]struct {
		event string
		set   func(*stream.Watcher)
	}{
		"an unknown type":   {replay.EventOf(evil, item("a", "1")), func(w *stream.Watcher) { w.Policy.OnUnknownEvent = stream.StopUnknownEvent }},
		"a missing version": {replay.EventOf("ADDED", `{"metadata":{"namespace":"\u001b[2J","name":"`+strings.Repeat("y", 5000)+`\n"}}`), func(w *stream.Watcher) { w.Policy.OnMissingVersion = stream.StopMissingVersion }},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return replay.Script{listOf("10"), watchOf("10", tt.event, end)} }, tt.set)
			r.all()
			require.Error(t, r.err)
			assert.NotContains(t, r.err.Error(), "\x1b")
			assert.NotContains(t, r.err.Error(), "\n")
			assert.Less(t, len(r.err.Error()), 500)
		})
	}
}

func TestPhase(t *testing.T) {
	bubble(t, "a streaming list that has come to its end watches", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{on(streamReq, stream200(replay.InitialEventsEnd("12")+ev("ADDED", "a", "13"), r.stop()...)...)}
		}, streamed)
		var phases []stream.Phase
		for _, err := range r.w.Watch(r.ctx) {
			if err == nil {
				phases = append(phases, r.w.State().Phase)
			}
		}
		assert.Equal(t, []stream.Phase{stream.PhaseListing, stream.PhaseWatching}, phases)
	})
}

// The row that decided is what operators see, so it has to be the right one.
func TestRows(t *testing.T) {
	torn := replay.ListBody("20", item("a", "1"))
	for name, tt := range map[string]struct {
		script func() []replay.Exchange
		row    string
	}{
		"a page without a newline": {func() []replay.Exchange { return []replay.Exchange{listOf("10"), watchOf("10", "<html>", end)} }, status.RowUnavailable},
		"a page with one":          {func() []replay.Exchange { return []replay.Exchange{listOf("10"), watchOf("10", "<html>\n", end)} }, status.RowUnavailable},
		"a torn list": {func() []replay.Exchange {
			return []replay.Exchange{on(list, replay.Respond(200), replay.Write(torn[:40]), cut), listOf("10")}
		}, status.RowBrokenStream},
		"a list that is reset": {func() []replay.Exchange {
			return []replay.Exchange{on(list, replay.Respond(200), replay.Write(torn[:40]), replay.Reset()), listOf("10")}
		}, status.RowBrokenStream},
		"headers that never come": {func() []replay.Exchange { return []replay.Exchange{listOf("10"), on(watch("10"), replay.Hold())} }, status.RowConnect},
		"a torn stream":           {func() []replay.Exchange { return []replay.Exchange{listOf("10"), watchOf("10", `{"type"`, cut)} }, status.RowBrokenStream},
		"a List": {func() []replay.Exchange {
			return []replay.Exchange{listOf("10"), watchOf("10", replay.ListBody("10"), end)}
		}, status.RowListBody},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return append(append(replay.Script{}, tt.script()...), watchOf("10", "", r.stop()...))
			})
			r.played("SYNCED 10")
			var rows []string
			for _, e := range r.ended {
				if e.Err != nil {
					rows = append(rows, e.Row)
				}
			}
			assert.Equal(t, []string{tt.row}, rows)
		})
	}
}
