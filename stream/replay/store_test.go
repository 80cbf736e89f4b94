package replay_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// listing is a list's body, as far as the tests look at it.
type listing struct {
	Kind     string
	Metadata struct {
		ResourceVersion, Continue string
		RemainingItemCount        int
	}
	Items []struct {
		Kind     string
		Metadata struct{ Name, Namespace, ResourceVersion, UID string }
		Data     map[string]string
	}
	Reason string
	Code   int
}

func (l *listing) names() (out []string) {
	for _, i := range l.Items {
		out = append(out, i.Metadata.Name)
	}
	return out
}

func list(t *testing.T, srv *Server, pathAndQuery string) *listing {
	t.Helper()
	_, body, err := get(t, srv, pathAndQuery)
	require.NoError(t, err)
	var l listing
	require.NoError(t, json.Unmarshal([]byte(body), &l), body)
	return &l
}

// watching reads a watch line by line: TYPE name/rv.
type watching struct {
	t    *testing.T
	body io.ReadCloser
	br   *bufio.Reader
	raw  string
}

func startWatch(t *testing.T, srv *Server, query string) *watching {
	t.Helper()
	resp, err := open(t, srv, ConfigMaps+"?watch=true&"+query)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode)
	t.Cleanup(func() { resp.Body.Close() })
	return &watching{t, resp.Body, bufio.NewReader(resp.Body), ""}
}

func (s *watching) next() string {
	line, err := s.br.ReadString('\n')
	if err != nil {
		return err.Error()
	}
	s.raw = line
	var e struct {
		Type   string
		Object struct {
			Metadata struct {
				Name, ResourceVersion string
				Annotations           map[string]string
			}
			Reason string
		}
	}
	require.NoError(s.t, json.Unmarshal([]byte(line), &e))
	end := ""
	if e.Object.Metadata.Annotations["k8s.io/initial-events-end"] == "true" {
		end = " end"
	}
	return fmt.Sprintf("%s %s%s/%s%s", e.Type, e.Object.Metadata.Name, e.Object.Reason, e.Object.Metadata.ResourceVersion, end)
}

// inStore runs f with a store that has a (101), b (102) and c (103), in a bubble.
func inStore(t *testing.T, f func(t *testing.T, st *Store, srv *Server)) {
	synctest.Test(t, func(t *testing.T) {
		st := &Store{}
		for _, n := range []string{"a", "b", "c"} {
			st.PutItem(n, n)
		}
		f(t, st, st.NewServer(t, Options{}))
	})
}

func TestStoreListsInPagesOfOneMoment(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		page := list(t, srv, ConfigMaps+"?limit=2")
		assert.Equal(t, "ConfigMapList", page.Kind)
		assert.Equal(t, []string{"a", "b"}, page.names())
		assert.Equal(t, "103", page.Metadata.ResourceVersion)
		assert.Equal(t, 1, page.Metadata.RemainingItemCount)
		assert.Empty(t, page.Items[0].Kind, "items of built-in types have no kind")

		st.PutItem("c", "new")
		st.PutItem("d", "new")
		st.Delete("configmaps", "t", "b")
		rest := list(t, srv, ConfigMaps+"?limit=2&continue="+url.QueryEscape(page.Metadata.Continue))
		assert.Equal(t, []string{"c"}, rest.names())
		assert.Equal(t, "c", rest.Items[0].Data["k"], "the first page's moment")
		assert.Equal(t, "103", rest.Metadata.ResourceVersion)
		assert.Empty(t, rest.Metadata.Continue)

		assert.Equal(t, []string{"a", "c", "d"}, list(t, srv, ConfigMaps).names())
		assert.Equal(t, []string{"a", "c", "d"}, list(t, srv, ConfigMaps+"?resourceVersion=0&limit=1").names())
		assert.Equal(t, []string{"a", "b"}, list(t, srv, ConfigMaps+"?resourceVersion=102&resourceVersionMatch=Exact").names())
		assert.Equal(t, []string{"a", "b"}, list(t, srv, ConfigMaps+"?resourceVersion=102&limit=5").names())
		assert.Equal(t, []string{"a", "c", "d"}, list(t, srv, ConfigMaps+"?resourceVersion=102").names())

		st.Compact()
		gone := list(t, srv, ConfigMaps+"?limit=2&continue="+url.QueryEscape(page.Metadata.Continue))
		assert.Equal(t, 410, gone.Code)
		assert.Equal(t, "Expired", gone.Reason)
		onward := list(t, srv, ConfigMaps+"?limit=2&continue="+url.QueryEscape(gone.Metadata.Continue))
		assert.Equal(t, []string{"c", "d"}, onward.names(), "the token in the 410 goes on in what is there now")
		assert.Equal(t, "106", onward.Metadata.ResourceVersion)
		assert.Equal(t, 410, list(t, srv, ConfigMaps+"?resourceVersion=102&resourceVersionMatch=Exact").Code)
	})
}

func TestStoreRefusesAsTheServerDoes(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		for query, code := range map[string]int{
			"resourceVersion=abc": 400, "limit=x": 400, "continue=x": 400, "labelSelector=a in": 400, "fieldSelector=spec.x=1": 400,
			"sendInitialEvents=true": 422, "watch=1&sendInitialEvents=true": 422, "watch=1&resourceVersionMatch=NotOlderThan": 422,
			"watch=1&resourceVersion=abc": 500,
		} {
			assert.Equal(t, code, list(t, srv, ConfigMaps+"?"+strings.ReplaceAll(query, " ", "%20")).Code, query)
		}
		start := time.Now()
		future := list(t, srv, ConfigMaps+"?resourceVersion=999&resourceVersionMatch=NotOlderThan")
		assert.Equal(t, 504, future.Code)
		assert.Equal(t, 3*time.Second, time.Since(start))
		status, body, err := get(t, srv, "/api/v1/namespaces/t/widgets")
		require.NoError(t, err)
		assert.Equal(t, 404, status)
		assert.Equal(t, "404 page not found\n", body)
		resp, err := srv.Client().Post(srv.URL().String()+ConfigMaps, "application/json", strings.NewReader("{}"))
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, 405, resp.StatusCode)
		st.NoStreamingLists = true
		assert.Equal(t, 422, list(t, srv, ConfigMaps+"?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan").Code)
		assert.Equal(t, 404, list(t, srv, ConfigMaps+"/x").Code)
		assert.Equal(t, "ConfigMap", list(t, srv, ConfigMaps+"/a").Kind)
	})
}

func TestStoreWatchesFromAnRV(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		w := startWatch(t, srv, "resourceVersion=101")
		assert.Equal(t, "ADDED b/102", w.next())
		assert.Equal(t, "ADDED c/103", w.next())
		st.PutItem("b", "2")
		st.Delete("configmaps", "t", "a")
		st.PutItem("a", "again")
		assert.Equal(t, "MODIFIED b/104", w.next())
		assert.Equal(t, "DELETED a/105", w.next(), "a DELETED carries the resourceVersion of the deletion")
		assert.Equal(t, "ADDED a/106", w.next())
		assert.NotEqual(t, list(t, srv, ConfigMaps).Items[0].Metadata.UID, "00000000-0000-4000-8000-000000000001")
		st.EndWatches(End())
		assert.Equal(t, "EOF", w.next())

		w = startWatch(t, srv, "resourceVersion=105")
		assert.Equal(t, "ADDED a/106", w.next())
		st.PutItem("z", "1")
		st.EndWatches(Cut())
		assert.Equal(t, "ADDED z/107", w.next())
		assert.Equal(t, "unexpected EOF", w.next())
	})
}

func TestStoreHistoryIsAWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &Store{Window: 2}
		for i := range 5 {
			st.PutItem("a", fmt.Sprint(i))
		}
		srv := st.NewServer(t, Options{})
		w := startWatch(t, srv, "resourceVersion=102")
		assert.Equal(t, "ERROR Expired/", w.next())
		assert.Contains(t, w.raw, "too old resource version: 102 (103)")
		assert.Equal(t, "EOF", w.next())
		w = startWatch(t, srv, "resourceVersion=103")
		assert.Equal(t, "MODIFIED a/104", w.next())
		assert.Equal(t, "MODIFIED a/105", w.next())
		st.Compact()
		st.PutItem("a", "x")
		assert.Equal(t, "MODIFIED a/106", w.next(), "compaction ends no watch that has seen everything")
	})
}

func TestStoreGoesBackInTime(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		w := startWatch(t, srv, "resourceVersion=103")
		st.PutItem("d", "lost")
		assert.Equal(t, "ADDED d/104", w.next())
		require.True(t, st.Restore("102"))
		assert.Equal(t, "unexpected EOF", w.next())
		assert.Equal(t, []string{"a", "b"}, list(t, srv, ConfigMaps).names())
		assert.Equal(t, "102", st.ResourceVersion())
		assert.False(t, st.Restore("101"), "history is gone, too")

		// A watch from what is now the future is silent until it is reached.
		future := startWatch(t, srv, "resourceVersion=104")
		st.PutItem("e", "1")
		st.PutItem("f", "1")
		st.PutItem("g", "1")
		assert.Equal(t, "ADDED g/105", future.next())
		assert.Equal(t, "ERROR Expired/", startWatch(t, srv, "resourceVersion=101").next())
	})
}

func TestStoreStreamingList(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		st.PutItem("a", "2")
		const streaming = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
		for _, query := range []string{streaming, streaming + "&resourceVersion=104", "allowWatchBookmarks=1", "resourceVersion=0&allowWatchBookmarks=true"} {
			w := startWatch(t, srv, query)
			assert.Equal(t, "ADDED a/104", w.next(), query)
			assert.Equal(t, "ADDED b/102", w.next())
			assert.Equal(t, "ADDED c/103", w.next())
			assert.Equal(t, "BOOKMARK /104 end", w.next())
		}
		w := startWatch(t, srv, "resourceVersion=0")
		for range 3 {
			w.next()
		}
		st.Bookmark()
		st.PutItem("x", "1")
		assert.Equal(t, "ADDED x/105", w.next(), "no bookmark that was not allowed")

		start := time.Now()
		w = startWatch(t, srv, streaming+"&resourceVersion=999")
		assert.Equal(t, "ERROR Timeout/", w.next())
		assert.Contains(t, w.raw, `"reason":"ResourceVersionTooLarge"`)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestStoreSendsBookmarksAndEndsOnTime(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		start := time.Now()
		w := startWatch(t, srv, "resourceVersion=103&allowWatchBookmarks=true&timeoutSeconds=150")
		st.Advance(7)
		assert.Equal(t, "BOOKMARK /110", w.next())
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, "BOOKMARK /110", w.next())
		assert.Equal(t, 2*time.Minute, time.Since(start))
		assert.Equal(t, "BOOKMARK /110", w.next())
		assert.Equal(t, 148*time.Second, time.Since(start))
		assert.Equal(t, "EOF", w.next())
		assert.Equal(t, 150*time.Second, time.Since(start))

		w = startWatch(t, srv, "resourceVersion=110&allowWatchBookmarks=true&timeoutSeconds=1")
		assert.Equal(t, "EOF", w.next(), "too short for a bookmark")

		w = startWatch(t, srv, "resourceVersion=110&allowWatchBookmarks=true")
		st.PutItem("a", "x")
		st.Bookmark()
		assert.Equal(t, "MODIFIED a/111", w.next())
		assert.Equal(t, "BOOKMARK /111", w.next())
	})
}

func TestStoreSelectorsTellOfEnteringAndLeaving(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		put := func(labels string) {
			_, err := st.Put("configmaps", `{"metadata":{"name":"l","namespace":"t","labels":`+labels+`}}`)
			require.NoError(t, err)
		}
		put(`{"app":"x","tier":"1"}`)
		for selector, want := range map[string]bool{
			"app=x": true, "app==x": true, "app!=x": false, "app": true, "!app": false, "other": false, "!other": true,
			"app in (x, y)": true, "app notin (x,y)": false, "other notin (x)": true, "app=x,tier in (2,3)": false, "other!=x": true,
			"other=": false, "other!=": true, // a label that is missing is not an empty one
		} {
			l := list(t, srv, ConfigMaps+"?fieldSelector=metadata.name%3Dl&labelSelector="+url.QueryEscape(selector))
			assert.Equal(t, want, len(l.Items) == 1, selector)
		}
		assert.Equal(t, []string{"a", "b", "c"}, list(t, srv, ConfigMaps+"?fieldSelector=metadata.name!%3Dl,metadata.namespace%3Dt").names())

		w := startWatch(t, srv, "resourceVersion=104&labelSelector=app%3Dx")
		put(`{"app":"y","v":"105"}`)
		assert.Equal(t, "DELETED l/105", w.next())
		assert.Contains(t, w.raw, `"tier":"1"`, "what it was before, under the edit's resourceVersion")
		put(`{"app":"y"}`)
		put(`{"app":"x"}`)
		assert.Equal(t, "ADDED l/107", w.next())
	})
}

func TestStoreViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &Store{Resources: []Resource{
			{Version: "v1", Plural: "configmaps", Kind: "ConfigMap"},
			{Group: "demo.example.com", Version: "v1", Plural: "widgets", Kind: "Widget", Custom: true},
			{Version: "v1", Plural: "nodes", Kind: "Node", Cluster: true},
		}}
		st.PutItem("a", "secret-ish")
		_, err := st.Put("widgets", `{"metadata":{"name":"w","namespace":"t","annotations":{"x":"<&>"}},"spec":{"n":9007199254740993,"f":1e3}}`)
		require.NoError(t, err)
		_, err = st.Put("nodes", `{"metadata":{"name":"n"}}`)
		require.NoError(t, err)
		srv := st.NewServer(t, Options{})
		ask := func(accept, pathAndQuery string) string {
			req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL().String()+pathAndQuery, nil)
			require.NoError(t, err)
			req.Header.Set("Accept", accept)
			resp, err := srv.Client().Do(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			b, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			for line := range strings.Lines(string(b)) {
				require.True(t, json.Valid([]byte(line)), line)
			}
			return string(b)
		}
		const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
		const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
		const partials = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

		widgets := ask("", "/apis/demo.example.com/v1/namespaces/t/widgets")
		assert.Less(t, strings.Index(widgets, `"items"`), strings.LastIndex(widgets, `"metadata"`))
		assert.Contains(t, widgets, `"spec":{"n":9007199254740993,"f":1e3}`)
		assert.Contains(t, widgets, `"annotations":{"x":"<&>"}`)
		assert.Contains(t, widgets, `"kind":"Widget"`)

		rows := ask(table, ConfigMaps)
		assert.Contains(t, rows, `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"103"},"columnDefinitions":[{"name":"Name"`)
		assert.Contains(t, rows, `"cells":["a","0s"],"object":{"kind":"PartialObjectMetadata"`)
		assert.Contains(t, ask(table, ConfigMaps+"?includeObject=None"), `"object":null`)
		assert.Contains(t, ask(table, ConfigMaps+"?includeObject=Object"), `"data":{"k":"secret-ish"}`)
		meta := ask(partials, ConfigMaps)
		assert.Contains(t, meta, `{"kind":"PartialObjectMetadataList"`)
		assert.NotContains(t, meta, "secret-ish")
		assert.Equal(t, `"ConfigMapList"`, ask("application/json,"+table, ConfigMaps)[8:23])

		const watch = ConfigMaps + "?watch=1&allowWatchBookmarks=1&timeoutSeconds=1"
		lines := strings.Split(ask(table, watch+"&includeObject=None"), "\n")
		assert.Contains(t, lines[0], `"columnDefinitions":[{`)
		assert.Contains(t, lines[1], `"columnDefinitions":null`)
		assert.Contains(t, lines[1], `"annotations":{"k8s.io/initial-events-end":"true"}`)
		lines = strings.Split(ask(partial, watch), "\n")
		assert.Contains(t, lines[0], `{"type":"ADDED","object":{"kind":"PartialObjectMetadata"`)
		assert.Contains(t, lines[1], `{"type":"BOOKMARK","object":{"kind":"PartialObjectMetadata"`)

		assert.Contains(t, ask("", "/api/v1/nodes"), `"metadata":{"name":"n","uid"`)
		assert.Contains(t, ask("", "/api/v1/configmaps"), `"name":"a"`)
		assert.Contains(t, ask("", "/version"), `"gitVersion"`)
		assert.Contains(t, ask("", "/api"), `"versions":["v1"]`)
		assert.Contains(t, ask("", "/apis"), `"groupVersion":"demo.example.com/v1"`)
		assert.Contains(t, ask("", "/api/v1"), `"name":"nodes","singularName":"node","namespaced":false`)
		assert.Contains(t, ask("", "/apis/demo.example.com/v1"), `"name":"widgets"`)
		const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
		assert.Contains(t, ask(aggregated, "/apis"), `{"metadata":{"name":"demo.example.com","creationTimestamp":null},"versions":[{"version":"v1","resources":[{"resource":"widgets"`)
		assert.Contains(t, ask(aggregated, "/api"), `"scope":"Cluster"`)
	})
}

func TestStoreInterceptAnswersFirst(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		st.Intercept = func(r *http.Request) []Step {
			if r.URL.Query().Get("limit") != "1" {
				return nil
			}
			return JSON(503, StatusBody(503, "ServiceUnavailable"))
		}
		assert.Equal(t, 503, list(t, srv, ConfigMaps+"?limit=1").Code)
		assert.Len(t, list(t, srv, ConfigMaps).Items, 3)
	})
}

func TestAnAnswerOfAStoreThatIsClosedHasNothingMoreToRead(t *testing.T) {
	st := &Store{}
	st.PutItem("a", "1")
	resp, err := st.RoundTrip(httptest.NewRequest("GET", ConfigMaps, nil))
	require.NoError(t, err)
	_, err = resp.Body.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	n, err := resp.Body.Read(make([]byte, 1))
	assert.Zero(t, n)
	assert.ErrorIs(t, err, net.ErrClosed)
}

// A list of all namespaces has the path of things outside of them: what is in
// it tells which it is.
func TestWhetherAResourceIsInNamespacesIsSeenInItsObjects(t *testing.T) {
	widget := func(namespace string) string {
		return `{"kind":"WidgetList","apiVersion":"demo.example.com/v1","metadata":{},"items":[{"metadata":{"name":"a"` + namespace + `}}]}`
	}
	for body, want := range map[string]string{widget(`,"namespace":"t"`): `"namespaced":true`, widget(""): `"namespaced":false`} {
		h := NewHandler(Script{On(List("/apis/demo.example.com/v1/widgets"), JSON(200, body)...)}, true)
		h.Discovery = true
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/apis/demo.example.com/v1", nil))
		assert.Contains(t, w.Body.String(), want)
		assert.Contains(t, w.Body.String(), `"kind":"Widget"`)
	}
}

func TestStoreServesBehindNetHTTP(t *testing.T) {
	st := &Store{}
	st.PutItem("a", "1")
	srv := httptest.NewServer(st)
	defer srv.Close()
	body, err := fetch(t, srv.Client(), srv.URL+ConfigMaps)
	require.NoError(t, err)
	assert.Contains(t, body, `"name":"a"`)
	resp, err := srv.Client().Get(srv.URL + ConfigMaps + "?watch=1&resourceVersion=101")
	require.NoError(t, err)
	defer resp.Body.Close()
	st.PutItem("b", "1")
	line, err := bufio.NewReader(resp.Body).ReadString('\n')
	require.NoError(t, err)
	assert.Contains(t, line, `"name":"b"`)
}

func TestKubeconfigPointsAtTheServer(t *testing.T) {
	srv := (&Store{}).NewServer(t, Options{TCP: true, TLS: true})
	var c struct {
		Clusters []struct {
			Cluster struct {
				Server string
				CA     []byte `json:"certificate-authority-data"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(srv.Kubeconfig(), &c))
	assert.Equal(t, srv.URL().String(), c.Clusters[0].Cluster.Server)
	assert.Contains(t, string(c.Clusters[0].Cluster.CA), "BEGIN CERTIFICATE")
}

func TestStorePutRefusesMistakes(t *testing.T) {
	for _, c := range []struct{ plural, object, want string }{
		{"configmaps", `{"metadata":{}}`, "replay: the object has no metadata.name"},
		{"pods", "{", "replay: the object is not JSON"},
		{"widgets", `{"metadata":{"name":"a"}}`, `replay: the store has no resource "widgets"`},
	} {
		_, err := (&Store{}).Put(c.plural, c.object)
		assert.EqualError(t, err, c.want)
	}
}

func TestRestoreSendsNoBookmark(t *testing.T) {
	inStore(t, func(t *testing.T, st *Store, srv *Server) {
		w := startWatch(t, srv, "resourceVersion=101&allowWatchBookmarks=true")
		assert.Equal(t, "ADDED b/102", w.next())
		assert.Equal(t, "ADDED c/103", w.next())
		synctest.Wait()
		st.Bookmark()
		st.Restore("102") // before the watch has got to the bookmark
		assert.Equal(t, io.ErrUnexpectedEOF.Error(), w.next())
	})
}
