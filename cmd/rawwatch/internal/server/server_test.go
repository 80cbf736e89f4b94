package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const cm = replay.ConfigMaps

// script is a list of two pages, a watch with a bookmark in it, a loss of
// history, another list, and a watch with selector.
func script() replay.Script {
	page := replay.Request{Path: cm, Query: map[string]string{"watch": "", "resourceVersion": "", "continue": "more"}}
	return replay.Script{
		replay.On(replay.Request{Path: "/api"}, replay.JSON(200, "{}")...),
		replay.On(replay.List(cm), replay.JSON(200, replay.ListPage("10", "more", replay.Item("a", "8")))...),
		replay.On(page, replay.JSON(200, replay.ListBody("10", replay.Item("b", "9")))...),
		replay.On(replay.Watch(cm, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "c", "11")), replay.Write(replay.Bookmark("12"))),
		replay.Refuse(2),
		replay.On(replay.Watch(cm, "12"), replay.JSON(410, replay.StatusBody(410, "Expired"))...),
		replay.On(replay.List(cm), replay.JSON(200, replay.ListBody("20"))...),
		replay.On(replay.Watch(cm, "20").With("labelSelector", "app=web"), replay.Respond(200), replay.Write(replay.Event("ADDED", "d", "21"))),
	}
}

// ask sends one request and returns what came, in the order of the lines.
func ask(t *testing.T, h http.Handler, method, url string) (status int, body string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, url, nil))
	return w.Code, w.Body.String()
}

func TestWhatARequestGets(t *testing.T) {
	const (
		first  = `"name":"a"`
		second = `"name":"b"`
		last   = `"resourceVersion":"20"},"items":[]`
	)
	for _, tt := range []struct {
		name string
		asks []string // "METHOD URL"
		want []string // of each: the status, and a part of the body
	}{
		{"in order", []string{"GET " + cm, "GET " + cm + "?continue=more", "GET " + cm + "?watch=true&resourceVersion=10", "GET " + cm + "?watch=true&resourceVersion=12", "GET " + cm},
			[]string{"200 " + first, "200 " + second, `200 "name":"c"`, `410 "Expired"`, "200 " + last}},
		{"limits, timeouts and views are free", []string{"GET " + cm + "?limit=3&timeoutSeconds=7&pretty=false"}, []string{"200 " + first}},
		{"an informer lists at version 0", []string{"GET " + cm + "?resourceVersion=0&limit=500"}, []string{"200 " + first}},
		{"who begins again gets it from the beginning", []string{"GET " + cm, "GET " + cm, "GET " + cm, "GET " + cm + "?watch=1&resourceVersion=10"},
			[]string{"200 " + first, "200 " + last, "200 " + first, `200 "name":"c"`}},
		{"a watch again", []string{"GET " + cm + "?watch=1&resourceVersion=10", "GET " + cm + "?watch=1&resourceVersion=10"}, []string{`200 "name":"c"`, `200 "name":"c"`}},
		{"a watch from anywhere", []string{"GET " + cm + "?watch=true"}, []string{`200 "name":"c"`}},
		{"a streaming list that was not recorded", []string{"GET " + cm + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"}, []string{`422 "reason":"Invalid"`}},
		{"a page that was not recorded", []string{"GET " + cm + "?continue=other"}, []string{`410 "Expired"`}},
		{"a selector that was", []string{"GET " + cm + "?watch=true&resourceVersion=20&labelSelector=app%3Dweb"}, []string{`200 "name":"d"`}},
		{"and one that was not", []string{"GET " + cm + "?labelSelector=app%3Ddb"}, []string{"404 it has: " + cm + " " + cm + "?labelSelector=app%3Dweb"}},
		{"something else", []string{"GET /api/v1/pods", "GET /openapi/v3"}, []string{"404 NotFound", "404 NotFound"}},
		{"a list before a watch that was recorded alone", []string{"GET " + cm + "?labelSelector=app%3Dweb", "GET " + cm + "?watch=true&resourceVersion=20&labelSelector=app%3Dweb"},
			[]string{`200 "metadata":{"resourceVersion":"20"},"items":[]`, `200 "name":"d"`}},
		{"discovery", []string{"GET /api/v1", "GET /version"}, []string{`200 "name":"configmaps"`, `200 "gitVersion"`}},
		{"writes", []string{"POST " + cm, "DELETE " + cm + "/a", "PATCH /api"}, []string{"405 read-only", "405 read-only", "405 read-only"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := New(script())
			for i, request := range tt.asks {
				method, url, _ := strings.Cut(request, " ")
				status, body := ask(t, s, method, url)
				want, part, _ := strings.Cut(tt.want[i], " ")
				assert.Equal(t, want, fmt.Sprint(status), request)
				assert.Contains(t, body, part, request)
			}
		})
	}
}

func TestBookmarksAreForThoseWhoAsk(t *testing.T) {
	const watch = cm + "?watch=true&resourceVersion=10"
	_, with := ask(t, New(script()), "GET", watch+"&allowWatchBookmarks=true")
	assert.Equal(t, replay.Event("ADDED", "c", "11")+replay.Bookmark("12"), with)
	_, without := ask(t, New(script()), "GET", watch)
	assert.Equal(t, replay.Event("ADDED", "c", "11"), without)

	// Also when it was recorded in pieces.
	bookmark := replay.Bookmark("12")
	s := New(replay.Script{replay.On(replay.Watch(cm, "10"), replay.Respond(200),
		replay.Write(bookmark[:30]), replay.Write(bookmark[30:]), replay.Write(replay.Event("ADDED", "c", "13")))})
	_, without = ask(t, s, "GET", watch)
	assert.Equal(t, replay.Event("ADDED", "c", "13"), without)
}

func TestAfterTheEndThereIsSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		status, body := ask(t, New(script()), "GET", cm+"?watch=true&resourceVersion=99&timeoutSeconds=300")
		assert.Equal(t, 200, status)
		assert.Empty(t, body)
		assert.Equal(t, 300*time.Second, time.Since(began), "for as long as it was asked for")

		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		began = time.Now()
		r := httptest.NewRequestWithContext(ctx, "GET", cm+"?watch=true&resourceVersion=99", nil)
		New(script()).ServeHTTP(httptest.NewRecorder(), r)
		assert.Equal(t, time.Hour, time.Since(began), "or until the client leaves")
	})
}

func TestEveryRequestIsLogged(t *testing.T) {
	var log []string
	s := New(script())
	s.Log = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	ask(t, s, "GET", cm+"?limit=500")
	ask(t, s, "POST", cm)
	ask(t, s, "GET", "/api/v1/pods")
	assert.Equal(t, []string{
		"GET " + cm + "?limit=500: exchange 1 of 6",
		"POST " + cm + ": 405, a recording is read-only",
		"GET /api/v1/pods: 404, it is not in the recording",
	}, log)
}

// opener opens a text as a recording, as often as it is asked to.
func opener(text string) func() (*replay.Reader, error) {
	return func() (*replay.Reader, error) { return replay.NewReader(strings.NewReader(text)) }
}

func TestARecordingWithoutRequestsCanBeAskedFor(t *testing.T) {
	events := replay.Event("ADDED", "a", "7") + replay.Event("MODIFIED", "a", "8")
	s, err := Load(opener(events), 0, nil)
	require.NoError(t, err)
	for range 2 { // the second client begins, too
		for _, path := range []string{"/api/v1/configmaps", "/api/v1/namespaces/t/configmaps", "/api/v1/namespaces/u/configmaps"} {
			_, list := ask(t, s, "GET", path)
			assert.JSONEq(t, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`, list, path)
			_, got := ask(t, s, "GET", path+"?watch=true&resourceVersion=1")
			assert.Equal(t, events, got, path)
		}
	}

	dump, err := os.ReadFile("../../../../testdata/recordings/list-widgets.http")
	require.NoError(t, err)
	s, err = Load(opener(string(dump)), 0, nil)
	require.NoError(t, err)
	status, body := ask(t, s, "GET", "/apis/demo.example.com/v1/namespaces/t/widgets")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, "WidgetList")
}

func TestTheKubeconfigIsOne(t *testing.T) {
	for _, tt := range []struct{ path, namespace string }{
		{cm, "t"},
		{"/api/v1/configmaps", "default"},
	} {
		s := New(replay.Script{replay.On(replay.List(tt.path), replay.JSON(200, replay.ListBody("10"))...)})
		file := t.TempDir() + "/config"
		require.NoError(t, os.WriteFile(file, []byte(s.Kubeconfig("http://127.0.0.1:1234")), 0o600))
		config, err := kubeconfig.Load(kubeconfig.Options{Path: file})
		require.NoError(t, err)
		assert.Equal(t, "http://127.0.0.1:1234", config.Server.String())
		assert.Equal(t, tt.namespace, config.Namespace)
	}
}
