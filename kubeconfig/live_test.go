package kubeconfig

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/internal/testpki"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// loadText loads a configuration whose file is text and seems to be in dir.
// Nothing of the real environment is seen.
func loadText(t *testing.T, dir, text string, o Options) (*Config, error) {
	t.Helper()
	o.Path = filepath.Join(dir, "config")
	l := &loader{
		env:        func(string) string { return "" },
		read:       func(string) ([]byte, error) { return []byte(text), nil },
		accountDir: filepath.Join(dir, "no-pod"),
	}
	config, err := l.load(o)
	if err == nil {
		t.Cleanup(config.Client.CloseIdleConnections)
	}
	return config, err
}

// file is a kubeconfig file with one of everything.
func file(cluster, user string) string {
	return fmt.Sprintf(`
clusters: [{name: k, cluster: %s}]
users: [{name: u, user: %s}]
contexts: [{name: c, context: {cluster: k, user: u}}]
current-context: c
`, cluster, user)
}

func fetchBody(t *testing.T, config *Config) (int, string) {
	t.Helper()
	resp, err := config.Client.Get(config.Server.String())
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(body)
}

// TestFailureB51ServerIsVerified goes through what can be said about a CA, with and
// without the insecure flag and another server name, against a server with a
// private CA. No combination may connect without verification except the one
// that asks for it.
func TestFailureB51ServerIsVerified(t *testing.T) {
	good, wrong := testpki.New(t), testpki.New(t)
	server := good.Serve(t, func(w http.ResponseWriter, _ *http.Request) {})
	crlf := bytes.ReplaceAll(good.PEM, []byte("\n"), []byte("\r\n"))
	const connects, refuses, fails = "connects", "handshake fails", "configuration error"
	authorities := map[string]struct {
		content  []byte // nil: none
		verified string // what happens when verification is on
	}{
		"none":             {nil, refuses},
		"good":             {good.PEM, connects},
		"wrong":            {wrong.PEM, refuses},
		"both":             {append(bytes.Clone(wrong.PEM), good.PEM...), connects},
		"CRLF":             {crlf, connects},
		"no final newline": {bytes.TrimSpace(good.PEM), connects},
		"text before":      {append([]byte("Subject: CN=test\n\n"), good.PEM...), connects},
		"BOM":              {append([]byte("\ufeff"), good.PEM...), connects},
		"garbage":          {[]byte("garbage"), fails},
		"unreadable":       {[]byte("unreadable"), fails},
	}
	for name, ca := range authorities {
		for _, asData := range []bool{false, true} {
			for _, insecure := range []string{"", "false", "true"} {
				for serverName, matches := range map[string]bool{"": true, "api.test": true, "other.test": false} {
					dir := t.TempDir()
					fields := []string{"server: " + server.URL}
					switch {
					case ca.content == nil:
						if asData {
							continue
						}
					case name == "unreadable":
						if asData {
							continue
						}
						fields = append(fields, "certificate-authority: missing.pem")
					case asData:
						fields = append(fields, "certificate-authority-data: "+base64.StdEncoding.EncodeToString(ca.content))
					default:
						require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.pem"), ca.content, 0o644))
						fields = append(fields, "certificate-authority: ca.pem")
					}
					if insecure != "" {
						fields = append(fields, "insecure-skip-tls-verify: "+insecure)
					}
					if serverName != "" {
						fields = append(fields, "tls-server-name: "+serverName)
					}

					want := ca.verified
					switch {
					case insecure == "true" && ca.content != nil:
						want = fails
					case insecure == "true":
						want = connects
					case want == connects && !matches:
						want = refuses
					}
					got := connects
					if config, err := loadText(t, dir, file("{"+strings.Join(fields, ", ")+"}", "{}"), Options{}); err != nil {
						got = fails
						assert.ErrorContains(t, err, `cluster "k"`)
					} else if resp, err := config.Client.Get(config.Server.String()); err != nil {
						got = refuses
						assert.ErrorContains(t, err, "x509: ")
					} else {
						resp.Body.Close()
					}
					assert.Equal(t, want, got, "CA %s (data: %v), insecure %q, server name %q", name, asData, insecure, serverName)
				}
			}
		}
	}
}

func TestMutualTLS(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) > 0 {
			io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
		}
		io.WriteString(w, "|"+r.Header.Get("Authorization"))
	})
	dir := t.TempDir()
	cert, key := ca.Client(t, "alice")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.pem"), cert, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.pem"), key, 0o600))
	b64 := base64.StdEncoding.EncodeToString
	cluster := fmt.Sprintf("{server: %s, certificate-authority-data: %s}", server.URL, b64(ca.PEM))
	for name, tc := range map[string]struct{ user, want string }{
		"files":     {"{client-certificate: c.pem, client-key: k.pem}", "alice|"},
		"data":      {fmt.Sprintf("{client-certificate-data: %s, client-key-data: %s}", b64(cert), b64(key)), "alice|"},
		"mixed":     {fmt.Sprintf("{client-certificate: c.pem, client-key-data: %s}", b64(key)), "alice|"},
		"and token": {"{client-certificate: c.pem, client-key: k.pem, token: t}", "alice|Bearer t"},
		"token":     {"{token: t}", "|Bearer t"},
		"basic":     {"{username: me, password: pw}", "|Basic bWU6cHc="},
		"nobody":    {"{}", "|"},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := loadText(t, dir, file(cluster, tc.user), Options{})
			require.NoError(t, err)
			_, body := fetchBody(t, config)
			assert.Equal(t, tc.want, body)
		})
	}
	t.Run("token flag", func(t *testing.T) {
		config, err := loadText(t, dir, file(cluster, "{client-certificate: c.pem, client-key: k.pem}"), Options{Token: "mine"})
		require.NoError(t, err)
		_, body := fetchBody(t, config)
		assert.Equal(t, "|Bearer mine", body)
	})
}

func TestServerOnIPv6(t *testing.T) {
	if l, err := net.Listen("tcp", "[::1]:0"); err != nil {
		t.Skip("no IPv6 on this machine")
	} else {
		l.Close()
	}
	ca := testpki.New(t)
	server := ca.ServeOn(t, "[::1]:0", func(http.ResponseWriter, *http.Request) {})
	host, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("t"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.crt"), ca.PEM, 0o644))
	env := map[string]string{"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
	l := &loader{env: func(name string) string { return env[name] }, accountDir: dir}
	config, err := l.load(Options{})
	require.NoError(t, err)
	defer config.Client.CloseIdleConnections()
	code, _ := fetchBody(t, config)
	assert.Equal(t, 200, code)
}
