package transport

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/internal/testpki"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// newClient makes a client for server, and closes its connections at the end.
func newClient(t *testing.T, server *httptest.Server, ca *testpki.Authority, change func(*Config)) *http.Client {
	t.Helper()
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	config := Config{Server: u}
	if ca != nil {
		config.TLS.CA.Data = ca.PEM
	}
	if change != nil {
		change(&config)
	}
	client, err := NewClient(config)
	require.NoError(t, err)
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// get sends a GET and returns status and body.
func get(t *testing.T, client *http.Client, url string) (int, string) {
	t.Helper()
	resp, err := client.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// journal notes what a server saw.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) all() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines...)
}

func TestRefusedTokenIsReadAgainAndTheRequestSentOnceMore(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	accept := "Bearer T1"
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") != accept {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	dir := newProjected(t, "T1\n")
	token, err := TokenFile(dir.path(), "")
	require.NoError(t, err)
	client := newClient(t, server, ca, func(c *Config) { c.Credential = token })

	code, _ := get(t, client, server.URL)
	assert.Equal(t, 200, code)

	dir.swap("T2\n")
	accept = "Bearer T2"
	code, _ = get(t, client, server.URL)
	assert.Equal(t, 200, code)
	assert.Equal(t, []string{"Bearer T1", "Bearer T1", "Bearer T2"}, seen.all())

	// The server refuses the new one as well: its answer is passed on, once.
	accept = "nothing"
	code, _ = get(t, client, server.URL)
	assert.Equal(t, 401, code)
	assert.Len(t, seen.all(), 4, "the file has not changed, so there is nothing to try")
}

// ticket is a credential that counts and has a new token each time.
type ticket struct {
	mu          sync.Mutex
	n, renewals int
	err         error
}

func (c *ticket) Proof(context.Context) (Proof, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Proof{Authorization: fmt.Sprintf("Bearer %d", c.n)}, c.err
}

func (c *ticket) Renew(context.Context, Proof) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.renewals++
	return true, c.err
}

func TestSecondRefusalIsTheAnswer(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "no")
	})
	c := new(ticket)
	client := newClient(t, server, ca, func(config *Config) { config.Credential = c })
	code, body := get(t, client, server.URL)
	assert.Equal(t, 401, code)
	assert.Equal(t, "no", body)
	assert.Equal(t, []string{"Bearer 0", "Bearer 1"}, seen.all())
	assert.Equal(t, 1, c.renewals)
}

func TestRequestWithABodyIsSentAgainWhole(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen.add(string(body))
		if r.Header.Get("Authorization") == "Bearer 0" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	client := newClient(t, server, ca, func(config *Config) { config.Credential = new(ticket) })
	resp, err := client.Post(server.URL, "text/plain", strings.NewReader("hello"))
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 200, resp.StatusCode)
	assert.Equal(t, []string{"hello", "hello"}, seen.all())

	// A body that cannot be had twice means that there is no second try.
	client = newClient(t, server, ca, func(config *Config) { config.Credential = new(ticket) })
	resp, err = client.Post(server.URL, "text/plain", io.MultiReader(strings.NewReader("once")))
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, 401, resp.StatusCode)
	assert.Equal(t, []string{"hello", "hello", "once"}, seen.all())
}

func TestCredentialThatCannotBeHad(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { t.Error("a request came") })
	reason := errors.New("exec: executable x not found")
	client := newClient(t, server, ca, func(config *Config) { config.Credential = &ticket{err: reason} })
	_, err := client.Get(server.URL)
	require.ErrorIs(t, err, reason)
	var failed *CredentialError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, "credentials", failed.FailureKind())
	assert.EqualError(t, failed, "transport: getting credentials: exec: executable x not found")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	_, err = client.Do(req)
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, errors.As(err, &failed), "a request that was given up says so")
}

func TestCredentialFromTheCallerIsLeftAlone(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	})
	c := new(ticket)
	client := newClient(t, server, ca, func(config *Config) { config.Credential = c })
	req, err := http.NewRequest(http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer theirs")
	resp, err := client.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, []string{"Bearer theirs"}, seen.all())
	assert.Zero(t, c.renewals)
}

func TestNoCredentialsOverPlainHTTP(t *testing.T) {
	var seen journal
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen.add(r.Header.Get("Authorization") + "/" + r.Header.Get("Impersonate-User"))
	}))
	defer server.Close()
	client := newClient(t, server, nil, func(config *Config) {
		config.Credential = new(ticket)
		config.Impersonate = http.Header{"Impersonate-User": {"bob"}}
		config.TLS.CA.File = "/nowhere" // not looked at either
	})
	code, _ := get(t, client, server.URL)
	assert.Equal(t, 200, code)
	assert.Equal(t, []string{"/bob"}, seen.all())
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	other := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add("other " + r.Header.Get("Authorization"))
	})
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.URL.Path)
		target := other.URL
		if r.URL.Path == "/same" {
			target = "/elsewhere"
		}
		http.Redirect(w, r, target, http.StatusFound)
	})
	client := newClient(t, server, ca, func(config *Config) { config.Credential = new(ticket) })
	code, _ := get(t, client, server.URL+"/other")
	assert.Equal(t, http.StatusFound, code)
	assert.Equal(t, []string{"/other"}, seen.all())

	// A copy with Go's own redirect policy is stopped by the RoundTripper.
	follower := &http.Client{Transport: client.Transport}
	for _, path := range []string{"/other", "/same"} {
		_, err := follower.Get(server.URL + path)
		var foreign *ForeignRequestError
		require.ErrorAs(t, err, &foreign)
		assert.True(t, foreign.Redirect)
	}
	assert.Equal(t, []string{"/other", "/other", "/same"}, seen.all())
}

func TestRequestsToOtherServersAreRefused(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(http.ResponseWriter, *http.Request) {})
	client := newClient(t, server, ca, func(config *Config) {
		config.Server = &url.URL{Scheme: "https", Host: "API.test"}
		config.Credential = new(ticket)
	})
	for _, target := range []string{server.URL, "http://api.test", "https://api.test:6443", "https://api.test.evil", "http://api.test:443"} {
		_, err := client.Get(target)
		var foreign *ForeignRequestError
		require.ErrorAs(t, err, &foreign, target)
		assert.Equal(t, "https://api.test:443", foreign.Origin)
	}
	r := client.Transport.(*roundTripper)
	for _, target := range []string{"https://api.test", "https://api.test:443/x?y", "https://Api.Test/"} {
		u, err := url.Parse(target)
		require.NoError(t, err)
		assert.NoError(t, r.admit(&http.Request{URL: u}), target)
	}
}

func TestImpersonationHeaders(t *testing.T) {
	ca := testpki.New(t)
	var got http.Header
	server := ca.Serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header })
	client := newClient(t, server, ca, func(config *Config) {
		var err error
		config.Impersonate, err = Impersonation{
			User: "bob", UID: "7", Groups: []string{"a", "b"},
			Extra: map[string][]string{"acme.com/x: y%": {"p", "q"}},
		}.Header()
		require.NoError(t, err)
	})
	get(t, client, server.URL)
	assert.Equal(t, []string{"bob"}, got["Impersonate-User"])
	assert.Equal(t, []string{"7"}, got["Impersonate-Uid"])
	assert.Equal(t, []string{"a", "b"}, got["Impersonate-Group"])
	key := http.CanonicalHeaderKey("Impersonate-Extra-acme.com%2fx%3a%20y%25")
	assert.Equal(t, []string{"p", "q"}, got[key], "%v", got)

	req, err := http.NewRequest(http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	req.Header.Set("Impersonate-User", "alice")
	resp, err := client.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	assert.Equal(t, []string{"alice"}, got["Impersonate-User"])
	assert.Empty(t, got["Impersonate-Group"], "a request that brings its own is left alone")

	assert.Equal(t, "a%2Fb%3Ac%20d%25", escapeHeaderKey("a/b:c d%"))

	for _, bad := range []Impersonation{{Groups: []string{"g"}}, {UID: "7"}, {Extra: map[string][]string{"k": nil}}, {User: "a\r\nb"}} {
		_, err := bad.Header()
		var input *InputError
		require.ErrorAs(t, err, &input, "%v", bad)
		assert.Equal(t, "as", input.Field)
	}
	none, err := Impersonation{}.Header()
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestUserAgent(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	server := ca.Serve(t, func(_ http.ResponseWriter, r *http.Request) { seen.add(r.UserAgent()) })
	get(t, newClient(t, server, ca, nil), server.URL)
	client := newClient(t, server, ca, func(config *Config) { config.UserAgent = "mine/1" })
	get(t, client, server.URL)
	req, err := http.NewRequest(http.MethodGet, server.URL, nil)
	require.NoError(t, err)
	req.Header.Set("User-Agent", "request/1")
	resp, err := client.Do(req)
	require.NoError(t, err)
	resp.Body.Close()
	lines := seen.all()
	require.Len(t, lines, 3)
	assert.True(t, strings.HasPrefix(lines[0], "rawwatch ("), lines[0])
	assert.Equal(t, []string{"mine/1", "request/1"}, lines[1:])
}

func TestRequestTimeoutSparesWatches(t *testing.T) {
	ca := testpki.New(t)
	release := make(chan struct{})
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		if isWatch(r) {
			<-release
			io.WriteString(w, "event")
			return
		}
		<-r.Context().Done()
	})
	client := newClient(t, server, ca, func(config *Config) { config.RequestTimeout = 50 * time.Millisecond })

	watch, err := client.Get(server.URL + "?watch=true")
	require.NoError(t, err)
	defer watch.Body.Close()

	list, err := client.Get(server.URL)
	require.NoError(t, err)
	_, err = io.ReadAll(list.Body)
	list.Body.Close()
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "request timeout of 50ms")

	// The watch is older than the list that has timed out.
	close(release)
	body, err := io.ReadAll(watch.Body)
	require.NoError(t, err)
	assert.Equal(t, "event", string(body))

	for query, want := range map[string]bool{
		"": false, "watch=0": false, "watch=false": false, "watch=true": true, "watch=1": true, "watch": true, "limit=5&watch=true": true,
	} {
		assert.Equal(t, want, isWatch(&http.Request{URL: &url.URL{RawQuery: query}}), query)
	}
}

func TestRequestTimeoutBeforeTheHeaders(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	client := newClient(t, server, ca, func(config *Config) { config.RequestTimeout = 50 * time.Millisecond })
	_, err := client.Get(server.URL)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "request timeout of 50ms")
}

func TestPoolSettings(t *testing.T) {
	t.Setenv("DISABLE_HTTP2", "")
	client, err := NewClient(Config{Server: &url.URL{Scheme: "https", Host: "h"}, TLS: TLS{ServerName: "n"}, DisableCompression: true})
	require.NoError(t, err)
	assert.Zero(t, client.Timeout, "it would end watches")
	assert.ErrorIs(t, client.CheckRedirect(nil, nil), http.ErrUseLastResponse)
	pool := client.Transport.(*roundTripper).newPool(nil, nil)
	assert.EqualValues(t, 0x0303, pool.TLSClientConfig.MinVersion, "TLS 1.2")
	assert.Equal(t, "n", pool.TLSClientConfig.ServerName)
	assert.False(t, pool.TLSClientConfig.InsecureSkipVerify)
	assert.Equal(t, 10*time.Second, pool.TLSHandshakeTimeout)
	assert.Equal(t, 75*time.Second, pool.ResponseHeaderTimeout)
	assert.Equal(t, 25, pool.MaxIdleConnsPerHost)
	assert.Equal(t, 30*time.Second, pool.HTTP2.SendPingTimeout)
	assert.Equal(t, 15*time.Second, pool.HTTP2.PingTimeout)
	assert.Equal(t, 10*time.Second, pool.HTTP2.WriteByteTimeout)
	assert.True(t, pool.Protocols.HTTP2())
	assert.True(t, pool.DisableCompression)
	assert.Nil(t, pool.Proxy)
}

func TestProtocolVariables(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	_, body := get(t, newClient(t, server, ca, nil), server.URL)
	assert.Equal(t, "HTTP/2.0", body)

	t.Setenv("DISABLE_HTTP2", "x")
	_, body = get(t, newClient(t, server, ca, nil), server.URL)
	assert.Equal(t, "HTTP/1.1", body)

	t.Setenv("HTTP2_READ_IDLE_TIMEOUT_SECONDS", "7")
	t.Setenv("HTTP2_PING_TIMEOUT_SECONDS", "many")
	assert.Equal(t, wire{http1Only: true, pingAfter: 7 * time.Second, pingTimeout: pingTimeout, writeTimeout: writeTimeout}, wireFromEnvironment())
}

func TestBadConfigurationIsRefused(t *testing.T) {
	https := &url.URL{Scheme: "https", Host: "h"}
	ca := testpki.New(t)
	_, key := ca.Client(t, "c")
	for name, tc := range map[string]struct {
		config Config
		field  string
	}{
		"no server":       {Config{}, "server"},
		"other scheme":    {Config{Server: &url.URL{Scheme: "ftp", Host: "h"}}, "server"},
		"no host":         {Config{Server: &url.URL{Scheme: "https"}}, "server"},
		"insecure and CA": {Config{Server: https, TLS: TLS{Insecure: true, CA: Source{Data: ca.PEM}}}, "insecure-skip-tls-verify"},
		"key as CA":       {Config{Server: https, TLS: TLS{CA: Source{Data: key}}}, "certificate-authority"},
		"empty CA":        {Config{Server: https, TLS: TLS{CA: Source{File: os.DevNull}}}, "certificate-authority"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewClient(tc.config)
			var input *InputError
			require.ErrorAs(t, err, &input)
			assert.Equal(t, tc.field, input.Field)
			assert.False(t, strings.Contains(err.Error(), "\n"))
		})
	}
}

func mustURL(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	require.NoError(t, err)
	return u
}

// TestProxyThatRefusesIsNamed: net/http's own error is the text behind the
// number, which is whatever the proxy likes to write there.
func TestProxyThatRefusesIsNamed(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err == nil {
			fmt.Fprintf(conn, "HTTP/1.1 407 no: %s\r\nContent-Length: 0\r\n\r\n", request.Header.Get("Proxy-Authorization"))
		}
	}()
	proxy := mustURL(t, "http://me:SECRET@"+listener.Addr().String())
	client, err := NewClient(Config{Server: mustURL(t, "https://api.test"), Proxy: http.ProxyURL(proxy)})
	require.NoError(t, err)
	_, err = client.Get("https://api.test/")
	require.ErrorContains(t, err, "the proxy "+listener.Addr().String()+" answered CONNECT with 407 Proxy Authentication Required")
	assert.NotContains(t, err.Error(), base64.StdEncoding.EncodeToString([]byte("me:SECRET")))
}
