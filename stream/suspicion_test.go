package stream_test

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A server that has lost the resume point and does not say so.

// probe is a LIST with limit=1, answered with the server's own version.
func probe(rv string) replay.Exchange {
	return on(list.With("limit", "1"), replay.JSON(200, replay.ListPage(rv, "more", item("a", "3")))...)
}

func TestSuspicion(t *testing.T) {
	// What fails in the same way three times, and a fourth after the probe.
	for name, answer := range map[string][]replay.Step{
		"short empty streams": stream200("", end),
		"500":                 refused(500, "InternalError"),
		"504":                 refused(504, "Timeout"),
		"bad frames":          stream200("garbage\n", end),
		"ERROR of no code":    stream200(`{"type":"ERROR","object":{}}`+"\n", end),
	} {
		bad := on(watch("10"), answer...)
		bubble(t, name+": a probe, one more watch, then a gap", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", item("a", "3")),
					bad, bad, bad, probe("15"), bad,
					listOf("15", item("a", "3")),
					watchOf("15", "", r.stop()...),
				}
			})
			r.played("ADDED a 3", "SYNCED 10", "GAP 10", "SYNCED 15")
			pauses := r.gaps()
			assert.Greater(t, pauses[3], pauses[1], "backing off all the while")
		})
		bubble(t, name+": a probe that fails is an outage, and the version is kept", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				s := replay.Script{listOf("10", item("a", "3"))}
				for range 3 {
					s = append(s, bad, bad, bad, on(list.With("limit", "1"), refused(503, "")...))
				}
				return append(s, watchOf("10", "", r.stop()...))
			})
			r.played("ADDED a 3", "SYNCED 10")
		})
		bubble(t, name+": a probe that shows an older server is proof", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", item("a", "3")),
					bad, bad, bad, probe("7"),
					listOf("7", item("a", "3")),
					watchOf("7", "", r.stop()...),
				}
			})
			var cause error
			var got []string
			for ev, err := range r.w.Watch(r.ctx) {
				if err == nil {
					got = append(got, line(ev))
				}
				if ev.Type == stream.Gap {
					cause = ev.Cause
				}
			}
			assert.Equal(t, []string{"ADDED a 3", "SYNCED 10", "GAP 10", "MODIFIED a 3", "SYNCED 7"}, got)
			var back *stream.WentBackError
			require.ErrorAs(t, cause, &back)
			assert.Equal(t, stream.WentBackError{Had: "10", Has: "7"}, *back)
		})
	}
	bubble(t, "a bookmark on a short stream is progress, not suspicion", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"), watchOf("10", "", end), watchOf("10", "", end), watchOf("10", bm("11"), end),
				watchOf("11", "", end), watchOf("11", "", end), watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10")
	})
	bubble(t, "relists out of suspicion are few", func(t *testing.T) {
		lists := 0
		watchFake(t, 12*time.Hour, func(q url.Values) fakeAnswer {
			switch {
			case q.Get("watch") == "true":
				return fakeAnswer{} // a short watch, each time
			case q.Get("limit") == "1":
				return fakeAnswer{body: replay.ListPage("10", "more")}
			}
			lists++
			return fakeAnswer{body: replay.ListBody("10")}
		})
		assert.Less(t, lists, 18, "one in 5 min, doubling to one an hour")
		assert.Greater(t, lists, 8)
	})
	bubble(t, "a quiet stream of full length is looked into now and then", func(t *testing.T) {
		lists, probes := 0, 0
		watchFake(t, 12*time.Hour, func(q url.Values) fakeAnswer {
			switch {
			case q.Get("watch") == "true":
				seconds, err := strconv.Atoi(q.Get("timeoutSeconds"))
				assert.NoError(t, err)
				return fakeAnswer{hold: time.Duration(seconds) * time.Second}
			case q.Get("limit") == "1":
				probes++
				return fakeAnswer{body: replay.ListPage("10", "more")}
			}
			lists++
			return fakeAnswer{body: replay.ListBody("10")}
		})
		assert.Equal(t, 1, lists)
		assert.Less(t, probes, 25)
		assert.Greater(t, probes, 15)
	})
	bubble(t, "a quiet stream after one that was torn is looked into at once", func(t *testing.T) {
		torn, back := false, false // the server goes back when our stream is torn
		var resets int
		watchFake(t, 30*time.Minute, func(q url.Values) fakeAnswer {
			switch {
			case q.Get("watch") == "true" && q.Get("resourceVersion") == "3":
				return fakeAnswer{hold: 3 * time.Hour}
			case q.Get("watch") == "true" && torn && !back:
				back = true
				return fakeAnswer{body: `{"type":`}
			case q.Get("watch") == "true":
				seconds, err := strconv.Atoi(q.Get("timeoutSeconds"))
				assert.NoError(t, err)
				return fakeAnswer{hold: time.Duration(seconds) * time.Second}
			case q.Get("limit") == "1" && !back:
				torn = true
				return fakeAnswer{body: replay.ListPage("10", "more")}
			case q.Get("limit") == "1":
				resets++
				return fakeAnswer{body: replay.ListPage("3", "more")}
			case back:
				return fakeAnswer{body: replay.ListBody("3")}
			}
			return fakeAnswer{body: replay.ListBody("10")}
		})
		assert.Equal(t, 1, resets)
	})
	bubble(t, "who wants no relist gets no probe", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			bad := watchOf("10", "", end)
			return replay.Script{bad, bad, bad, bad, bad, watchOf("10", "", r.stop()...)}
		}, retryWatcher("10"))
		r.played()
	})
}

// fakeAnswer is a 200: body, a pause, and then the rest of the body.
type fakeAnswer struct {
	body string
	hold time.Duration
	then string
}

// fakeTransport answers each request by its query, for watches that make too
// many for a script.
type fakeTransport func(url.Values) fakeAnswer

func (f fakeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := f(r.URL.Query())
	body := io.MultiReader(strings.NewReader(answer.body), pause{r, answer.hold}, strings.NewReader(answer.then))
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{}, Request: r, Body: io.NopCloser(body)}, nil
}

// pause is a reader that waits, and is at its end.
type pause struct {
	r *http.Request
	d time.Duration
}

func (p pause) Read([]byte) (int, error) {
	select {
	case <-time.After(p.d):
		return 0, io.EOF
	case <-p.r.Context().Done():
		return 0, p.r.Context().Err()
	}
}

// watchFake watches a fakeTransport for d.
func watchFake(t *testing.T, d time.Duration, answer fakeTransport) {
	t.Helper()
	w := &stream.Watcher{
		Client: &http.Client{Transport: answer},
		Server: &url.URL{Scheme: "http", Host: "fake.test"},
		Target: target,
	}
	ctx, cancel := contextFor(t, d)
	defer cancel()
	for _, err := range w.Watch(ctx) {
		if err != nil {
			assert.ErrorIs(t, err, errScriptOver)
		}
	}
}
