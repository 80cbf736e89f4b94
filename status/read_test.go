package status

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// body notes that it was closed.
type body struct {
	io.Reader
	closed atomic.Int32
}

func newBody(r io.Reader) *body { return &body{Reader: r} }

func (b *body) Close() error {
	b.closed.Add(1)
	if c, ok := b.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	e.read += len(p)
	return len(p), nil
}

func TestBodyIsClosed(t *testing.T) {
	for _, text := range []string{"", "text", strings.Repeat("x", maxBody), strings.Repeat("x", maxBody+1)} {
		resp := response(500, nil, text)
		e := FromResponse(resp)
		assert.EqualValues(t, 1, resp.Body.(*body).closed.Load())
		assert.Equal(t, len(text) > maxBody, e.Cut)
		assert.Equal(t, min(len(text), maxBody), e.Size)
	}
	assert.Equal(t, BodyEmpty, FromResponse(&http.Response{StatusCode: 500}).Body, "a response made by hand may have none")
}

func TestEndlessBodyIsReadTo64KiB(t *testing.T) {
	source := &endless{}
	e := FromResponse(&http.Response{StatusCode: 500, Body: newBody(source)})
	assert.Equal(t, 64<<10, e.Size)
	assert.True(t, e.Cut)
	assert.LessOrEqual(t, source.read, 64<<10+1)
	assert.LessOrEqual(t, len(e.Error()), 512)
}

// get sends a request through the real net/http, over a pipe whose other end
// answers it with head and then does rest.
func get(t *testing.T, ctx context.Context, head string, rest func(net.Conn)) *http.Response {
	t.Helper()
	var servers sync.WaitGroup
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		servers.Go(func() {
			defer server.Close()
			if _, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
				io.WriteString(server, head)
				rest(server)
			}
		})
		return client, nil
	}}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		servers.Wait()
	})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://server/", nil)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	return resp
}

func trickle(conn net.Conn) {
	for {
		if _, err := io.WriteString(conn, "1\r\nx\r\n"); err != nil {
			return
		}
		time.Sleep(300 * time.Millisecond)
	}
}

func stall(conn net.Conn) { io.Copy(io.Discard, conn) }

const chunked500 = "HTTP/1.1 500 Internal Server Error\r\nTransfer-Encoding: chunked\r\n\r\n"

func TestSlowBodyIsReadFor10Seconds(t *testing.T) {
	t.Run("trickling", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			e := FromResponse(get(t, t.Context(), chunked500, trickle))
			assert.Equal(t, 10*time.Second, time.Since(start))
			assert.Equal(t, 500, e.HTTPStatus)
			assert.Equal(t, strings.Repeat("x", 34), e.Message, "what came counts")
			assert.True(t, e.Cut)
		})
	})
	t.Run("stalled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			e := FromResponse(get(t, t.Context(), chunked500, stall))
			assert.Equal(t, 10*time.Second, time.Since(start))
			assert.Equal(t, RowServerError, Decide(Failure{Err: e}, Run{}).Row)
		})
	})
	t.Run("stalled, and Close waits for the read", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			stuck := stuckBody{make(chan struct{})}
			defer close(stuck.end)
			start := time.Now()
			e := FromResponse(&http.Response{StatusCode: 500, Body: stuck})
			assert.Equal(t, 10*time.Second+closeGrace, time.Since(start))
			assert.Equal(t, 500, e.HTTPStatus)
		})
	})
}

// stuckBody is like net/http's plain body, whose Read and Close share a mutex.
type stuckBody struct{ end chan struct{} }

func (b stuckBody) Read([]byte) (int, error) { <-b.end; return 0, io.EOF }
func (b stuckBody) Close() error             { <-b.end; return nil }

func TestCancelEndsTheRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		e := FromResponse(get(t, ctx, chunked500, trickle))
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, 500, e.HTTPStatus)
	})
}

// A body that was read to its end leaves its connection usable: the server
// sees the next request on it, and not its end.
func TestConnectionIsKeptAfterAWholeBody(t *testing.T) {
	for size, kept := range map[int]bool{0: true, 5: true, maxBody: true, maxBody + 100: false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, strings.Repeat("x", size))
		}))
		var reused bool
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused },
		})
		for range 2 {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
			require.NoError(t, err)
			resp, err := server.Client().Do(req)
			require.NoError(t, err)
			assert.Equal(t, 429, FromResponse(resp).HTTPStatus)
		}
		assert.Equal(t, kept, reused, "%d bytes", size)
		server.Close()
	}
}

func TestGzipThatWasNotAskedFor(t *testing.T) {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, `{"kind":"Status","reason":"Expired","code":410}`)
	w.Close()
	e := answer(410, zipped.String())
	assert.Equal(t, BodyStatus, e.Body)
	assert.Equal(t, "Expired", e.Reason)

	assert.Equal(t, BodyText, answer(500, "\x1f\x8b and then nothing of the kind").Body)

	zipped.Reset()
	w = gzip.NewWriter(&zipped)
	io.CopyN(w, &endless{}, 1<<20)
	w.Close()
	require.Less(t, zipped.Len(), maxBody)
	assert.LessOrEqual(t, len(answer(500, zipped.String()).Message), maxMessage, "a bomb stays small")
}

func TestRedirectKeepsTheHostAlone(t *testing.T) {
	base, err := url.Parse("https://api.example.com/k8s/api/v1/pods?watch=true")
	require.NoError(t, err)
	for _, tc := range []struct{ name, location, host string }{
		{"absolute", "https://user:hunter2@login.example.com:8443/sso?token=hunter2#hunter2", "login.example.com:8443"},
		{"relative", "/login?token=hunter2", "api.example.com"},
		{"none", "", ""},
		{"not a URL", "http://[::1:hunter2", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			header := http.Header{}
			if tc.location != "" {
				header.Set("Location", tc.location)
			}
			resp := response(302, header, "<a href='hunter2'>Found</a>")
			resp.Request = &http.Request{URL: base}
			e := FromResponse(resp)
			assert.Equal(t, tc.host, e.Location)
			assert.NotContains(t, e.Error(), "hunter2")
			assert.ErrorIs(t, e, ErrRedirect)
			if tc.host != "" {
				assert.Equal(t, "status: 302 Found: redirect to "+tc.host+" not followed", e.Error())
			}
		})
	}
	assert.Empty(t, FromResponse(response(500, http.Header{"Location": {"http://x/"}}, "")).Location)
}

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 30 Nov 2026 19:42:38 GMT"
	now := time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		name, value, date string
		want              time.Duration
	}{
		{"none", "", "", 0},
		{"seconds", "3", "", 3 * time.Second},
		{"seconds with spaces", " 3 ", "", 3 * time.Second},
		{"leading zeros", "0000000003", "", 3 * time.Second},
		{"zero", "0", "", 0},
		{"the cap", "300", "", 5 * time.Minute},
		{"over the cap", "301", "", 5 * time.Minute},
		{"absurd", "999999999", "", 5 * time.Minute},
		{"more than any integer", strings.Repeat("9", 400), "", 5 * time.Minute},
		{"negative", "-1", "", 0},
		{"signed", "+1", "", 0},
		{"a fraction", "1.5", "", 0},
		{"a word", "soon", "", 0},
		{"date, by the server's clock", "Mon, 30 Nov 2026 19:42:48 GMT", date, 10 * time.Second},
		{"date, without a Date header", "Mon, 30 Nov 2026 20:00:07 GMT", "", 7 * time.Second},
		{"date, with a broken Date header", "Mon, 30 Nov 2026 20:00:07 GMT", "today", 7 * time.Second},
		{"date in an old form", "Monday, 30-Nov-26 19:42:48 GMT", date, 10 * time.Second},
		{"date in the past", "Mon, 30 Nov 2026 19:42:37 GMT", date, 0},
		{"date in a far future", "Fri, 31 Dec 9999 23:59:59 GMT", date, 5 * time.Minute},
		{"date in a far past", "Mon, 01 Jan 0001 00:00:00 GMT", date, 0},
		{"not a date", "Mon, 99 Nov 2026 19:42:48 GMT", date, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			header := http.Header{"Retry-After": {tc.value}, "Date": {tc.date}}
			assert.Equal(t, tc.want, retryAfter(header, now))
		})
	}
}

func TestLargerHintWins(t *testing.T) {
	const body = `{"kind":"Status","code":429,"details":{"retryAfterSeconds":7}}`
	for value, want := range map[string]time.Duration{"3": 7 * time.Second, "9": 9 * time.Second, "junk": 7 * time.Second, "": 7 * time.Second} {
		e := FromResponse(response(429, http.Header{"Retry-After": {value}}, body))
		assert.Equal(t, want, e.RetryAfter, value)
		assert.Equal(t, 7*time.Second, e.Status.RetryAfter, value)
	}
	assert.Equal(t, 7*time.Second, FromEvent([]byte(body), nil).RetryAfter, "an event has no headers")
}

func TestEchoedCredentialsAreCutOut(t *testing.T) {
	const token = "abcd.efgh_secret"
	for _, tc := range []struct{ name, body string }{
		{"the header as it was", "GET / HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\nHost: x\r\n"},
		{"the token alone", "unknown token " + token},
		{"in a message", `{"kind":"Status","message":"bad token ` + token + `"}`},
		{"in the JSON of a gateway", `{"error":"who is ` + token + `?"}`},
		{"across where a message is clipped", strings.Repeat("x", maxMessage-8) + token},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp := response(401, nil, tc.body)
			resp.Request = &http.Request{Header: http.Header{"Authorization": {"Bearer " + token}}}
			e := FromResponse(resp)
			assert.NotContains(t, e.Message, "abcd")
			assert.NotContains(t, e.Error(), "abcd")
		})
	}
	// A password that the server has taken apart, in the texts beside the
	// message, and as it stands in a URL.
	resp := response(401, nil, `{"kind":"Status","message":"no pass/word","reason":"pass/word","details":{"name":"pass/word","kind":"pass%2Fword","causes":[{"reason":"pass/word","message":"pass/word","field":"pass/word"}]}}`)
	resp.Request = &http.Request{Header: http.Header{}}
	resp.Request.SetBasicAuth("me", "pass/word")
	e := FromResponse(resp)
	text, err := json.Marshal(e)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "word")

	// Without the request: a RoundTripper may hide what it added.
	for _, body := range []string{
		"authorization: Bearer xyz",
		`{"error":"{\"Authorization\": \"Bearer xyz\"}"}`,
		"proxy-authorization=xyz",
		`"\"Authorization\": \"Bearer xyz\""` + " as text",
		"got BEARER  xyzxyzxyzxyzxyzxyz!",
		"Basic xyzxyzxyzxyzxyzxyz==",
	} {
		assert.NotContains(t, answer(401, body).Message, "xyz", body)
	}
	for _, body := range []string{
		"bearer token required", "Authorization header missing", "basic authentication is off",
		`RBAC: clusterrole.rbac.authorization.k8s.io "x" not found`, "authorization", "bearer", "Bearer ",
	} {
		assert.Equal(t, strings.TrimSpace(body), answer(401, body).Message)
	}
}

func TestLineIsBounded(t *testing.T) {
	assert.Equal(t, "abc", line("abc", 3))
	assert.Equal(t, "…", line("abcd", 3))
	assert.Equal(t, "ab…", line("abcdef", 5))
	assert.Equal(t, "é…", line("éééé", 5))
	assert.Equal(t, `a\n…`, line("a\n\n\n", 6))
	assert.Equal(t, "", line("", 3))
}
