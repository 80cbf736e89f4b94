package stream_test

import (
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The life of a watch when nothing goes wrong, and the contract of the loop.

func TestListThenWatch(t *testing.T) {
	bubble(t, "the version of the list and not of an item starts the watch", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("1000", item("a", "3"), item("b", "7")),
				watchOf("1000", ev("MODIFIED", "a", "1001")+ev("DELETED", "b", "1002"), r.stop()...),
			}
		})
		r.played("ADDED a 3", "ADDED b 7", "SYNCED 1000", "MODIFIED a 1001", "DELETED b 1002")
		assert.Equal(t, "1002", r.w.State().ResourceVersion)
		assert.Equal(t, 1, r.w.State().Objects)
		assert.True(t, r.w.State().Synced)
	})
	bubble(t, "pages follow each other without a pause, and carry no version", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			page := func(token, next string, items ...string) replay.Exchange {
				req := replay.Request{Path: path, Query: map[string]string{"continue": token, "resourceVersion": "", "limit": "2", "watch": ""}}
				return on(req, replay.JSON(200, replay.ListPage("10", next, items...))...)
			}
			return replay.Script{
				page("", "t1", item("a", "1"), item("b", "2")),
				page("t1", "t2", item("c", "3"), item("d", "4")),
				page("t2", "t3"),
				page("t3", "t4", item("e", "5")),
				page("t4", "", item("f", "6")),
				watchOf("10", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.PageSize = 2 })
		r.played("ADDED a 1", "ADDED b 2", "ADDED c 3", "ADDED d 4", "ADDED e 5", "ADDED f 6", "SYNCED 10")
		for i, gap := range r.gaps() {
			assert.Zero(t, gap, "before request %d", i+2)
		}
	})
	bubble(t, "a stream that ends at its timeout is resumed at once, and a bookmark counts", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", bm("500"), replay.Pause(time.Minute), replay.End()),
				watchOf("500", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.WatchTimeout = 31 * time.Second })
		r.played("SYNCED 10")
	})
}

func TestWatchRequest(t *testing.T) {
	bubble(t, "selectors on every request, bookmarks and a random length on watches", func(t *testing.T) {
		selected := func(req replay.Request) replay.Request {
			return req.With("labelSelector", "a=b").With("fieldSelector", "metadata.name=x,spec.y=z")
		}
		r := newRig(t, func(r *rig) replay.Script {
			w := selected(watch("10")).With("allowWatchBookmarks", "true")
			w.Header = map[string]string{"Accept-Encoding": "identity", "Accept": "application/json"}
			return replay.Script{
				on(selected(list), replay.JSON(200, replay.ListBody("10"))...),
				on(w, stream200("", replay.Pause(400*time.Second), replay.End())...),
				on(w, stream200("", r.stop()...)...),
			}
		}, func(w *stream.Watcher) {
			w.Target.Name, w.Target.LabelSelector, w.Target.FieldSelector = "x", "a=b", "spec.y=z"
		})
		r.played("SYNCED 10")
		first, second := r.srv.Requests()[1], r.srv.Requests()[2]
		assert.NotEqual(t, first.URL.Query().Get("timeoutSeconds"), second.URL.Query().Get("timeoutSeconds"))
		for _, seen := range r.srv.Requests() {
			assert.Regexp(t, `^rawwatch/\S+ \(\w+/\w+\)$`, seen.Header.Get("User-Agent"))
			assert.False(t, seen.URL.Query().Has("sendInitialEvents"))
		}
	})
}

func TestStartModes(t *testing.T) {
	bubble(t, "now: one cheap list, nothing delivered", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list.With("limit", "1"), replay.JSON(200, replay.ListPage("40", "more", item("a", "1")))...),
				watchOf("40", ev("MODIFIED", "a", "41")+ev("DELETED", "z", "42"), r.stop()...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartNow })
		// Nothing is known of z, so its delete may be news.
		r.played("MODIFIED a 41", "DELETED z 42")
	})
	bubble(t, "exact: no list, and a gap that says what stays unknown", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				watchOf("5", ev("ADDED", "a", "6")+ev("ADDED", "b", "7"), replay.Cut()),
				watchOf("7", replay.ErrorEvent(410, "Expired"), replay.End()),
				listOf("20", item("a", "6"), item("c", "9")),
				watchOf("20", replay.ErrorEvent(410, "Expired"), replay.End()),
				listOf("30", item("a", "6"), item("c", "9")),
				watchOf("30", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, "5" })
		r.played("ADDED a 6", "ADDED b 7", "GAP 7 partial", "ADDED c 9", "DELETED b 7 inferred", "SYNCED 20", "GAP 20", "SYNCED 30")
	})
	bubble(t, "any: the initial burst is in no order, so it moves nothing", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(watch("0"), stream200(ev("ADDED", "new", "900")+ev("ADDED", "old", "5"), replay.End())...),
				listOf("901", item("new", "900"), item("old", "5")),
				watchOf("901", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartAny })
		r.played("ADDED new 900", "ADDED old 5", "GAP partial", "SYNCED 901")
	})
	bubble(t, "most recent: a change ends the burst", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(watch(""), stream200(ev("ADDED", "new", "900")+ev("ADDED", "old", "5")+ev("MODIFIED", "old", "901")+ev("ADDED", "x", "902"), replay.Cut())...),
				watchOf("902", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartMostRecent })
		r.played("ADDED new 900", "ADDED old 5", "MODIFIED old 901", "ADDED x 902")
	})
	bubble(t, "most recent: a server that marks the end of the burst has synced it", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(watch(""), stream200(ev("ADDED", "a", "9")+replay.InitialEventsEnd("12")+ev("DELETED", "ghost", "13"), replay.Cut())...),
				watchOf("13", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartMostRecent })
		r.played("ADDED a 9", "SYNCED 12")
	})
	bubble(t, "most recent: refused before anything came, it is asked in the same way", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(watch(""), replay.JSON(503, replay.StatusBody(503, "ServiceUnavailable"))...),
				on(watch(""), stream200("", r.stop()...)...),
			}
		}, func(w *stream.Watcher) { w.Start = stream.StartMostRecent })
		r.played()
	})
}

func TestConfigErrors(t *testing.T) {
	for name, set := range map[string]func(*stream.Watcher){
		"Server":           func(w *stream.Watcher) { w.Server = nil },
		"Target.Group":     func(w *stream.Watcher) { w.Target.Group = "apps/v1" },
		"Target.Namespace": func(w *stream.Watcher) { w.Target.Namespace = ".." },
		"Target.Resource":  func(w *stream.Watcher) { w.Target.Resource = "" },
		"Target.Version":   func(w *stream.Watcher) { w.Target.Version = "" },
		"ResourceVersion":  func(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, "0" },
		"MaxFrame":         func(w *stream.Watcher) { w.MaxFrame = -1 },
		"WatchTimeout":     func(w *stream.Watcher) { w.WatchTimeout = time.Millisecond },
		"View":             func(w *stream.Watcher) { w.View = 9 },
		"ListFirst":        func(w *stream.Watcher) { w.ListFirst, w.Untracked = true, true },
		"HeaderTimeout":    func(w *stream.Watcher) { w.HeaderTimeout = -1 },
		"IdleTimeout":      func(w *stream.Watcher) { w.IdleTimeout = -1 },
		"Start":            func(w *stream.Watcher) { w.Start = -1 },
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return nil }, set)
			require.Empty(t, r.all())
			var bad *stream.ConfigError
			require.ErrorAs(t, r.err, &bad)
			assert.Equal(t, name, bad.Field)
		})
	}
	bubble(t, "a version without StartExact", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return nil }, func(w *stream.Watcher) { w.ResourceVersion = "5" })
		require.Empty(t, r.all())
		assert.ErrorAs(t, r.err, new(*stream.ConfigError))
	})
}

func TestTheNextCallAcknowledges(t *testing.T) {
	script := func(r *rig) replay.Script {
		return replay.Script{
			listOf("10", item("a", "9")),
			watchOf("10", ev("MODIFIED", "a", "11"), replay.Hold()),
			watchOf("10", ev("MODIFIED", "a", "11")+ev("MODIFIED", "a", "12"), r.stop()...),
		}
	}
	bubble(t, "a break leaves the event in hand for the next range", func(t *testing.T) {
		r := newRig(t, script)
		assert.Equal(t, []string{"ADDED a 9", "SYNCED 10", "MODIFIED a 11"}, r.take(3))
		assert.NoError(t, r.err)
		assert.Equal(t, "10", r.w.State().ResourceVersion)
		r.played("MODIFIED a 11", "MODIFIED a 12")
	})
	bubble(t, "Ack before the break moves past it", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := script(r)
			s[2].Request = watch("11")
			return s
		})
		for ev := range r.w.Watch(r.ctx) {
			if ev.ResourceVersion == "11" {
				r.w.Ack()
				r.w.Ack() // once is enough, twice no harm
				break
			}
		}
		assert.Equal(t, "11", r.w.State().ResourceVersion)
		r.played("MODIFIED a 12")
	})
	for name, list := range map[string]replay.Exchange{
		"list":   listOf("10", item("a", "9")),
		"stream": on(streamReq, stream200(ev("ADDED", "a", "9")+replay.InitialEventsEnd("10"), replay.Hold())...),
	} {
		bubble(t, "Ack of Synced before the break ends the "+name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{list, watchOf("10", ev("MODIFIED", "a", "11"), r.stop()...)}
			}, func(w *stream.Watcher) {
				if name == "stream" {
					w.Start = stream.StartStream
				}
			})
			for ev := range r.w.Watch(r.ctx) {
				if ev.Type == stream.Synced {
					r.w.Ack()
					break
				}
			}
			r.played("MODIFIED a 11")
		})
	}
	bubble(t, "a break in mid-list leads to a list, and what was acknowledged is not repeated", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "7"), item("b", "8"), item("c", "9")),
				listOf("12", item("a", "7"), item("b", "11")),
				watchOf("12", "", r.stop()...),
			}
		})
		assert.Equal(t, []string{"ADDED a 7", "ADDED b 8", "ADDED c 9"}, r.take(3))
		assert.Equal(t, "", r.w.State().ResourceVersion)
		// c was in hand: it was never acknowledged, so it never was.
		r.played("MODIFIED b 11", "SYNCED 12")
	})
	bubble(t, "a break at the gap, in the sweep and at the end of it", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "7"), item("b", "8")),
				watchOf("10", replay.ErrorEvent(410, "Expired"), replay.End()),
				listOf("20"),
				listOf("21"),
				listOf("22"),
				watchOf("22", "", r.stop()...),
			}
		})
		assert.Equal(t, []string{"ADDED a 7", "ADDED b 8", "SYNCED 10", "GAP 10"}, r.take(4))
		assert.Equal(t, []string{"GAP 10", "DELETED a 7 inferred", "DELETED b 8 inferred"}, r.take(3))
		assert.Equal(t, []string{"DELETED b 8 inferred", "SYNCED 21"}, r.take(2))
		assert.Equal(t, "", r.w.State().ResourceVersion, "Synced is not acknowledged")
		r.played("SYNCED 22")
	})
}

func TestOneRangeAtATime(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10", item("a", "9"))}
		})
		for range r.w.Watch(r.ctx) {
			var refusals []error
			for _, err := range r.w.Watch(r.ctx) {
				refusals = append(refusals, err)
			}
			assert.Equal(t, []error{stream.ErrInUse}, refusals)
			break
		}
	})
}
