package stream_test

import (
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The two published designs this one comes from, line by line, and the
// options that lead from one to the other.

// retryWatcher is client-go's RetryWatcher from a version.
func retryWatcher(version string) func(*stream.Watcher) {
	return func(w *stream.Watcher) {
		w.Policy = stream.RetryWatcher()
		w.Start, w.ResourceVersion = stream.StartExact, version
		w.Untracked = true
	}
}

func TestRetryWatcher(t *testing.T) {
	for _, version := range []string{"", "0"} {
		bubble(t, "refuses to start at "+version, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return nil }, retryWatcher(version))
			require.Empty(t, r.all())
			assert.ErrorAs(t, r.err, new(*stream.ConfigError))
		})
	}

	// In each case every answer is followed by a stream that stays open.
	type watches []struct {
		from   string
		answer []replay.Step
	}
	for _, tt := range []struct {
		name    string
		from    string
		watches watches
		want    []string
	}{
		{"recovers if the first request fails", "1", watches{{"1", []replay.Step{replay.Reset()}}, {"1", stream200(ev("ADDED", "a", "2"), end)}, {"2", nil}}, []string{"ADDED a 2"}},
		{"works from 1", "1", watches{{"1", stream200(ev("ADDED", "a", "2"))}}, []string{"ADDED a 2"}},
		{"none following", "3", watches{{"3", nil}}, nil},
		{"survives one closed watch", "5", watches{{"5", stream200(ev("ADDED", "a", "6"), end)}, {"6", nil}}, []string{"ADDED a 6"}},
		{"survives two, two items", "4", watches{{"4", stream200(ev("ADDED", "a", "5"), end)}, {"5", stream200(ev("ADDED", "b", "6"), end)}, {"6", nil}}, []string{"ADDED a 5", "ADDED b 6"}},
		{"versions with gaps between", "4", watches{{"4", stream200(ev("ADDED", "a", "5"), end)}, {"5", stream200(ev("ADDED", "b", "7"), end)}, {"7", nil}}, []string{"ADDED a 5", "ADDED b 7"}},
		{"four closed, spread", "4", watches{
			{"4", stream200(ev("ADDED", "a", "5"), end)}, {"5", stream200(ev("ADDED", "b", "6"), end)},
			{"6", stream200(ev("ADDED", "c", "7"), end)}, {"7", stream200(ev("ADDED", "d", "11"), end)}, {"11", nil},
		}, []string{"ADDED a 5", "ADDED b 6", "ADDED c 7", "ADDED d 11"}},
		{"two, two and one", "1", watches{
			{"1", stream200(ev("ADDED", "a", "2")+ev("ADDED", "b", "5"), end)},
			{"5", stream200(ev("ADDED", "c", "6")+ev("ADDED", "d", "7"), end)},
			{"7", stream200(ev("ADDED", "e", "11"))},
		}, []string{"ADDED a 2", "ADDED b 5", "ADDED c 6", "ADDED d 7", "ADDED e 11"}},
		{"recovers from a timeout error", "5", watches{{"5", stream200(ev("ADDED", "a", "6")+replay.ErrorEvent(504, "Timeout"), end)}, {"6", stream200(ev("ADDED", "b", "7"))}}, []string{"ADDED a 6", "ADDED b 7"}},
		{"recovers from an internal server error", "5", watches{{"5", stream200(ev("ADDED", "a", "6")+replay.ErrorEvent(500, "InternalError"), end)}, {"6", stream200(ev("ADDED", "b", "7"))}}, []string{"ADDED a 6", "ADDED b 7"}},
		{"recovers from an unexpected code", "5", watches{{"5", stream200(ev("ADDED", "a", "6")+replay.ErrorEvent(666, ""), end)}, {"6", stream200(ev("ADDED", "b", "7"))}}, []string{"ADDED a 6", "ADDED b 7"}},
		{"recovers from an ERROR of another type", "5", watches{{"5", stream200(ev("ADDED", "a", "6")+replay.EventOf("ERROR", item("x", "9")), end)}, {"6", stream200(ev("ADDED", "b", "7"))}}, []string{"ADDED a 6", "ADDED b 7"}},
		{"even from an ERROR that says forbidden", "5", watches{{"5", stream200(replay.ErrorEvent(403, "Forbidden"), end)}, {"5", stream200(ev("ADDED", "b", "7"))}}, []string{"ADDED b 7"}},
		{"bookmarks move the version and are not delivered", "5", watches{{"5", stream200(bm("9"), end)}, {"9", nil}}, nil},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				var s replay.Script
				for i, w := range tt.watches {
					answer := w.answer
					if answer == nil {
						answer = stream200("")
					}
					if i == len(tt.watches)-1 {
						answer = append(answer, r.stop()...)
					}
					s = append(s, on(watch(w.from), answer...))
				}
				return s
			}, retryWatcher(tt.from))
			r.played(tt.want...)
			for i, gap := range r.gaps() {
				assert.GreaterOrEqual(t, gap, time.Second, "before request %d", i+2)
			}
		})
	}

	bubble(t, "waits as an ERROR event says", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				watchOf("5", replay.EventOf("ERROR", replay.StatusRetry(500, "InternalError", 12)), end),
				watchOf("5", "", r.stop()...),
			}
		}, retryWatcher("5"))
		r.played()
		assert.GreaterOrEqual(t, r.gaps()[0], 12*time.Second)
	})

	for name, tt := range map[string]struct {
		answer []replay.Step
		want   []string
		check  func(t *testing.T, err error)
	}{
		"stops on 410, and nothing after it is delivered": {
			stream200(ev("ADDED", "a", "5")+ev("ADDED", "b", "6")+gone+ev("ADDED", "c", "7")+ev("ADDED", "d", "8"), end),
			[]string{"ADDED a 5", "ADDED b 6"},
			func(t *testing.T, err error) { assert.ErrorIs(t, err, status.ErrExpired) },
		},
		"stops on 410 of the request": {refused(410, "Expired"), nil,
			func(t *testing.T, err error) { assert.ErrorIs(t, err, status.ErrExpired) }},
		"stops on 403": {refused(403, "Forbidden"), nil,
			func(t *testing.T, err error) { assert.ErrorIs(t, err, status.ErrForbidden) }},
		"stops on 401": {refused(401, "Unauthorized"), nil,
			func(t *testing.T, err error) { assert.ErrorIs(t, err, status.ErrUnauthorized) }},
		"stops on an event without a version": {stream200(replay.EventOf("ADDED", `{"metadata":{"name":"a"}}`)), nil,
			func(t *testing.T, err error) { assert.ErrorAs(t, err, new(*stream.MissingVersionError)) }},
		"stops on an unknown event type": {stream200(ev("RENAMED", "a", "7")), nil,
			func(t *testing.T, err error) { assert.ErrorAs(t, err, new(*stream.UnknownEventError)) }},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script { return replay.Script{on(watch("4"), tt.answer...)} }, retryWatcher("4"))
			assert.Equal(t, tt.want, r.all())
			tt.check(t, r.err)
		})
	}
	bubble(t, "denied later, it stops at once too", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{watchOf("4", ev("ADDED", "a", "5"), end), on(watch("5"), refused(403, "Forbidden")...)}
		}, retryWatcher("4"))
		assert.Equal(t, []string{"ADDED a 5"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrForbidden)
	})
	bubble(t, "an expired watch stays expired", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{on(watch("4"), refused(410, "Gone")...)} }, retryWatcher("4"))
		require.Empty(t, r.all())
		require.Empty(t, r.all(), "and asks nothing")
		assert.ErrorIs(t, r.err, status.ErrExpired)
	})
	bubble(t, "a loop that is left early ends without a word", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{watchOf("1", ev("ADDED", "a", "2")+ev("ADDED", "b", "3"), replay.Hold())}
		}, retryWatcher("1"))
		assert.Equal(t, []string{"ADDED a 2"}, r.take(1))
		assert.NoError(t, r.err)
	})
}

func softRestart(w *stream.Watcher) { w.Policy = stream.SoftRestart() }

func TestSoftRestart(t *testing.T) {
	bubble(t, "lists, says so, watches", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11")+ev("ADDED", "b", "12"), r.stop()...)}
		}, softRestart)
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
	})
	bubble(t, "skips an unknown type and tells of it", func(t *testing.T) {
		told := 0
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11")+ev("UNKNOWN", "x", "12")+ev("ADDED", "b", "13"), r.stop()...)}
		}, softRestart)
		r.w.Trace.UnknownEvent = func(string, []byte) { told++ }
		r.played("SYNCED 10", "ADDED a 11", "ADDED b 13")
		assert.Equal(t, 1, told)
	})
	bubble(t, "410 lists again, with what the caller knows kept", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", gone, end),
				listOf("20", item("a", "9")),
				watchOf("20", "", r.stop()...),
			}
		}, softRestart)
		r.played("ADDED a 9", "SYNCED 10", "GAP 10", "SYNCED 20")
	})
	for name, event := range map[string]string{
		"666": replay.ErrorEvent(666, ""), "500": replay.ErrorEvent(500, "InternalError"),
		"429": replay.ErrorEvent(429, "TooManyRequests"), "null": `{"type":"ERROR","object":null}` + "\n",
	} {
		bubble(t, "any other ERROR fails the watch: "+name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11")+event, end)}
			}, softRestart)
			assert.Equal(t, []string{"SYNCED 10", "ADDED a 11"}, r.all())
			var answer *status.Error
			require.ErrorAs(t, r.err, &answer)
			assert.True(t, answer.Event)
		})
	}
	bubble(t, "a bookmark is where it reconnects", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("100"), watchOf("100", bm("200"), end), watchOf("200", ev("ADDED", "a", "201"), end), watchOf("201", "", r.stop()...),
			}
		}, softRestart)
		r.played("SYNCED 100", "ADDED a 201")
	})
}

func TestPersist(t *testing.T) {
	for name, code := range map[string]int{"400": 400, "401": 401, "403": 403, "404": 404, "405": 405, "422": 422} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				no := on(list, refused(code, "")...)
				return replay.Script{no, no, listOf("10"), watchOf("10", "", r.stop()...)}
			}, func(w *stream.Watcher) { w.Policy.Persist = true })
			r.played("SYNCED 10")
			for _, gap := range r.gaps()[:2] {
				assert.GreaterOrEqual(t, gap, 30*time.Second)
				assert.LessOrEqual(t, gap, time.Minute+time.Second)
			}
		})
	}
}

func TestFirstContact(t *testing.T) {
	bubble(t, "a library keeps trying a server that is not up yet", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{replay.Refuse(4), listOf("10"), watchOf("10", "", r.stop()...)}
		})
		r.played("SYNCED 10")
	})
	bubble(t, "a person wants to know at once", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return replay.Script{replay.Refuse(1)} },
			func(w *stream.Watcher) { w.Policy.OnFirstContact = stream.StopFirstContact })
		require.Empty(t, r.all())
		assert.ErrorContains(t, r.err, "refused")
	})
	bubble(t, "once it has answered, a refusal is an outage", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", "", cut), replay.Refuse(3), watchOf("10", "", r.stop()...)}
		}, func(w *stream.Watcher) { w.Policy.OnFirstContact = stream.StopFirstContact })
		r.played("SYNCED 10")
	})
}

func TestMaxReconnects(t *testing.T) {
	bubble(t, "counts failures in a row that back off, and progress forgives", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			down := func(rv string) replay.Exchange { return on(watch(rv), refused(503, "")...) }
			return replay.Script{
				listOf("10"), down("10"), down("10"),
				watchOf("10", ev("ADDED", "a", "11"), end),
				down("11"), down("11"), down("11"),
			}
		}, func(w *stream.Watcher) { w.Policy.MaxReconnects = 2 })
		assert.Equal(t, []string{"SYNCED 10", "ADDED a 11"}, r.all())
		assert.ErrorIs(t, r.err, stream.ErrMaxReconnects)
		assert.ErrorIs(t, r.err, status.ErrUnavailable)
		assert.NotContains(t, r.err.Error(), "\n")
	})
}
