package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/decode"
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
		{"who begins again gets it from the beginning", []string{"GET " + cm, "GET " + cm, "GET " + cm + "?watch=1&resourceVersion=12", "GET " + cm, "GET " + cm, "GET " + cm + "?watch=1&resourceVersion=10"},
			[]string{"200 " + first, "200 " + first, `410 "Expired"`, "200 " + last, "200 " + first, `200 "name":"c"`}},
		{"a watch again", []string{"GET " + cm + "?watch=1&resourceVersion=10", "GET " + cm + "?watch=1&resourceVersion=10"}, []string{`200 "name":"c"`, `200 "name":"c"`}},
		{"a watch from anywhere", []string{"GET " + cm + "?watch=true"}, []string{`200 "name":"c"`}},
		{"a streaming list of what was not listed", []string{"GET " + cm + "?watch=true&sendInitialEvents=true&labelSelector=app%3Dweb"}, []string{`422 "reason":"Invalid"`}},
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

// bookmarked is the query of a streaming list, as client-go sends it.
const bookmarked = "?allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&watch=true"

// end is the bookmark that is made here.
func end(version string) string {
	return `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"` + version + `","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"
}

func TestAListIsServedAsAStream(t *testing.T) {
	event := replay.Event
	synctest.Test(t, func(t *testing.T) {
		s := New(script())
		_, body := ask(t, s, "GET", cm+bookmarked)
		assert.Equal(t, event("ADDED", "a", "8")+event("ADDED", "b", "9")+end("10")+event("ADDED", "c", "11")+replay.Bookmark("12"), body,
			"the pages in one, and the watch behind them")
		_, body = ask(t, s, "GET", cm+"?allowWatchBookmarks=true&watch=true&resourceVersion=12")
		assert.Contains(t, body, "Expired")
		// The list after the loss; nothing was recorded behind it.
		_, body = ask(t, s, "GET", cm+bookmarked+"&resourceVersion=12&timeoutSeconds=60")
		assert.Equal(t, end("20"), body)
		// And from the beginning again. kubectl get NAME -w wants no bookmark.
		_, body = ask(t, s, "GET", cm+"?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Db")
		assert.Equal(t, event("ADDED", "b", "9"), body)
	})
}

func TestARefusedWatchBehindAListIsAnEvent(t *testing.T) {
	s := New(replay.Script{
		replay.On(replay.List(cm), replay.JSON(200, replay.ListBody("10", replay.Item("a", "8")))...),
		replay.On(replay.Watch(cm, "10"), replay.JSON(410, replay.StatusBody(410, "Expired")+"\n")...),
	})
	status, body := ask(t, s, "GET", cm+bookmarked)
	assert.Equal(t, 200, status)
	assert.Equal(t, replay.Event("ADDED", "a", "8")+end("10")+replay.ErrorEvent(410, "Expired"), body)
}

// A list that was recorded after a watch comes when a watch is over, and not
// to the next client, while the first one is still watching.
func TestWhenAListIsOver(t *testing.T) {
	watch := replay.Watch(cm, "10")
	after := func(steps ...replay.Step) []replay.Step {
		return append([]replay.Step{replay.Respond(200), replay.Write(replay.Event("ADDED", "a", "11"))}, steps...)
	}
	for _, tt := range []struct {
		name string
		end  []replay.Step
		over bool
	}{
		{"a clean end", after(replay.End()), true},
		{"broken off", after(replay.Cut()), true},
		{"an ERROR event, at which the client leaves", after(replay.Write(replay.ErrorEvent(410, "Expired")), replay.Hold()), true},
		{"a refusal, at which the client leaves", []replay.Step{replay.Respond(410), replay.Write(replay.StatusBody(410, "Expired") + "\n"), replay.Hold()}, true},
		{"the client leaves", after(replay.Hold()), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(New(replay.Script{
				replay.On(replay.List(cm), replay.JSON(200, replay.ListBody("10"))...),
				replay.On(watch, tt.end...),
				replay.On(replay.List(cm), replay.JSON(200, replay.ListBody("20"))...),
			}))
			defer server.Close()
			version := func() string {
				resp, err := server.Client().Get(server.URL + cm)
				require.NoError(t, err)
				defer resp.Body.Close()
				list := decode.NewListReader(resp.Body, 0)
				_, err = list.Next()
				require.Equal(t, io.EOF, err)
				return list.Header().ResourceVersion
			}
			assert.Equal(t, "10", version())
			assert.Equal(t, "10", version(), "nobody has watched")
			resp, err := server.Client().Get(server.URL + cm + "?watch=true&resourceVersion=10")
			require.NoError(t, err)
			lines := bufio.NewReader(resp.Body)
			for line := ""; err == nil && !strings.Contains(line, "ERROR") && resp.StatusCode == 200; {
				line, err = lines.ReadString('\n')
				if !tt.over {
					break
				}
			}
			resp.Body.Close()
			want := "10"
			if tt.over {
				want = "20"
			}
			assert.Equal(t, want, version())
		})
	}
}

func TestAListThatFailsFailsAsAStreamToo(t *testing.T) {
	list := replay.List(cm)
	s := New(replay.Script{
		replay.On(list, replay.JSON(403, replay.StatusBody(403, "Forbidden"))...),
		replay.On(list, replay.Respond(200), replay.Write(`{"kind":"ConfigMapList","items":[`), replay.Cut()),
		replay.On(list, replay.JSON(200, replay.ListPage("10", "more", replay.Item("a", "8")))...),
	})
	status, body := ask(t, s, "GET", cm+bookmarked)
	assert.Equal(t, 403, status)
	assert.Contains(t, body, "Forbidden")
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { ask(t, s, "GET", cm+bookmarked) }, "broken off")
	status, _ = ask(t, s, "GET", cm+bookmarked)
	assert.Equal(t, 410, status, "the next page was not recorded")
}

// client-go lists again, from the version that it knows, when a watch ended
// within a second and had no event.
func TestWhoListsAgainGoesOn(t *testing.T) {
	s := New(replay.Script{
		replay.On(replay.List(cm), replay.JSON(200, replay.ListBody("10", replay.Item("a", "8")))...),
		replay.On(replay.Watch(cm, "10"), replay.Respond(200)),
		replay.On(replay.Watch(cm, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "b", "11"))),
	})
	listed := replay.Event("ADDED", "a", "8") + end("10")
	_, body := ask(t, s, "GET", cm+bookmarked)
	assert.Equal(t, listed, body)
	_, body = ask(t, s, "GET", cm+bookmarked+"&resourceVersion=10")
	assert.Equal(t, listed+replay.Event("ADDED", "b", "11"), body)
	_, body = ask(t, s, "GET", cm+"?resourceVersion=0")
	assert.Contains(t, body, `"name":"a"`)
	_, body = ask(t, s, "GET", cm+"?watch=true&resourceVersion=10")
	assert.Empty(t, body, "and this one has begun")
	_, body = ask(t, s, "GET", cm+"?resourceVersion=10")
	assert.Contains(t, body, `"name":"a"`)
	_, body = ask(t, s, "GET", cm+"?watch=true&resourceVersion=10")
	assert.Equal(t, replay.Event("ADDED", "b", "11"), body)
}

// streaming is a streaming list with events behind it.
func streaming(steps ...replay.Step) replay.Script {
	q := replay.Request{Path: cm, Query: map[string]string{"watch": "true", "sendInitialEvents": "true", "resourceVersion": ""}}
	return replay.Script{replay.On(q, append([]replay.Step{replay.Respond(200)}, steps...)...)}
}

func TestAStreamIsServedAsAList(t *testing.T) {
	event, write := replay.Event, replay.Write
	s := New(streaming(
		write(event("ADDED", "a", "8")), write(event("ADDED", "b", "9")+replay.InitialEventsEnd("10")), write(event("MODIFIED", "a", "11")[:30]), write(event("MODIFIED", "a", "11")[30:])))
	for range 2 { // the second client begins, too
		_, list := ask(t, s, "GET", cm+"?limit=500&resourceVersion=0")
		assert.JSONEq(t, replay.ListBody("10", replay.Item("a", "8"), replay.Item("b", "9")), list)
		_, body := ask(t, s, "GET", cm+"?watch=true&resourceVersion=10")
		assert.Equal(t, event("MODIFIED", "a", "11"), body)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, body := ask(t, s, "GET", cm+"?watch=true&resourceVersion=10&timeoutSeconds=7")
		assert.Empty(t, body, "it does not come again and again")
		assert.Equal(t, 7*time.Second, time.Since(began))
	})
	_, body := ask(t, s, "GET", cm+bookmarked)
	assert.Equal(t, event("ADDED", "a", "8")+event("ADDED", "b", "9")+replay.InitialEventsEnd("10")+event("MODIFIED", "a", "11"), body, "as it was recorded")
}

func TestAStreamThatWasCutIsNoList(t *testing.T) {
	s := New(streaming(replay.Write(replay.Event("ADDED", "a", "8"))))
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { ask(t, s, "GET", cm) })
	refusal := "{\n" + replay.StatusBody(422, "Invalid")[1:] + "\n"
	refused := New(replay.Script{replay.On(streaming()[0].Request, replay.JSON(422, refusal)...)})
	status, body := ask(t, refused, "GET", cm)
	assert.Equal(t, 422, status)
	assert.Equal(t, refusal, body, "its lines are no events")
}

// everywhere is a list and a watch of all namespaces.
func everywhere() string {
	item := func(namespace, name string) string {
		return `{"metadata":{"name":"` + name + `","namespace":"` + namespace + `","resourceVersion":"8"}}`
	}
	object := func(namespace, name, rv string) string {
		return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"` + name + `","namespace":"` + namespace + `","resourceVersion":"` + rv + `"}}`
	}
	return `{"rwr":1}
{"c":1,"t":"req","method":"GET","url":"/api/v1/configmaps?limit=500"}
{"c":1,"t":"res","status":200}
{"c":1,"t":"body","json":` + replay.ListBody("10", item("t", "a"), item("u", "a"), item("u", "b")) + `}
{"c":1,"t":"end","why":"eof"}
{"c":2,"t":"req","method":"GET","url":"/api/v1/configmaps?watch=true&resourceVersion=10"}
{"c":2,"t":"res","status":200}
{"c":2,"t":"ev","ev":` + strings.TrimSpace(replay.EventOf("MODIFIED", object("t", "a", "11"))) + `}
{"c":2,"t":"ev","ev":` + strings.TrimSpace(replay.EventOf("ADDED", object("u", "new", "12"))) + `}
{"c":2,"t":"raw","text":"{\"type\":\"DEL"}
{"c":2,"t":"end","why":"unexpected-eof"}
`
}

func TestAPartOfACollection(t *testing.T) {
	s, err := Load(opener(everywhere()), 0, nil)
	require.NoError(t, err)
	server := httptest.NewServer(s)
	defer server.Close()
	for _, tt := range []struct {
		list, watch string // queries, after the collection
		want        string // namespace/name of items, of events, and what comes at the end
	}{
		{"/api/v1/configmaps", "?", "t/a u/a u/b | t/a u/new torn"},
		{"/api/v1/namespaces/t/configmaps", "?", "t/a | t/a torn"},
		{"/api/v1/namespaces/u/configmaps", "?", "u/a u/b | u/new torn"},
		{"/api/v1/namespaces/u/configmaps", "?fieldSelector=metadata.name%3Db&", "u/b | torn"},
		{"/api/v1/configmaps", "?fieldSelector=metadata.name%3Da&", "t/a u/a | t/a torn"},
		{"/api/v1/namespaces/none/configmaps", "?", " | torn"},
	} {
		t.Run(tt.list+tt.watch, func(t *testing.T) {
			get := func(url string) string {
				resp, err := server.Client().Get(server.URL + url)
				require.NoError(t, err)
				defer resp.Body.Close()
				assert.Equal(t, 200, resp.StatusCode)
				b, _ := io.ReadAll(resp.Body) // the watch is torn
				return string(b)
			}
			var got []string
			items := decode.NewListReader(strings.NewReader(get(tt.list+tt.watch)), 0)
			for item, err := items.Next(); err != io.EOF; item, err = items.Next() {
				require.NoError(t, err)
				got = append(got, string(item.Namespace)+"/"+string(item.Name))
			}
			assert.Equal(t, "10", items.Header().ResourceVersion)
			what := strings.Join(got, " ") + " |"
			for line := range strings.Lines(get(tt.list + tt.watch + "watch=true&resourceVersion=10")) {
				var ev decode.Event
				if decode.ScanEvent([]byte(line), &ev) == nil {
					what += " " + string(ev.Namespace) + "/" + string(ev.Name)
				} else if line == `{"type":"DEL` {
					what += " torn"
				}
			}
			assert.Equal(t, tt.want, what)
			s.rewind()
		})
	}
}

// about is a recording of two events, about a Pod and a Node of the same name.
func about() string {
	event := func(name, kind, uid string) string {
		return `{"metadata":{"name":"` + name + `","namespace":"t","resourceVersion":"8"},"involvedObject":{"kind":"` + kind + `","name":"x","uid":"` + uid + `"}}`
	}
	return `{"rwr":1}
{"c":1,"t":"req","method":"GET","url":"/api/v1/events?limit=500"}
{"c":1,"t":"res","status":200}
{"c":1,"t":"body","json":{"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[` + event("of-pod", "Pod", "u1") + "," + event("of-node", "Node", "u2") + `]}}
{"c":1,"t":"end","why":"eof"}
`
}

// kubectl describe asks for the events about an object, and fails if it gets
// anything but a list.
func TestEventsAboutAnObject(t *testing.T) {
	const path, events = "/api/v1/namespaces/t/events?limit=500&fieldSelector=", `{"kind":"EventList","apiVersion":"v1","metadata":{"resourceVersion":`
	recorded, err := Load(opener(about()), 0, nil)
	require.NoError(t, err)
	for _, tt := range []struct {
		name, selector string
		want           []string
	}{
		{"by kind", "involvedObject.name=x,involvedObject.kind=Pod", []string{"of-pod"}},
		{"by uid", "involvedObject.uid=u2", []string{"of-node"}},
		{"by name alone", "involvedObject.name=x", []string{"of-pod", "of-node"}},
		{"by what they do not have", "involvedObject.name=x,involvedObject.fieldPath=", []string{"of-pod", "of-node"}},
		{"none", "involvedObject.name=x,involvedObject.kind=Secret", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, body := ask(t, recorded, "GET", path+url.QueryEscape(tt.selector))
			require.Equal(t, 200, status, body)
			var got []string
			items := decode.NewListReader(strings.NewReader(body), 0)
			for item, err := items.Next(); err != io.EOF; item, err = items.Next() {
				require.NoError(t, err)
				got = append(got, string(item.Name))
			}
			assert.Equal(t, tt.want, got)
		})
	}
	for _, selector := range []string{"involvedObject.name!=x", "involvedObject.name==x", "type=Normal,involvedObject.name=x", `involvedObject.name=a\,b`, "metadata.name=x,involvedObject.name=x"} {
		status, body := ask(t, recorded, "GET", path+url.QueryEscape(selector))
		assert.Equal(t, 404, status, "a server has to read it: %s", body)
	}

	status, body := ask(t, New(script()), "GET", path+"involvedObject.name%3Dx")
	assert.Equal(t, 200, status)
	assert.JSONEq(t, events+`"1"},"items":[]}`, body, "none were recorded")
	status, _ = ask(t, New(script()), "GET", "/api/v1/namespaces/t/events")
	assert.Equal(t, 404, status, "who asks for all of them has to know")
	for _, other := range []string{path + "involvedObject.name%3Dx&watch=true", strings.Replace(path, "/api/v1", "/apis/events.k8s.io/v1", 1) + "involvedObject.name%3Dx"} {
		status, _ = ask(t, New(script()), "GET", other)
		assert.Equal(t, 404, status, "nobody needs it: %s", other)
	}
}

func TestMetadataAlone(t *testing.T) {
	get := func(s *Server, url, view string) string {
		r := httptest.NewRequestWithContext(t.Context(), "GET", url, nil)
		r.Header.Set("Accept", "application/json;as="+view+";v=v1;g=meta.k8s.io,application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Equal(t, 200, w.Code)
		return w.Body.String()
	}
	s, err := Load(opener(everywhere()), 0, nil)
	require.NoError(t, err)
	meta := func(namespace, name, rv string) string {
		return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"` + name + `","namespace":"` + namespace + `","resourceVersion":"` + rv + `"}}`
	}
	list := `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"items":[`
	assert.Equal(t, list+meta("t", "a", "8")+","+meta("u", "a", "8")+","+meta("u", "b", "8")+"]}\n", get(s, "/api/v1/configmaps", "PartialObjectMetadataList"))
	assert.Equal(t, list+meta("u", "b", "8")+"]}\n", get(s, "/api/v1/namespaces/u/configmaps?fieldSelector=metadata.name%3Db", "PartialObjectMetadataList"))
	assert.Equal(t, meta("u", "b", "8")+"\n", get(s, "/api/v1/namespaces/u/configmaps/b", "PartialObjectMetadata"))
	event := replay.EventOf
	s = New(script())
	streamed := strings.SplitAfter(get(s, cm+bookmarked, "PartialObjectMetadata"), "\n")
	assert.Equal(t, event("ADDED", meta("t", "a", "8")), strings.Replace(streamed[0], `"uid":"u-a",`, "", 1))
	s.rewind()
	assert.Equal(t, event("BOOKMARK", `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"12","creationTimestamp":null}}`),
		strings.SplitAfter(get(s, cm+"?watch=true&allowWatchBookmarks=true&resourceVersion=10", "PartialObjectMetadata"), "\n")[1])
	s.rewind()
	assert.Contains(t, get(s, cm, "Table"), `"kind":"ConfigMap"`, "a Table is not made")
	table := New(replay.Script{replay.On(replay.Watch(cm, "10"), replay.Respond(200), replay.Write(event("ADDED", `{"kind":"Table","metadata":{}}`)))})
	assert.Equal(t, event("ADDED", `{"kind":"Table","metadata":{}}`), get(table, cm+"?watch=true&resourceVersion=10", "PartialObjectMetadata"), "nor taken apart")
}

func TestAPartOfWhatWasBrokenOffIsBrokenOff(t *testing.T) {
	s := New(replay.Script{replay.On(replay.List("/api/v1/configmaps"), replay.Respond(200), replay.Write(replay.ListBody("10", replay.Item("a", "8"))), replay.Cut())})
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { ask(t, s, "GET", cm) })
}

func TestOneObjectByItsName(t *testing.T) {
	s, err := Load(opener(everywhere()), 0, nil)
	require.NoError(t, err)
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{"/api/v1/namespaces/u/configmaps/a", 200, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"u","resourceVersion":"8"}}`},
		{"/api/v1/namespaces/u/configmaps/new", 200, `"name":"new","namespace":"u","resourceVersion":"12"`},
		{"/api/v1/namespaces/t/configmaps/b", 404, `"message":"configmaps \"b\" not found","reason":"NotFound","details":{"name":"b","group":"","kind":"configmaps"},"code":404`},
		{"/api/v1/namespaces/t/configmaps/%62", 404, `configmaps \"b\" not found`},
		{"/api/v1/namespaces/t/pods/a", 404, "the recording has nothing like this"},
		{"/api/v1/namespaces/t/configmaps/a/status", 404, "the recording has nothing like this"},
		{"/api/v1/configmaps/", 404, "the recording has nothing like this"},
		{"/", 404, "the recording has nothing like this"},
	} {
		status, body := ask(t, s, "GET", tt.path)
		assert.Equal(t, tt.status, status, tt.path)
		assert.Contains(t, body, tt.want, tt.path)
	}
	// Of a namespace's collection, too, and for who asks for all namespaces.
	file, err := os.ReadFile("../../../../testdata/replay/list-watch-cut.rwr")
	require.NoError(t, err)
	s, err = Load(opener(string(file)), 0, nil)
	require.NoError(t, err)
	status, body := ask(t, s, "GET", cm+"/b")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"name":"b"`)
	_, list := ask(t, s, "GET", "/api/v1/configmaps")
	assert.Contains(t, list, `"name":"a"`)
	// Whether a namespace is there is asked for after an object was not.
	status, body = ask(t, s, "GET", "/api/v1/namespaces/t")
	assert.Equal(t, 200, status)
	assert.Contains(t, body, `"kind":"Namespace"`)
	status, body = ask(t, s, "GET", "/api/v1/namespaces/u")
	assert.Equal(t, 404, status)
	assert.Contains(t, body, `namespaces \"u\" not found`)
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

// A stream that is compressed is passed on as it comes: nobody could say where
// a line in it ends.
func TestACompressedWatchIsNotHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		packed := replay.Gzip(replay.Event("ADDED", "c", "11"))
		s := New(replay.Script{replay.On(replay.Watch(cm, "10"), replay.Respond(200, "Content-Encoding: gzip"), replay.Write(packed), replay.Hold())})
		ctx, cancel := context.WithCancel(t.Context())
		w := httptest.NewRecorder()
		go s.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", cm+"?watch=true&resourceVersion=10", nil))
		synctest.Wait()
		assert.Equal(t, packed, w.Body.String())
		cancel()
	})
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

		began = time.Now()
		r = httptest.NewRequestWithContext(ctx, "GET", cm+"?watch=true&resourceVersion=99&timeoutSeconds=9223372037", nil)
		ctx, cancel = context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		New(script()).ServeHTTP(httptest.NewRecorder(), r.WithContext(ctx))
		assert.Equal(t, time.Hour, time.Since(began), "also if it asks for longer than there are numbers")
	})
}

// A client that resumes where the recording ends has seen all of it: its last
// watch does not come again and again.
func TestTheLastWatchComesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(replay.Script{
			replay.On(replay.List(cm), replay.JSON(200, replay.ListBody("10"))...),
			replay.On(replay.Watch(cm, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "a", "11"))),
		})
		for _, want := range []string{replay.Event("ADDED", "a", "11"), ""} {
			_, body := ask(t, s, "GET", cm+"?watch=true&resourceVersion=10&timeoutSeconds=7")
			assert.Equal(t, want, body)
		}
	})
}

func TestAllNamespacesAreTheOneThatWasRecorded(t *testing.T) {
	list := func(namespace string) replay.Exchange {
		return replay.On(replay.List("/api/v1/namespaces/"+namespace+"/configmaps"), replay.JSON(200, replay.ListBody("10", replay.Item(namespace, "8")))...)
	}
	_, body := ask(t, New(replay.Script{list("t"), list("t")}), "GET", "/api/v1/configmaps")
	assert.Contains(t, body, `"name":"t"`)
	status, _ := ask(t, New(replay.Script{list("t"), list("u")}), "GET", "/api/v1/configmaps")
	assert.Equal(t, 404, status, "two are not all there are")
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
			_, object := ask(t, s, "GET", path+"/a")
			assert.Equal(t, replay.Item("a", "7")+"\n", object, path)
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
