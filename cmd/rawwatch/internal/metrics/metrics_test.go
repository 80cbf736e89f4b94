package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

var target = stream.Target{Version: "v1", Resource: "configmaps", Namespace: "t"}

// watched runs a watch over a script for d, with every page asked for at its
// end.
func watched(t *testing.T, script replay.Script, d, stale time.Duration, look func(e *Exporter)) {
	srv := replay.NewServer(t, script, replay.Options{})
	w := &stream.Watcher{Client: srv.Client(), Server: srv.URL(), Target: target, Rand: rand.New(rand.NewPCG(1, 2))}
	e := New(stale, &Source{Watcher: w, Target: target})
	over := errors.New("over")
	ctx, cancel := context.WithTimeoutCause(t.Context(), d, over)
	defer cancel()
	looked := make(chan struct{})
	go func() {
		defer close(looked)
		time.Sleep(d - time.Millisecond)
		look(e)
	}()
	for ev, err := range w.Watch(ctx) {
		if err != nil {
			assert.ErrorIs(t, err, over)
			break
		}
		e.See(ev)
	}
	<-looked
}

// page is what e answers to GET path.
func page(e *Exporter, path string) (int, string) {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// sample is the value of a metric, "" if it is not there.
func sample(text, name, labels string) string {
	head := "rawwatch_" + name + `{resource="configmaps",namespace="t"` + labels + "} "
	head = strings.Replace(head, "{", `{group="",`, 1)
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(line, head); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func TestMetricsOfAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		written := time.Now().Add(-90 * time.Second).UTC().Format(time.RFC3339)
		late := fmt.Sprintf(`{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"t","uid":"u-a","resourceVersion":"11","managedFields":[{"time":%q}]}}}`+"\n", written)
		watched(t, replay.Script{
			replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "8"), replay.Item("b", "9")))...),
			replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200),
				replay.Write(late), replay.Write(replay.Event("DELETED", "b", "12")), replay.Write(replay.Bookmark("13")), replay.Cut()),
			replay.On(replay.Watch(replay.ConfigMaps, "13"), replay.Respond(200), replay.Hold()),
		}, 5*time.Second, time.Minute, func(e *Exporter) {
			code, text := page(e, "/metrics")
			require.Equal(t, 200, code)
			for metric, want := range map[[2]string]string{
				{"events_total", `,type="ADDED"`}:    "2",
				{"events_total", `,type="MODIFIED"`}: "1",
				{"events_total", `,type="DELETED"`}:  "1",
				{"bookmarks_total", ""}:              "1",
				{"reconnects_total", ""}:             "1",
				{"relists_total", ""}:                "0",
				{"objects", ""}:                      "1",
				{"synced", ""}:                       "1",
				{"ended_requests_total", `,cause="BrokenStream",action="resume"`}: "1",
				{"lag_estimate_seconds", ""}:                                      "90",
				{"checkpoint_failed", ""}:                                         "0",
			} {
				assert.Equal(t, want, sample(text, metric[0], metric[1]), "%v in\n%s", metric, text)
			}
			assert.Equal(t, 1, strings.Count(text, "# TYPE rawwatch_events_total counter\n"), text)
			code, text = page(e, "/healthz")
			assert.Equal(t, 200, code, text)
		})
	})
}

func TestWaitingShowsForHowLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watched(t, replay.Script{
			replay.On(replay.List(replay.ConfigMaps), append([]replay.Step{replay.Respond(429, "Retry-After: 20")}, replay.Write("later"))...),
		}, 5*time.Second, time.Minute, func(e *Exporter) {
			_, text := page(e, "/metrics")
			assert.Equal(t, "1", sample(text, "phase", `,phase="waiting"`), text)
			assert.Equal(t, "0", sample(text, "phase", `,phase="watching"`))
			assert.Equal(t, "1", sample(text, "failures_in_a_row", ""))
			assert.Regexp(t, `^[1-9]`, sample(text, "wait_seconds", ""))
		})
	})
}

func TestHealth(t *testing.T) {
	list := replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10"))...)
	for name, tt := range map[string]struct {
		script replay.Script
		after  time.Duration
		stale  string // "" is healthy
	}{
		"silent within the bound": {replay.Script{list, replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Hold())}, 50 * time.Second, ""},
		"silent for longer":       {replay.Script{list, replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Hold())}, 70 * time.Second, "configmaps in namespace t: nothing from the server for 1m10s\n"},
		"refused each time":       {append(replay.Script{list}, refusals(7)...), 70 * time.Second, "configmaps in namespace t: nothing from the server for 1m10s: 503 Service Unavailable: too busy\n"},
		"a list that does not end": {replay.Script{replay.On(replay.List(replay.ConfigMaps), replay.Respond(200), replay.Write(`{"kind":"ConfigMapList","apiVersion":"v1",`),
			replay.Pause(40*time.Second), replay.Write(`"metadata":{"resourceVersion":"10"},`), replay.Pause(25*time.Second), replay.Write(`"items":[`), replay.Hold())},
			70 * time.Second, "configmaps in namespace t: what exists has not come whole for 1m10s\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				watched(t, tt.script, tt.after, time.Minute, func(e *Exporter) {
					code, text := page(e, "/healthz")
					if tt.stale == "" {
						assert.Equal(t, 200, code, text)
						assert.Equal(t, "ok\n", text)
						return
					}
					assert.Equal(t, 503, code)
					assert.Equal(t, tt.stale, text)
				})
			})
		})
	}
}

func refusals(n int) (script replay.Script) {
	for range n {
		script = append(script, replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.JSON(503, `{"kind":"Status","apiVersion":"v1","code":503,"message":"too busy"}`)...))
	}
	return script
}

func TestNothingElseIsServed(t *testing.T) {
	e := New(time.Minute)
	code, _ := page(e, "/")
	assert.Equal(t, 404, code)
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/metrics", nil))
	assert.Equal(t, 405, w.Code)
}

func TestAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"9090": "127.0.0.1:9090", ":9090": "127.0.0.1:9090", "0.0.0.0:9090": "0.0.0.0:9090",
		"[::1]:9090": "[::1]:9090", "localhost:0": "localhost:0",
	} {
		got, err := Address(addr)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, addr := range []string{"", "host", "1.2.3.4", "a:b:c"} {
		_, err := Address(addr)
		assert.Error(t, err, addr)
	}
}

func TestServeOverTCP(t *testing.T) {
	s, err := Serve("127.0.0.1:0", New(time.Minute))
	require.NoError(t, err)
	resp, err := http.Get("http://" + s.Addr + "/healthz")
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	require.NoError(t, err)
	assert.Equal(t, "ok\n", string(body))
	_, err = Serve(s.Addr, New(time.Minute))
	assert.Error(t, err, "the port is taken")
	s.Close()
	_, err = http.Get("http://" + s.Addr + "/healthz")
	assert.Error(t, err)
}

func TestLabelsAreEscaped(t *testing.T) {
	assert.Equal(t, `a="x\"y\\z\n"`, labels("a", "x\"y\\z\n"))
	odd := stream.Target{Resource: "a\"b\\c}\nd{,=é\x1b", Version: "v1"}
	code, text := page(New(time.Minute, &Source{Watcher: new(stream.Watcher), Target: odd}), "/metrics")
	assert.Equal(t, 200, code)
	assert.Contains(t, text, `resource="a\"b\\c}\nd{,=é`)
}

// The lag is that of the object, in the row of a Table too; but what a custom
// resource calls rows is its own.
func TestTheLagIsThatOfTheObject(t *testing.T) {
	now := time.Date(2026, 12, 1, 0, 1, 0, 0, time.UTC)
	for object, want := range map[string]time.Duration{
		`{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":[],"object":{"metadata":{"creationTimestamp":"2026-12-01T00:00:30Z"}}}]}`:                                    30 * time.Second,
		`{"kind":"Sheet","apiVersion":"x/v1","metadata":{"creationTimestamp":"2026-12-01T00:00:50Z"},"rows":[{"object":{"metadata":{"creationTimestamp":"2026-12-01T00:00:00Z"}}}]}`: 10 * time.Second,
	} {
		var l lag
		l.see(stream.Event{Type: stream.Synced}, now)
		ev := stream.Event{Type: stream.Modified, Object: []byte(object)}
		if strings.Contains(object, "Table") {
			ev.Kind, ev.APIVersion = "Table", "meta.k8s.io/v1"
		}
		l.see(ev, now)
		got, known := l.last()
		assert.True(t, known)
		assert.Equal(t, want, got)
	}
}

// Somebody reads /healthz with curl, at a terminal.
func TestHealthIsEscaped(t *testing.T) {
	e := New(time.Minute, &Source{Watcher: new(stream.Watcher), Target: stream.Target{Resource: "\x1b[2J"}})
	e.began = time.Now().Add(-time.Hour)
	code, text := page(e, "/healthz")
	assert.Equal(t, 503, code)
	assert.Contains(t, text, `\x1b[2J`)
	assert.NotContains(t, text, "\x1b")
}
