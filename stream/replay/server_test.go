package replay_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// ways are the servers that every primitive is tried on.
var ways = map[string]Options{
	"memory":         {},
	"memory tls":     {TLS: true},
	"memory h2c":     {HTTP2: true},
	"memory h2":      {TLS: true, HTTP2: true},
	"tcp":            {TCP: true},
	"tcp tls":        {TCP: true, TLS: true},
	"tcp tls and h2": {TCP: true, TLS: true, HTTP2: true},
}

// inAllWays runs f for each of ways, in a bubble where there is no TCP.
func inAllWays(t *testing.T, f func(t *testing.T, o Options)) {
	for name, o := range ways {
		t.Run(name, func(t *testing.T) {
			if o.TCP {
				f(t, o)
				return
			}
			synctest.Test(t, func(t *testing.T) { f(t, o) })
		})
	}
}

// get makes a request in the test's context and reads the whole answer.
func get(t *testing.T, srv *Server, pathAndQuery string) (status int, body string, err error) {
	t.Helper()
	resp, err := open(t, srv, pathAndQuery)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func open(t *testing.T, srv *Server, pathAndQuery string) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL().String()+pathAndQuery, nil)
	require.NoError(t, err)
	return srv.Client().Do(req)
}

const watch10 = ConfigMaps + "?watch=true&resourceVersion=10"

func TestCleanEndIsEOFAndTheConnectionIsUsedAgain(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		srv := NewServer(t, Script{
			On(List(ConfigMaps), JSON(200, ListBody("10", Item("a", "9")), "X-Test: yes")...),
			On(Watch(ConfigMaps, "10"), Respond(200), Write(Event("ADDED", "b", "11")), Write(Bookmark("12")), End()),
			On(Watch(ConfigMaps, "12"), Respond(200)),
		}, o)
		resp, err := open(t, srv, ConfigMaps)
		require.NoError(t, err)
		assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
		assert.Equal(t, "yes", resp.Header.Get("X-Test"))
		assert.EqualValues(t, len(ListBody("10", Item("a", "9"))), resp.ContentLength)
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, ListBody("10", Item("a", "9")), string(b))

		status, body, err := get(t, srv, watch10)
		require.NoError(t, err)
		assert.Equal(t, 200, status)
		assert.Equal(t, Event("ADDED", "b", "11")+Bookmark("12"), body)

		_, body, err = get(t, srv, ConfigMaps+"?watch=true&resourceVersion=12")
		require.NoError(t, err)
		assert.Empty(t, body)

		seen := srv.Requests()
		require.Len(t, seen, 3)
		for _, s := range seen {
			assert.Equal(t, 1, s.Conn)
			assert.Equal(t, "GET", s.Method)
		}
		assert.Equal(t, "12", seen[2].URL.Query().Get("resourceVersion"))
		assert.Contains(t, seen[0].Header.Get("User-Agent"), "Go-http-client")
	})
}

func TestCutIsUnexpectedEOFAfterWhatWasSent(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		srv := NewServer(t, Script{
			On(Watch(ConfigMaps, "10"), Respond(200), Write(Event("ADDED", "a", "11")), Cut()),
			On(Watch(ConfigMaps, "11"), Respond(200)),
		}, o)
		_, body, err := get(t, srv, watch10)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.Equal(t, Event("ADDED", "a", "11"), body)
		_, _, err = get(t, srv, ConfigMaps+"?watch=true&resourceVersion=11")
		assert.NoError(t, err)
		assert.NotEqual(t, 1, srv.Requests()[1].Conn)
	})
}

func TestResetIsConnectionReset(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		srv := NewServer(t, Script{
			// On TCP the RST overtakes what the client has not read yet.
			On(Watch(ConfigMaps, "10"), Respond(200), Write(Event("ADDED", "a", "11")), Pause(20*time.Millisecond), Reset()),
		}, o)
		_, body, err := get(t, srv, watch10)
		assert.ErrorIs(t, err, syscall.ECONNRESET)
		assert.Equal(t, Event("ADDED", "a", "11"), body)
	})
}

func TestHoldKeepsTheStreamOpenUntilTheClientLeaves(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		left := make(chan struct{})
		srv := NewServer(t, Script{
			On(Watch(ConfigMaps, "10"), Respond(200), Write(Event("ADDED", "a", "11")), Hold()),
			On(Watch(ConfigMaps, "11"), Respond(200)),
		}, o)
		resp, err := open(t, srv, watch10)
		require.NoError(t, err)
		line := make([]byte, len(Event("ADDED", "a", "11")))
		_, err = io.ReadFull(resp.Body, line)
		require.NoError(t, err)
		go func() {
			defer close(left)
			_, err := resp.Body.Read(line)
			assert.Error(t, err)
		}()
		if !o.TCP {
			time.Sleep(time.Hour)
			synctest.Wait()
			select {
			case <-left:
				t.Fatal("the stream has ended by itself")
			default:
			}
		}
		resp.Body.Close()
		<-left
		_, _, err = get(t, srv, ConfigMaps+"?watch=true&resourceVersion=11")
		assert.NoError(t, err)
	})
}

func TestHeaderThatNeverComesRunsIntoTheClientsTimeout(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		if o.TCP {
			return // would wait for real
		}
		srv := NewServer(t, Script{On(List(ConfigMaps), Hold())}, o)
		srv.Client().Transport.(*http.Transport).ResponseHeaderTimeout = 75 * time.Second
		start := time.Now()
		_, _, err := get(t, srv, ConfigMaps)
		require.Error(t, err)
		assert.Contains(t, err.Error(), "timeout awaiting response headers")
		assert.Equal(t, 75*time.Second, time.Since(start))
	})
}

func TestRawBytesArriveAsWritten(t *testing.T) {
	for name, o := range map[string]Options{"memory": {}, "tcp": {TCP: true}, "tls": {TLS: true}} {
		t.Run(name, func(t *testing.T) {
			srv := NewServer(t, Script{
				On(List("/half"), Raw("HTTP/1.1 200 OK\r\nContent-Ty"), Cut()),
				On(List("/http10"), Raw("HTTP/1.0 200 OK\r\nContent-Length: 9999\r\n\r\n"+`{"half":`), Cut()),
				On(List("/torn"), Respond(200), Raw("ff\r\n{\"half\":"), Cut()),
				On(List("/text"), Respond(404, "Content-Type: text/plain", "Connection: close"), Write("404 page not found\n")),
				On(List("/untyped"), Respond(200, "Content-Type:", "Content-Length: 2"), Write("{}")),
			}, o)
			_, _, err := get(t, srv, "/half")
			assert.ErrorContains(t, err, `malformed MIME header: missing colon: "Content-Ty"`)
			_, body, err := get(t, srv, "/http10")
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, `{"half":`, body)
			_, body, err = get(t, srv, "/torn")
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, `{"half":`, body)
			status, body, err := get(t, srv, "/text")
			assert.NoError(t, err)
			assert.Equal(t, 404, status)
			assert.Equal(t, "404 page not found\n", body)
			resp, err := open(t, srv, "/untyped")
			require.NoError(t, err)
			assert.NotContains(t, resp.Header, "Content-Type")
			resp.Body.Close()
			assert.Equal(t, 5, srv.Requests()[4].Conn)
		})
	}
}

func TestCloseDelimitedBodyEndsCleanEvenHalfway(t *testing.T) {
	for name, o := range map[string]Options{"memory": {}, "tcp": {TCP: true}} {
		t.Run(name, func(t *testing.T) {
			srv := NewServer(t, Script{
				On(List("/"), Raw("HTTP/1.0 200 OK\r\n\r\n"), Write(`{"half":`), Cut()),
			}, o)
			_, body, err := get(t, srv, "/")
			assert.NoError(t, err)
			assert.Equal(t, `{"half":`, body)
		})
	}
}

func TestUnaskedAnswerOnAnIdleConnectionCostsOnlyTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(t, Script{
			On(List("/1"), append(JSON(200, "{}"), Pause(time.Minute),
				Raw("HTTP/1.0 408 Request Time-out\r\nConnection: close\r\n\r\n<html/>"), Cut())...),
			On(List("/2"), JSON(200, "{}")...),
		}, Options{})
		_, body, err := get(t, srv, "/1")
		require.NoError(t, err)
		assert.Equal(t, "{}", body)
		time.Sleep(2 * time.Minute)
		_, _, err = get(t, srv, "/2")
		require.NoError(t, err)
		assert.Equal(t, 2, srv.Requests()[1].Conn)
	})
}

func TestRefuseAndDrop(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		if o.HTTP2 && o.TLS {
			return // net/http may connect twice for one request, so nobody can count
		}
		srv := NewServer(t, Script{
			On(List("/1"), JSON(200, "{}")...),
			Refuse(2),
			Drop(1),
			On(List("/2"), JSON(200, "{}")...),
		}, o)
		_, _, err := get(t, srv, "/1")
		require.NoError(t, err)
		for range 2 {
			_, _, err = get(t, srv, "/2")
			assert.ErrorIs(t, err, syscall.ECONNREFUSED)
		}
		_, _, err = get(t, srv, "/2")
		assert.Error(t, err)
		assert.NotErrorIs(t, err, syscall.ECONNREFUSED)
		_, _, err = get(t, srv, "/2")
		assert.NoError(t, err)
	})
}

func TestPauseCostsNoRealTimeAndEndsWhenTheClientLeaves(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		if o.TCP {
			return
		}
		srv := NewServer(t, Script{
			On(Watch(ConfigMaps, "10"), Respond(200), Pause(300*time.Second), Write(Bookmark("11")), End()),
			On(Watch(ConfigMaps, "11"), Respond(200), Pause(1000*time.Hour), Do(func() { t.Error("went on without a client") })),
		}, o)
		start := time.Now()
		_, body, err := get(t, srv, watch10)
		require.NoError(t, err)
		assert.Equal(t, Bookmark("11"), body)
		assert.Equal(t, 300*time.Second, time.Since(start))
		assert.Equal(t, start, srv.Requests()[0].Time)

		resp, err := open(t, srv, ConfigMaps+"?watch=true&resourceVersion=11")
		require.NoError(t, err)
		resp.Body.Close()
	})
}

func TestDoRunsWhenTheScriptGetsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		srv := NewServer(t, Script{
			On(List("/"), Do(func() { got = append(got, "before") }), Respond(200), Write("{}"), End(),
				Do(func() { got = append(got, "after") })),
		}, Options{})
		_, _, err := get(t, srv, "/")
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []string{"before", "after"}, got)
	})
}

func TestBigBodiesPassWhileTheClientReadsSlowly(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		big := strings.Repeat("0123456789abcdef", 300<<10) // 4.7 MiB: past every window
		srv := NewServer(t, Script{On(List("/"), Respond(200), Write(big))}, o)
		resp, err := open(t, srv, "/")
		require.NoError(t, err)
		defer resp.Body.Close()
		if !o.TCP {
			time.Sleep(time.Minute) // the server has to wait for the reader
		}
		b, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, len(big), len(b))
		assert.True(t, big == string(b))
	})
}

// spy is a TB that takes notes.
type spy struct {
	*testing.T
	mu   sync.Mutex
	said []string
}

func (s *spy) Errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, fmt.Sprintf(format, args...))
}

func (s *spy) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestRequestThatDoesNotMatchFailsTheTestOnceAndStopsTheLoop(t *testing.T) {
	inAllWays(t, func(t *testing.T, o Options) {
		s := &spy{T: t}
		srv := NewServer(s, Script{
			On(List(ConfigMaps), JSON(200, "{}")...),
			On(Watch(ConfigMaps, "10"), Respond(200)),
			On(Watch(ConfigMaps, "11"), Respond(200)),
		}, o)
		_, _, err := get(t, srv, ConfigMaps)
		require.NoError(t, err)
		status, body, err := get(t, srv, ConfigMaps+"?watch=true&resourceVersion=11")
		require.NoError(t, err)
		assert.Equal(t, 599, status)
		assert.Contains(t, body, `query resourceVersion: want "10", got "11"`)

		req, _ := http.NewRequestWithContext(srv.Context(), "GET", srv.URL().String()+watch10, nil)
		_, err = srv.Client().Do(req) // would be right now, but is too late
		assert.Error(t, err)
		assert.Error(t, srv.Context().Err())
		srv.Close()
		require.Len(t, s.said, 1)
		assert.Equal(t, `replay: request 2 of 3 does not match
	got:  GET /api/v1/namespaces/t/configmaps?watch=true&resourceVersion=11
	want: GET /api/v1/namespaces/t/configmaps?resourceVersion=10&watch=true
	query resourceVersion: want "10", got "11"
	it would match exchange 3`, s.said[0])
	})
}

func TestWhatIsLeftOfTheScriptFailsTheTest(t *testing.T) {
	s := &spy{T: t}
	srv := NewServer(s, Script{
		On(List("/a"), JSON(200, "{}")...),
		Refuse(2),
		On(Watch("/b", "5"), Respond(200)),
	}, Options{})
	_, _, err := get(t, srv, "/a")
	require.NoError(t, err)
	srv.Close()
	require.Len(t, s.said, 1)
	assert.Equal(t, `replay: 2 of 3 exchanges were never asked for:
	2: 2 refused connections
	3: GET /b?resourceVersion=5&watch=true
requests that came:
	GET /a (connection 1)`, s.said[0])
}

func TestRequestsAreMatchedByWhatTheyName(t *testing.T) {
	wants := Request{
		Path:   "/p",
		Query:  map[string]string{"limit": "5", "continue": ""},
		Header: map[string]string{"Accept": "a/b", "Authorization": "Bearer right"},
		Check:  func(r *http.Request) error { return errors.New("never") },
	}
	for name, c := range map[string]struct {
		url    string
		header http.Header
		method string
		want   []string
	}{
		"all wrong": {"/q?continue=x", http.Header{"Authorization": {"Bearer wrong"}}, "POST", []string{
			"method: want GET, got POST", "path: want /p, got /q", `query continue: want "", got "x"`,
			`query limit: want "5", got ""`, `header Accept: want "a/b", got ""`, "header Authorization: not the wanted value (12 bytes)"}},
		"other keys are free": {"/p?limit=5&x=y&continue=", http.Header{"Accept": {"a/b"}, "Authorization": {"Bearer right"}}, "GET",
			[]string{"check: never"}},
		"escapes are kept": {"/%70?limit=5", http.Header{"Accept": {"a/b"}, "Authorization": {"Bearer right"}}, "GET",
			[]string{"path: want /p, got /%70"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &spy{T: t}
			srv := NewServer(s, Script{On(wants, Respond(200))}, Options{})
			req, err := http.NewRequestWithContext(t.Context(), c.method, srv.URL().String()+c.url, nil)
			require.NoError(t, err)
			req.Header = c.header
			resp, err := srv.Client().Do(req)
			require.NoError(t, err)
			resp.Body.Close()
			srv.Close()
			require.Len(t, s.said, 1)
			for _, line := range c.want {
				assert.Contains(t, s.said[0], "\n\t"+line)
			}
			assert.NotContains(t, s.said[0], "wrong")
			assert.Equal(t, len(c.want), strings.Count(s.said[0], "\n\t")-2, s.said[0])
		})
	}
}

func TestWithAddsToACopy(t *testing.T) {
	page := List("/p")
	next := page.With("continue", "t o")
	assert.Equal(t, "GET /p", page.String())
	assert.Equal(t, "GET /p?continue=t+o", next.String())
	assert.Equal(t, "GET *?a=b", Request{}.With("a", "b").String())
}

func TestScriptsThatCannotBePlayedAreRefusedAtOnce(t *testing.T) {
	for want, steps := range map[string][]Step{
		"exchange 1 has no steps; an answer that never comes is Hold": {},
		"exchange 1, step 1: the zero Step does nothing":              {{}},
		"exchange 1, step 2: nothing can follow Cut":                  {Respond(200), Cut(), End()},
		"exchange 1, step 1: nothing can follow Hold":                 {Hold(), Respond(200)},
		"exchange 1, step 2: RstStream needs Options.HTTP2":           {Respond(200), RstStream(2)},
		"exchange 1, step 1: GoAway needs Options.HTTP2":              {GoAway(0)},
	} {
		assert.PanicsWithValue(t, "replay: "+want, func() { NewServer(&spy{T: t}, Script{On(List("/"), steps...)}, Options{}) })
	}
}
