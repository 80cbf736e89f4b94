package incluster

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/internal/testpki"
)

// proxy is where HTTPS_PROXY points to in these tests. Package http reads that
// variable once in a process, and never uses it for loopback addresses.
var proxy net.Listener

func TestMain(m *testing.M) {
	var err error
	if proxy, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		panic(err)
	}
	os.Setenv("HTTPS_PROXY", "http://"+proxy.Addr().String())
	os.Unsetenv("NO_PROXY")
	os.Unsetenv("no_proxy")
	goleak.VerifyTestMain(m)
}

// pod is an account whose files are files, and whose variables are variables.
func pod(t *testing.T, files map[string]string, variables map[string]string) Account {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	return Account{Dir: dir, Getenv: func(name string) string { return variables[name] }}
}

func variables(host, port string) map[string]string {
	return map[string]string{"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
}

func TestFailureB53ServerOfAPodOnIPv6(t *testing.T) {
	for _, tc := range []struct{ host, port, want string }{
		{"10.0.0.1", "443", "https://10.0.0.1:443"},
		{"kubernetes.default.svc", "6443", "https://kubernetes.default.svc:6443"},
		{"fd00::1", "443", "https://[fd00::1]:443"},
		{"[fd00::1]", "443", "https://[fd00::1]:443"},
		{"", "443", ""},
		{"10.0.0.1", "", ""},
		{"10.0.0.1", "https", ""},
		{"10.0.0.1", "0", ""},
		{"10.0.0.1", "65536", ""},
		{"a/b", "443", ""},
		{"u@h", "443", ""},
		{"a b", "443", ""},
	} {
		server, err := Account{Getenv: func(name string) string { return variables(tc.host, tc.port)[name] }}.Server()
		if tc.want == "" {
			require.Error(t, err, "%q %q", tc.host, tc.port)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tc.want, server.String())
		// What is sent has to be what other code will parse.
		again, err := url.Parse(server.String())
		require.NoError(t, err)
		assert.Equal(t, tc.port, again.Port())
	}
}

func TestOutsideOfACluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	_, err := Load()
	require.ErrorIs(t, err, ErrNotInCluster)
	assert.False(t, Account{}.Possible())
}

func TestServiceAccountWithoutToken(t *testing.T) {
	account := pod(t, nil, variables("10.0.0.1", "443"))
	assert.False(t, account.Possible())
	_, err := account.Load()
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, "service account token")

	account = pod(t, map[string]string{"token": "\n"}, variables("10.0.0.1", "443"))
	_, err = account.Load()
	require.ErrorContains(t, err, "the token is empty")
}

func TestServiceAccountWithoutCA(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"missing": {"token": "t"},
		"bad":     {"token": "t", "ca.crt": "garbage"},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := pod(t, files, variables("10.0.0.1", "443")).Load()
			require.NoError(t, err)
			require.Len(t, config.Warnings, 1)
			assert.Contains(t, config.Warnings[0], "ca.crt")
		})
	}
}

func TestNamespaceOfAPod(t *testing.T) {
	files := map[string]string{"token": "t", "namespace": " by-file\n"}
	vars := variables("10.0.0.1", "443")
	assert.Equal(t, "by-file", pod(t, files, vars).Namespace())
	vars["POD_NAMESPACE"] = "by-variable"
	assert.Equal(t, "by-variable", pod(t, files, vars).Namespace())

	config, err := pod(t, map[string]string{"token": "t"}, variables("10.0.0.1", "443")).Load()
	require.NoError(t, err)
	assert.Equal(t, "default", config.Namespace)
}

// TestPodTokenIsReadAgain is a pod that talks to a server which refuses its
// token once the kubelet has put another one in place.
func TestPodTokenIsReadAgain(t *testing.T) {
	ca := testpki.New(t)
	accept := "Bearer T1"
	requests := 0
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.Header.Get("Authorization") != accept {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, accept)
	})
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	account := pod(t, map[string]string{"..token1": "T1\n", "..token2": "T2\n", "ca.crt": string(ca.PEM)}, variables(host, port))
	link := func(target string) {
		next := filepath.Join(account.Dir, "..next")
		require.NoError(t, os.Symlink(target, next))
		require.NoError(t, os.Rename(next, account.TokenFile()))
	}
	link("..token1")
	config, err := account.Load()
	require.NoError(t, err)
	defer config.Client.CloseIdleConnections()
	assert.Empty(t, config.Warnings)

	get := func() string {
		resp, err := config.Client.Get(config.Server.String())
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return string(body)
	}
	assert.Equal(t, "Bearer T1", get())
	link("..token2")
	accept = "Bearer T2"
	assert.Equal(t, "Bearer T2", get())
	assert.Equal(t, 3, requests)
}

// TestPodUsesTheProxyOfTheEnvironment: the proxy sees the name of the server,
// and no token.
func TestPodUsesTheProxyOfTheEnvironment(t *testing.T) {
	account := pod(t, map[string]string{"token": "SECRET"}, variables("kubernetes.test", "443"))
	config, err := account.Load()
	require.NoError(t, err)
	request := make(chan *http.Request, 1)
	go func() {
		defer close(request)
		conn, err := proxy.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		r, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		request <- r
		io.WriteString(conn, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
	}()
	_, err = config.Client.Get(config.Server.String())
	require.ErrorContains(t, err, "Bad Gateway")
	r := <-request
	require.NotNil(t, r)
	assert.Equal(t, "CONNECT kubernetes.test:443", r.Method+" "+r.Host)
	assert.Empty(t, r.Header.Get("Authorization"))
}
