package replay_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

func TestTransportAnswersForAnyHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr, err := NewTransport(Script{
			On(List(ConfigMaps), JSON(200, "{}")...),
			Refuse(1),
			On(Watch(ConfigMaps, "10"), Respond(200), Pause(time.Hour), Write("x"), Cut()),
		}, Options{TLS: true})
		require.NoError(t, err)
		c := &http.Client{Transport: tr}
		body, err := fetch(t, c, "https://kubernetes.default.svc"+ConfigMaps)
		require.NoError(t, err)
		assert.Equal(t, "{}", body)
		_, err = fetch(t, c, "http://other:8080"+watch10)
		assert.ErrorIs(t, err, syscall.ECONNREFUSED)
		body, err = fetch(t, c, "http://other:8080"+watch10)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, "x", body)
		assert.Len(t, tr.Requests(), 2)
		assert.NoError(t, tr.Close())
	})
}

func TestTransportTellsOfMismatches(t *testing.T) {
	tr, err := NewTransport(Script{On(List("/a"), Respond(200)), On(List("/b"), Respond(200))}, Options{})
	require.NoError(t, err)
	_, err = fetch(t, &http.Client{Transport: tr}, "http://x/a")
	require.NoError(t, err)
	assert.ErrorContains(t, tr.Close(), "1 of 2 exchanges were never asked for:\n\t2: GET /b")

	tr, err = NewTransport(Script{On(List("/a"), Respond(200))}, Options{})
	require.NoError(t, err)
	_, err = fetch(t, &http.Client{Transport: tr}, "http://x/b")
	require.NoError(t, err)
	assert.ErrorContains(t, tr.Close(), "path: want /a, got /b")

	_, err = NewTransport(Script{On(List("/a"), GoAway(0))}, Options{})
	assert.EqualError(t, err, "replay: exchange 1, step 1: GoAway needs Options.HTTP2")
}

func TestAnyOrderTakesTheFirstThatMatchesOnce(t *testing.T) {
	script := Script{
		On(List("/a"), JSON(200, "1")...),
		Refuse(5),
		On(List("/b"), JSON(200, "2")...),
		On(List("/a"), JSON(200, "3")...),
	}
	s := &spy{T: t}
	srv := NewServer(s, script, Options{AnyOrder: true})
	for _, want := range []string{"/b 2", "/a 1", "/a 3"} {
		path, want, _ := strings.Cut(want, " ")
		_, body, err := get(t, srv, path)
		require.NoError(t, err)
		assert.Equal(t, want, body)
	}
	status, body, err := get(t, srv, "/a?resourceVersion=5")
	require.NoError(t, err)
	assert.Equal(t, 599, status)
	assert.Contains(t, body, "no exchange is left")
	srv.Close()
	assert.Len(t, s.said, 1)

	s = &spy{T: t}
	srv = NewServer(s, script, Options{AnyOrder: true})
	_, body, err = get(t, srv, "/a?resourceVersion=5")
	require.NoError(t, err)
	assert.Contains(t, body, "nearest: GET /a\n\tquery resourceVersion: want \"\", got \"5\"")
	srv.Close()
	assert.Len(t, s.said, 2)
	assert.Contains(t, s.said[1], "3 of 4 exchanges were never asked for:\n\t1: GET /a\n\t3: GET /b\n\t4: GET /a")
}

func TestHandlerPlaysBehindNetHTTP(t *testing.T) {
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			h := NewHandler(Script{
				On(List("/list"), JSON(200, "{}", "X-A: 1", "X-A: 2")...),
				On(Watch("/watch", "1"), Respond(200), Write("a"), Pause(time.Millisecond), Write("b"), End()),
				On(Watch("/watch", "2"), Respond(200), Write("a"), Cut()),
				On(Watch("/watch", "3"), Respond(200), Write("a"), Pause(20*time.Millisecond), Reset()),
				On(List("/untyped"), Respond(503, "Content-Type:"), Write("<html>")),
				On(List("/never"), JSON(200, "{}")...),
			}, false)
			srv := httptest.NewUnstartedServer(h)
			srv.EnableHTTP2 = h2
			srv.StartTLS()
			defer srv.Close()
			resp, err := srv.Client().Get(srv.URL + "/list")
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, []string{"1", "2"}, resp.Header["X-A"])
			body, err := fetch(t, srv.Client(), srv.URL+"/watch?watch=1&resourceVersion=1")
			require.NoError(t, err)
			assert.Equal(t, "ab", body)
			for _, rv := range []string{"2", "3"} {
				body, err = fetch(t, srv.Client(), srv.URL+"/watch?watch=1&resourceVersion="+rv)
				assert.Error(t, err)
				assert.Equal(t, "a", body)
			}
			resp, err = srv.Client().Get(srv.URL + "/untyped")
			require.NoError(t, err)
			resp.Body.Close()
			assert.Equal(t, 503, resp.StatusCode)
			assert.NotContains(t, resp.Header, "Content-Type")
			assert.ErrorContains(t, h.Err(), "1 of 6 exchanges were never asked for")
			body, err = fetch(t, srv.Client(), srv.URL+"/other")
			require.NoError(t, err)
			assert.Contains(t, body, `"reason":"NotFound","code":404}`)
			assert.ErrorContains(t, h.Err(), "path: want /never, got /other")
		})
	}
}

func TestRealRecordingPlaysAtItsOwnSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for speed, want := range map[float64]time.Duration{0: 0, 1: 1213 * time.Millisecond, 10: 121300 * time.Microsecond} {
			d, err := NewReader(strings.NewReader(example[:strings.Index(example, `{"d":0,"t":"mark"`)]))
			require.NoError(t, err)
			script, err := d.Script(speed)
			require.NoError(t, err)
			tr, err := NewTransport(script, Options{AnyOrder: true})
			require.NoError(t, err)
			start := time.Now()
			resp, err := (&http.Client{Transport: tr}).Get("http://x/api/v1/namespaces/t/pods?watch=true&resourceVersion=5")
			require.NoError(t, err)
			b := make([]byte, 1000)
			_, err = io.ReadAtLeast(resp.Body, b, 80)
			require.NoError(t, err)
			assert.Equal(t, want, time.Since(start))
			resp.Body.Close()
			tr.Close()
		}
	})
}

func TestPodsPlayFromTheirFile(t *testing.T) {
	f, err := os.Open(recordings + "pods-300.watch.gz")
	require.NoError(t, err)
	defer f.Close()
	d, err := NewReader(f)
	require.NoError(t, err)
	script, err := d.Script(0)
	require.NoError(t, err)
	tr, err := NewTransport(script, Options{})
	require.NoError(t, err)
	defer tr.Close()
	body, err := fetch(t, &http.Client{Transport: tr}, "http://x/api/v1/pods?watch=true&resourceVersion=0")
	require.NoError(t, err)
	assert.Equal(t, 300, strings.Count(body, "\n"))
}

func TestHandlerWithDiscoverySaysWhatIsInTheScript(t *testing.T) {
	h := NewHandler(Script{
		On(List("/api/v1/pods"), JSON(200, `{"kind":"PodList","items":[]}`)...),
		On(Watch("/apis/apps/v1/namespaces/t/deployments", "5"), Respond(200), Write(`{"type":"ADDED","object":{"kind":"Deployment"}}`+"\n")),
		On(List("/api/v1/namespaces/t/pods"), JSON(200, `{"kind":"PodList","items":[]}`)...),
		On(List("/api/v1/nodes"), JSON(200, `{"kind":"NodeList","items":[{"metadata":{"name":"n"}}]}`)...),
		On(List("/api/v1/secrets"), JSON(200, `{"kind":"SecretList","items":[{"metadata":{"name":"a","namespace":"t"}}]}`)...),
		On(Watch("/api/v1/events", "5"), Respond(200), Write(`{"type":"ADDED","object":{"kind":"Event","metadata":{"namespace":"t"}}}`+"\n")),
		On(List("/apis/batch/v1/jobs"), JSON(200, `{"kind":"List","items":[]}`)...),
		On(List("/apis/example.com/v1/namespaces/t/widgets"), JSON(200, `{"kind":"WidgetList","items":[]}`)...),
		On(Request{Path: "/apis"}, JSON(200, `{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"cats.example.com"},"versions":[{"version":"v1","resources":[
			{"resource":"cats","responseKind":{"kind":"Cat"},"scope":"Namespaced","shortNames":["c","kitty"]}]}]}]}`)...),
		On(Request{Path: "/apis/dogs.example.com/v1"}, JSON(200, `{"kind":"APIResourceList","groupVersion":"dogs.example.com/v1","resources":[
			{"name":"dogs","singularName":"dog","namespaced":false,"kind":"Dog","shortNames":["d"]}]}`)...),
		On(List("/apis/cats.example.com/v1/cats"), JSON(200, `{"kind":"List","items":[]}`)...),
		On(List("/apis/dogs.example.com/v1/dogs"), JSON(200, `{"kind":"List","items":[]}`)...),
	}, true)
	h.Discovery = true
	srv := httptest.NewServer(h)
	defer srv.Close()
	for _, c := range []struct{ path, want string }{
		{"/version", `"gitVersion"`},
		{"/api/v1", `"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod"`},
		{"/api/v1", `"name":"nodes","singularName":"node","namespaced":false,"kind":"Node"`},
		// The path of a list of all namespaces does not show that there are any.
		{"/api/v1", `"name":"secrets","singularName":"secret","namespaced":true,"kind":"Secret"`},
		{"/api/v1", `"name":"events","singularName":"event","namespaced":true,"kind":"Event"`},
		{"/apis/apps/v1", `"name":"deployments","singularName":"deployment","namespaced":true,"kind":"Deployment"`},
		{"/apis", `"groupVersion":"apps/v1"`},
		{"/api/v1/pods", `"kind":"PodList"`},
		// Short names are in no list; those of usual types are known.
		{"/api/v1", `"kind":"Pod","verbs":["get","list","watch"],"shortNames":["po"]`},
		{"/apis/apps/v1", `"shortNames":["deploy"]`},
		// Of an empty list the path is all there is, and such types are known.
		{"/apis/batch/v1", `"name":"jobs","singularName":"job","namespaced":true,"kind":"Job"`},
		// Others are what the objects are, unless the recorded discovery knows.
		{"/apis/example.com/v1", `"name":"widgets","singularName":"widget","namespaced":true,"kind":"Widget"`},
		{"/apis/cats.example.com/v1", `"name":"cats","singularName":"cat","namespaced":true,"kind":"Cat","verbs":["get","list","watch"],"shortNames":["c","kitty"]`},
		{"/apis/dogs.example.com/v1", `"name":"dogs","singularName":"dog","namespaced":false,"kind":"Dog","verbs":["get","list","watch"],"shortNames":["d"]`},
	} {
		body, err := fetch(t, srv.Client(), srv.URL+c.path)
		require.NoError(t, err)
		assert.Contains(t, body, c.want, c.path)
	}
	resp, err := srv.Client().Post(srv.URL+"/api/v1/namespaces/t/pods", "application/json", nil)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 405, resp.StatusCode)
}

func TestStoreAnswersWithoutAConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var answer []Step
		store := &Store{Intercept: func(*http.Request) []Step { return answer }}
		store.PutItem("a", "1")
		c := &http.Client{Transport: store}
		body, err := fetch(t, c, "http://x"+ConfigMaps)
		require.NoError(t, err)
		assert.Contains(t, body, `"name":"a"`)

		resp, err := c.Get("http://x" + ConfigMaps + "?watch=true&resourceVersion=101")
		require.NoError(t, err)
		assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
		time.AfterFunc(10*time.Minute, func() { store.PutItem("b", "1") })
		time.AfterFunc(20*time.Minute, func() { resp.Body.Close() })
		line := make([]byte, 1000)
		n, err := io.ReadAtLeast(resp.Body, line, 2)
		require.NoError(t, err)
		assert.Contains(t, string(line[:n]), `"ADDED"`)
		_, err = resp.Body.Read(line) // until it is closed
		assert.Error(t, err)

		for _, tt := range []struct {
			steps []Step
			body  string
			err   error
		}{
			{[]Step{Respond(200), Write("x"), Pause(time.Hour), Raw("y")}, "xy", nil},
			{[]Step{Pause(time.Hour), Respond(200), Write("x"), Cut()}, "x", io.ErrUnexpectedEOF},
			{[]Step{Respond(200), Write("x"), Reset()}, "x", syscall.ECONNRESET},
			{[]Step{Cut()}, "", io.ErrUnexpectedEOF},
			{[]Step{Reset()}, "", syscall.ECONNRESET},
		} {
			answer = tt.steps
			body, err := fetch(t, c, "http://x/")
			assert.Equal(t, tt.body, body)
			assert.ErrorIs(t, err, tt.err)
		}
		answer = []Step{Raw("no header")}
		_, err = c.Get("http://x/")
		assert.ErrorContains(t, err, "malformed")
		for _, steps := range [][]Step{{Hold()}, {Respond(200), Write("x"), Freeze()}, {Respond(200), Pause(time.Hour)}} {
			answer = steps
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			r, err := http.NewRequestWithContext(ctx, "GET", "http://x/", nil)
			require.NoError(t, err)
			resp, err := c.Do(r)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
		}
	})
}
