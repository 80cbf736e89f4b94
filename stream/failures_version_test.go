package stream_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Failures of one kind: a version that was taken from the wrong place, or for
// something it is not.

func TestFailureB05VersionsOfTheFirstBurstSayNothing(t *testing.T) {
	burst := ev("ADDED", "new", "900") + ev("ADDED", "old", "5")
	starts := map[string]stream.Start{"": stream.StartMostRecent, "0": stream.StartAny}
	for version, start := range starts {
		set := func(w *stream.Watcher) { w.Start = start }
		bubble(t, "a stream from "+replayName(version)+" that ends in its burst is not gone on with", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					on(watch(version), stream200(burst, end)...),
					listOf("901", item("new", "900"), item("old", "5")),
					watchOf("901", "", r.stop()...),
				}
			}, set)
			r.played("ADDED new 900", "ADDED old 5", "GAP partial", "SYNCED 901")
		})
		for what, line := range map[string]string{
			"MODIFIED": ev("MODIFIED", "old", "901"), "DELETED": ev("DELETED", "old", "901"), "BOOKMARK": bm("901"),
		} {
			bubble(t, "a stream from "+replayName(version)+" has a version after a "+what, func(t *testing.T) {
				r := newRig(t, func(r *rig) replay.Script {
					return replay.Script{
						on(watch(version), stream200(burst+line, cut)...),
						watchOf("901", ev("ADDED", "x", "902"), cut),
						watchOf("902", "", r.stop()...),
					}
				}, set)
				got := r.all()
				assert.Equal(t, []string{"ADDED new 900", "ADDED old 5"}, got[:2])
				assert.Equal(t, "ADDED x 902", got[len(got)-1])
				assert.ErrorIs(t, r.err, errScriptOver)
			})
		}
	}
	bubble(t, "a list has one of its own", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("900", item("new", "900"), item("old", "5")),
				watchOf("900", "", r.stop()...),
			}
		})
		r.played("ADDED new 900", "ADDED old 5", "SYNCED 900")
	})
}

func replayName(version string) string {
	if version == "" {
		return "no version"
	}
	return version
}

func TestFailureB06VersionIsTheListsAndNotAnItems(t *testing.T) {
	bubble(t, "whatever the items have", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("1000", item("a", "3"), item("b", "7")), watchOf("1000", "", r.stop()...)}
		})
		r.played("ADDED a 3", "ADDED b 7", "SYNCED 1000")
	})
	bubble(t, "also when the list says it after its items", func(t *testing.T) {
		body := `{"apiVersion":"v1","items":[` + item("a", "3") + `,` + item("b", "2000") + `],"kind":"ConfigMapList","metadata":{"resourceVersion":"1000"}}`
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{on(list, replay.JSON(200, body)...), watchOf("1000", "", r.stop()...)}
		})
		r.played("ADDED a 3", "ADDED b 2000", "SYNCED 1000")
	})
	bubble(t, "of pages, those of the first and the last", func(t *testing.T) {
		second := replay.Request{Path: path, Query: map[string]string{"continue": "t1", "resourceVersion": ""}}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, replay.JSON(200, replay.ListPage("1000", "t1", item("a", "3")))...),
				on(second, replay.JSON(200, replay.ListBody("1000", item("b", "7")))...),
				watchOf("1000", "", r.stop()...),
			}
		})
		r.played("ADDED a 3", "ADDED b 7", "SYNCED 1000")
	})
	bubble(t, "one object is listed with the selector it is watched with", func(t *testing.T) {
		one := func(req replay.Request) replay.Request { return req.With("fieldSelector", "metadata.name=a") }
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(one(list), replay.JSON(200, replay.ListBody("1000", item("a", "3")))...),
				on(one(watch("1000")), stream200("", r.stop()...)...),
			}
		}, func(w *stream.Watcher) { w.Target.Name = "a" })
		r.played("ADDED a 3", "SYNCED 1000")
	})
}

func TestFailureB10VersionsAreOpaque(t *testing.T) {
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
	bubble(t, "a number is taken digit for digit", func(t *testing.T) {
		bare := func(rv string) string { return `{"metadata":{"name":"a","uid":"u-a","resourceVersion":` + rv + `}}` }
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, replay.JSON(200, `{"kind":"ConfigMapList","metadata":{"resourceVersion":9007199254740993},"items":[`+bare("7")+`]}`)...),
				watchOf("9007199254740993", replay.EventOf("MODIFIED", bare("99999999999999999999")), cut),
				watchOf("99999999999999999999", "", r.stop()...),
			}
		})
		r.played("ADDED a 7", "SYNCED 9007199254740993", "MODIFIED a 99999999999999999999")
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
	for name, metadata := range map[string]string{"no version": `{}`, "an empty one": `{"resourceVersion":""}`, "null": `{"resourceVersion":null}`, "no metadata": `null`} {
		bubble(t, "a list with "+name+" cannot be watched, and no version is invented", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{on(list, replay.JSON(200, `{"kind":"ConfigMapList","metadata":`+metadata+`,"items":[`+item("a", "3")+`]}`)...)}
			})
			assert.Equal(t, []string{"ADDED a 3", "SYNCED"}, r.all())
			assert.ErrorIs(t, r.err, stream.ErrNoResourceVersion)
		})
	}
}

// What a server that went back in time sends is news, whatever its number.
func TestFailureB12ServerThatWentBackIsFoundOut(t *testing.T) {
	bubble(t, "a quiet stream of full length, and a list with a smaller version", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("1200", item("a", "1001"), item("b", "1100")),
				watchOf("1200", "", replay.Pause(time.Second), end),
				probe("1001"),
				listOf("1001", item("a", "1001")),
				watchOf("1001", "", r.stop()...),
			}
		}, func(w *stream.Watcher) { w.WatchTimeout = time.Second })
		var got []string
		var cause error
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil {
				got = append(got, line(ev))
			}
			if ev.Type == stream.Gap {
				cause = ev.Cause
			}
		}
		assert.Equal(t, []string{"ADDED a 1001", "ADDED b 1100", "SYNCED 1200", "GAP 1200",
			"MODIFIED a 1001", "DELETED b 1100 inferred", "SYNCED 1001"}, got)
		var back *stream.WentBackError
		require.ErrorAs(t, cause, &back)
		assert.Equal(t, stream.WentBackError{Had: "1200", Has: "1001"}, *back)
	})
	bubble(t, "a smaller version on the stream is delivered, and is where it goes on", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("1200", item("a", "900")),
				watchOf("1200", ev("MODIFIED", "a", "1001"), cut),
				watchOf("1001", "", r.stop()...),
			}
		})
		r.played("ADDED a 900", "SYNCED 1200", "MODIFIED a 1001")
	})
	bubble(t, "and so is the one of a bookmark", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("1200"), watchOf("1200", bm("1001"), cut), watchOf("1001", "", r.stop()...)}
		})
		r.played("SYNCED 1200")
	})
	for name, listOf := range map[string]func(rv string, items ...string) replay.Exchange{
		"version before the items": listOf,
		"version after the items": func(rv string, items ...string) replay.Exchange {
			body := `{"apiVersion":"v1","items":[` + strings.Join(items, ",") + `],"kind":"ConfigMapList","metadata":{"resourceVersion":"` + rv + `"}}`
			return on(list, replay.JSON(http.StatusOK, body)...)
		},
	} {
		bubble(t, "a relist that shows it, "+name, func(t *testing.T) {
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
