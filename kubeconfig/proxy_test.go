package kubeconfig

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

// wiretap is a proxy's ear: what passes it must not hold the token, which is
// SECRET in all these tests.
type wiretap struct {
	mu    sync.Mutex
	heard bytes.Buffer
}

func newWiretap(t *testing.T) *wiretap {
	w := new(wiretap)
	t.Cleanup(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		assert.NotZero(t, w.heard.Len(), "nothing has passed the proxy")
		assert.NotContains(t, w.heard.String(), "SECRET", "the proxy has seen the token")
	})
	return w
}

func (w *wiretap) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heard.Write(p)
}

// join passes on what comes, both ways, until both have ended.
func (w *wiretap) join(conn io.ReadWriteCloser, already io.Reader, upstream net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(upstream, io.TeeReader(already, w))
		upstream.Close()
	}()
	io.Copy(conn, io.TeeReader(upstream, w))
	conn.Close()
	<-done
}

// connectProxy is an http proxy that notes what it is asked for and connects
// to target whatever that is.
func connectProxy(t *testing.T, target string) (proxy *httptest.Server, requests *[]string) {
	requests = new([]string)
	tap := newWiretap(t)
	proxy = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*requests = append(*requests, fmt.Sprintf("%s %s auth=%q proxy-auth=%q", r.Method, r.Host, r.Header.Get("Authorization"), r.Header.Get("Proxy-Authorization")))
		upstream, err := net.Dial("tcp", target)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusOK)
		// What the client has sent since the 200 may have been read already.
		conn, buffered, err := w.(http.Hijacker).Hijack()
		if err != nil {
			upstream.Close()
			return
		}
		tap.join(conn, buffered, upstream)
	}))
	t.Cleanup(proxy.Close)
	return proxy, requests
}

func TestProxyURLIsUsed(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) })
	proxy, requests := connectProxy(t, server.Listener.Addr().String())
	proxyURL, err := url.Parse(proxy.URL)
	require.NoError(t, err)
	proxyURL.User = url.UserPassword("me", "pw")
	// Neither of these may count.
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	t.Setenv("NO_PROXY", "api.test")

	cluster := fmt.Sprintf("{server: https://api.test:6443, certificate-authority-data: %s, proxy-url: %s}",
		base64.StdEncoding.EncodeToString(ca.PEM), proxyURL)
	config, err := loadText(t, t.TempDir(), file(cluster, "{token: SECRET}"), Options{})
	require.NoError(t, err)
	_, body := fetchBody(t, config)
	assert.Equal(t, "Bearer SECRET", body)
	assert.Equal(t, []string{`CONNECT api.test:6443 auth="" proxy-auth="Basic bWU6cHc="`}, *requests)
}

func TestProxyOfTheEnvironment(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.test:3128")
	t.Setenv("NO_PROXY", "10.0.0.0/8,.internal,fd00::/8")
	choose, err := proxyFor("")
	require.NoError(t, err)
	for target, want := range map[string]string{
		"https://api.test:6443":    "http://proxy.test:3128",
		"https://10.1.2.3:6443":    "",
		"https://11.1.2.3:6443":    "http://proxy.test:3128",
		"https://k.internal":       "",
		"https://[fd00::1]:6443":   "",
		"https://127.0.0.1:6443":   "",
		"http://api.test:8080":     "",
		"https://kubernetes.local": "http://proxy.test:3128",
	} {
		u, err := url.Parse(target)
		require.NoError(t, err)
		proxy, err := choose(&http.Request{URL: u})
		require.NoError(t, err)
		got := ""
		if proxy != nil {
			got = proxy.String()
		}
		assert.Equal(t, want, got, target)
	}
}

// TestSocksProxyResolvesNames speaks just enough of SOCKS 5 (RFC 1928) to see
// that the proxy is given a name and not an address.
func TestSocksProxyResolvesNames(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	tap := newWiretap(t)
	asked := make(chan string, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		head := make([]byte, 2)
		io.ReadFull(conn, head)
		io.ReadFull(conn, make([]byte, head[1])) // methods
		conn.Write([]byte{5, 0})
		request := make([]byte, 5) // version, connect, reserved, 3 = a name, its length
		io.ReadFull(conn, request)
		name := make([]byte, request[4])
		io.ReadFull(conn, name)
		io.ReadFull(conn, make([]byte, 2)) // port
		asked <- fmt.Sprintf("%d %s", request[3], name)
		conn.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		upstream, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		tap.join(conn, conn, upstream)
	}()
	cluster := fmt.Sprintf("{server: https://api.test, certificate-authority-data: %s, proxy-url: socks5://%s}",
		base64.StdEncoding.EncodeToString(ca.PEM), listener.Addr())
	config, err := loadText(t, t.TempDir(), file(cluster, "{token: SECRET}"), Options{})
	require.NoError(t, err)
	_, body := fetchBody(t, config)
	assert.Equal(t, "Bearer SECRET", body)
	assert.Equal(t, "3 api.test", <-asked)
	config.Client.CloseIdleConnections()
	<-done
}

// TestProxyVariablesAreObeyed sends requests, which TestProxyOfTheEnvironment
// does not: addresses outside of NO_PROXY's ranges reach the server through the
// proxy, and those inside do not get to it.
func TestProxyVariablesAreObeyed(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) })
	proxy, requests := connectProxy(t, server.Listener.Addr().String())
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("NO_PROXY", "192.0.2.0/24, 2001:db8::/32")
	load := func(host string) *Config {
		cluster := fmt.Sprintf("{server: 'https://%s:6443', tls-server-name: api.test, certificate-authority-data: %s}", host, base64.StdEncoding.EncodeToString(ca.PEM))
		config, err := loadText(t, t.TempDir(), file(cluster, "{token: SECRET}"), Options{})
		require.NoError(t, err)
		return config
	}
	// These addresses are for documentation (RFC 5737, RFC 3849): nobody is there.
	_, body := fetchBody(t, load("198.51.100.7"))
	assert.Equal(t, "Bearer SECRET", body)
	for _, host := range []string{"192.0.2.7", "[2001:db8::7]"} {
		config := load(host)
		for _, detail := range config.Details() {
			if detail.Name == "proxy" {
				assert.Equal(t, "none", detail.Value)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		request, err := http.NewRequestWithContext(ctx, "GET", config.Server.String(), nil)
		require.NoError(t, err)
		_, err = config.Client.Do(request)
		require.Error(t, err)
		cancel()
	}
	assert.Equal(t, []string{`CONNECT 198.51.100.7:6443 auth="" proxy-auth=""`}, *requests)
}

// TestProxyOverTLS: what a proxy is asked for, and the password for it, are not
// in the clear on the way there.
func TestProxyOverTLS(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) })
	plain, requests := connectProxy(t, server.Listener.Addr().String())
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{ca.Server}})
	require.NoError(t, err)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", plain.Listener.Addr().String())
			if err != nil {
				conn.Close()
				return
			}
			go func() { io.Copy(upstream, conn); upstream.Close() }()
			go func() { io.Copy(conn, upstream); conn.Close() }()
		}
	}()
	cluster := fmt.Sprintf("{server: 'https://api.test:6443', certificate-authority-data: %s, proxy-url: 'https://me:pw@%s'}",
		base64.StdEncoding.EncodeToString(ca.PEM), listener.Addr())
	config, err := loadText(t, t.TempDir(), file(cluster, "{token: SECRET}"), Options{})
	require.NoError(t, err)
	_, body := fetchBody(t, config)
	assert.Equal(t, "Bearer SECRET", body)
	assert.Equal(t, []string{`CONNECT api.test:6443 auth="" proxy-auth="Basic bWU6cHc="`}, *requests)
	config.Client.CloseIdleConnections()
}
