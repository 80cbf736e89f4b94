//go:build unix

package kubeconfig

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

// echoing is a server that answers with who the client is.
func echoing(t *testing.T) (ca *testpki.Authority, cluster string) {
	ca = testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) > 0 {
			io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
		}
		io.WriteString(w, "|"+r.Header.Get("Authorization"))
	})
	return ca, fmt.Sprintf("{server: %s, certificate-authority-data: %s}", server.URL, base64.StdEncoding.EncodeToString(ca.PEM))
}

const printed = `{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{%s}}`

// TestPluginsOfAllKinds runs small scripts, as people have them, from the file
// to the request.
func TestPluginsOfAllKinds(t *testing.T) {
	ca, cluster := echoing(t)
	cert, key := ca.Client(t, "alice")
	here := func(text string) string { return "cat <<'END'\n" + text + "\nEND\n" }
	pair := fmt.Sprintf(`"clientCertificateData":%q,"clientKeyData":%q`, cert, key)
	for name, tc := range map[string]struct {
		script, mode string
		body, err    string
	}{
		"token":       {here(fmt.Sprintf(printed, `"token":"tok"`)), "Never", "|Bearer tok", ""},
		"YAML":        {here("kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus:\n  token: tok\n  expirationTimestamp: 2999-01-01T00:00:00Z"), "Never", "|Bearer tok", ""},
		"certificate": {here(fmt.Sprintf(printed, pair)), "Never", "alice|", ""},
		"both":        {here(fmt.Sprintf(printed, pair+`,"token":"tok"`)), "Never", "alice|Bearer tok", ""},
		"no input":    {"cat\n" + here(fmt.Sprintf(printed, `"token":"tok"`)), "IfAvailable", "|Bearer tok", ""},
		"garbage":     {"echo SECRET: please log in", "Never", "", "the plugin printed an object that is not an ExecCredential"},
		"words":       {"echo SECRET please log in", "Never", "", "the plugin printed no ExecCredential: not JSON at byte 1"},
		"silence":     {"exit 0", "Never", "", "it printed nothing"},
		"failure":     {"echo SECRET; exit 3", "Never", "", "failed with exit code 3"},
		"crash":       {"kill -SEGV $$", "Never", "", "plugin failed: signal: segmentation fault"},
		"huge":        {"head -c 2000000 /dev/zero", "Never", "", "printed more than 1048576 bytes"},
		"version":     {here(strings.Replace(fmt.Sprintf(printed, `"token":"SECRET"`), "/v1", "/v1beta1", 1)), "Never", "", "configured to use API version client.authentication.k8s.io/v1, plugin returned version client.authentication.k8s.io/v1beta1"},
		"interactive": {here(fmt.Sprintf(printed, `"token":"SECRET"`)), "Always", "", "exec plugin cannot support interactive mode: standard input is not a terminal"},
		"missing":     {"", "Never", "", "not found: the credential plugin is not installed, or not in PATH: brew install it"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if tc.script != "" {
				script(t, dir, tc.script)
			}
			user := "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, installHint: brew install it, interactiveMode: " + tc.mode + "}}"
			config, err := loadText(t, dir, file(cluster, user), Options{Stderr: io.Discard})
			require.NoError(t, err)
			if tc.err == "" {
				_, body := fetchBody(t, config)
				assert.Equal(t, tc.body, body)
				return
			}
			_, err = config.Client.Get(config.Server.String())
			require.ErrorContains(t, err, tc.err)
			assert.NotContains(t, err.Error(), "SECRET")
			var kind interface{ FailureKind() string }
			require.ErrorAs(t, err, &kind)
			assert.Equal(t, "credentials", kind.FailureKind())
		})
	}
}

// TestPluginWhoseCredentialEndsSoon: the next one is asked for in time, and not
// with each request.
func TestPluginWhoseCredentialEndsSoon(t *testing.T) {
	_, cluster := echoing(t)
	dir := t.TempDir()
	script(t, dir, `
n=$(cat "$0.runs" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$0.runs"
printf '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t%d","expirationTimestamp":"%s"}}' $n "$(cat "$0.end")"
`)
	end := func(at time.Time) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.end"), []byte(at.UTC().Format(time.RFC3339)), 0o644))
	}
	began := time.Now()
	end(began.Add(2 * time.Second))
	config, err := loadText(t, dir, file(cluster, execUser), Options{})
	require.NoError(t, err)
	_, body := fetchBody(t, config)
	assert.Equal(t, "|Bearer t1", body)
	end(began.Add(time.Hour))
	require.Eventually(t, func() bool {
		_, body := fetchBody(t, config)
		return body == "|Bearer t2"
	}, 30*time.Second, 10*time.Millisecond)
	_, body = fetchBody(t, config)
	assert.Equal(t, "|Bearer t2", body)
}

// TestPluginThatHangsIsEnded: the request is given up, and the plugin with it.
func TestPluginThatHangsIsEnded(t *testing.T) {
	_, cluster := echoing(t)
	dir := t.TempDir()
	script(t, dir, "echo $$ >&2\nexec sleep 600\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	pid := make(chan int, 1)
	config, err := loadText(t, dir, file(cluster, execUser), Options{Stderr: writerFunc(func(p []byte) (int, error) {
		n, _ := strconv.Atoi(strings.TrimSpace(string(p)))
		pid <- n
		cancel()
		return len(p), nil
	})})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(ctx, "GET", config.Server.String(), nil)
	require.NoError(t, err)
	_, err = config.Client.Do(request)
	require.ErrorIs(t, err, context.Canceled)
	plugin := <-pid
	require.NotZero(t, plugin)
	// It has been killed, and somebody will have collected it soon.
	require.Eventually(t, func() bool { return syscall.Kill(plugin, 0) == syscall.ESRCH }, 10*time.Second, time.Millisecond)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestTokenIsSwappedWhileAWatchRuns: the kubelet swaps a link two levels up.
// The stream that runs goes on, and the next request has the new token.
func TestTokenIsSwappedWhileAWatchRuns(t *testing.T) {
	ca := testpki.New(t)
	accepted := make(chan string, 1)
	accepted <- "Bearer old"
	next := make(chan string)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		want := <-accepted
		accepted <- want
		if r.Header.Get("Authorization") != want {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, want+"\n")
		if r.URL.Query().Get("watch") == "" {
			return
		}
		w.(http.Flusher).Flush()
		for line := range next {
			io.WriteString(w, line)
			w.(http.Flusher).Flush()
		}
	})
	dir := t.TempDir()
	swap := func(version, token string) {
		require.NoError(t, os.Mkdir(filepath.Join(dir, version), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, version, "token"), []byte(token), 0o600))
		require.NoError(t, os.Symlink(version, filepath.Join(dir, "next")))
		require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "..data")))
	}
	swap("1", "old")
	require.NoError(t, os.Symlink(filepath.Join("..data", "token"), filepath.Join(dir, "token")))
	cluster := fmt.Sprintf("{server: %s, certificate-authority-data: %s}", server.URL, base64.StdEncoding.EncodeToString(ca.PEM))
	config, err := loadText(t, dir, file(cluster, "{tokenFile: token}"), Options{})
	require.NoError(t, err)
	watch, err := config.Client.Get(server.URL + "/?watch=true")
	require.NoError(t, err)
	defer watch.Body.Close()

	swap("2", "new\n")
	<-accepted
	accepted <- "Bearer new" // the old one has been revoked
	code, body := fetchBody(t, config)
	assert.Equal(t, 200, code)
	assert.Equal(t, "Bearer new\n", body)
	next <- "still here"
	close(next)
	rest, err := io.ReadAll(watch.Body)
	require.NoError(t, err)
	assert.Equal(t, "Bearer old\nstill here", string(rest))
}
