package kubeconfig

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

// What has broken clients in the field before their first request: rows of
// FAILURES.md. The golden cases of testdata/kubeconfig have the rest of each
// kind.

// planOf resolves the files of KUBECONFIG, as in a process whose environment
// is env.
func planOf(t *testing.T, dir string, env map[string]string) (*plan, error) {
	t.Helper()
	l := &loader{env: func(name string) string { return env[name] }, accountDir: filepath.Join(dir, "pod")}
	return l.plan(Options{})
}

func writeTree(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	}
	return dir
}

func list(paths ...string) string { return strings.Join(paths, string(os.PathListSeparator)) }

// sends is the Authorization header of the plan's credential.
func sends(t *testing.T, p *plan) string {
	t.Helper()
	proof, err := p.transport.Credential.Proof(t.Context())
	require.NoError(t, err)
	return proof.Authorization
}

func TestFailureB44PathsAreRelativeToTheFileThatNamesThem(t *testing.T) {
	ca := testpki.New(t)
	dir := writeTree(t, map[string]string{
		"A/config":     "clusters: [{name: k, cluster: {server: 'https://h', certificate-authority: pki/ca.pem}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\ncurrent-context: c\n",
		"A/pki/ca.pem": string(ca.PEM),
		"A/t":          "wrong",
		"B/config":     "users: [{name: u, user: {tokenFile: t}}]\n",
		"B/t":          "T1\n",
	})
	elsewhere := writeTree(t, map[string]string{"t": "wrong", "pki/ca.pem": "wrong"})
	t.Chdir(elsewhere)
	p, err := planOf(t, dir, map[string]string{"KUBECONFIG": list(filepath.Join(dir, "A/config"), filepath.Join(dir, "B/config"))})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, "A", "pki", "ca.pem"), p.transport.TLS.CA.File)
	assert.Equal(t, "Bearer T1", sends(t, p))

	// A list of relative names: the process's folder is for these alone.
	t.Chdir(dir)
	p, err = planOf(t, dir, map[string]string{"KUBECONFIG": list(filepath.Join("A", "config"), filepath.Join("B", "config"))})
	require.NoError(t, err)
	assert.Equal(t, "Bearer T1", sends(t, p))
	t.Chdir(elsewhere)
	_, err = os.Stat(p.transport.TLS.CA.File)
	assert.NoError(t, err, "found also when the process has changed its folder since")
}

func TestFailureB45SeveralFilesAreMergedByName(t *testing.T) {
	dir := writeTree(t, map[string]string{
		"f1": "clusters: [{name: k, cluster: {server: 'https://one'}}]\nusers: [{name: u, user: {token: T1}}]\ncontexts: [{name: c2, context: {cluster: k, user: u}}]\ncurrent-context: ''\n",
		"f2": "clusters: [{name: k, cluster: {server: 'https://two', tls-server-name: two}}]\nusers: [{name: u, user: {username: me, password: pw}}]\ncurrent-context: c2\n",
		"f3": "{", "f4": "current-context: c9\n",
	})
	at := func(name string) string { return filepath.Join(dir, name) }
	p, err := planOf(t, dir, map[string]string{"KUBECONFIG": list("", at("f1"), "", at("missing"), at("f2"), at("f4"), "")})
	require.NoError(t, err)
	assert.Equal(t, "c2", p.config.Context, "the first that is not empty")
	assert.Equal(t, "https://one", p.config.Server.String())
	assert.Empty(t, p.transport.TLS.ServerName, "no field of a later entry of that name")
	assert.Equal(t, "Bearer T1", sends(t, p))

	_, err = planOf(t, dir, map[string]string{"KUBECONFIG": list(at("f1"), at("f3"))})
	require.ErrorContains(t, err, at("f3"), "the file that cannot be read is named")
	assert.NotContains(t, err.Error(), list(at("f1"), at("f3")), "and not the list")

	_, err = planOf(t, dir, map[string]string{"KUBECONFIG": list(at("missing"), at("nowhere"))})
	assert.ErrorIs(t, err, ErrNoConfiguration)

	// A file that is named by itself is not merged with anything.
	l := &loader{env: func(string) string { return at("f1") }, accountDir: at("pod")}
	_, err = l.plan(Options{Path: at("f4")})
	assert.ErrorContains(t, err, "c9")
}

func TestFailureB46NullAndEmptyAndDangling(t *testing.T) {
	inPod := map[string]string{"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}
	const good = "clusters: [{name: k, cluster: {server: 'https://h'}}]\nusers: [{name: u, user: null}, {name: bad, user: {token: [1]}}]\ncurrent-context: c\n"
	for name, tt := range map[string]struct {
		file      string
		pod       bool
		server    string // "": an error
		namespace string
		err       string
	}{
		"null sections":                {file: "apiVersion: v1\nkind: Config\nclusters: null\ncontexts: null\nusers: null\ncurrent-context: x\n", err: `context: x`},
		"empty":                        {file: "", err: "no configuration"},
		"empty, in a pod":              {file: "", pod: true, server: "https://10.0.0.1:443", namespace: "default"},
		"null sections, in a pod":      {file: "clusters: null\ncontexts: null\nusers: null\ncurrent-context: ''\n", pod: true, server: "https://10.0.0.1:443", namespace: "default"},
		"nothing but a namespace":      {file: "contexts: [{name: c, context: {cluster: '', user: '', namespace: ns}}]\ncurrent-context: c\n", err: "c"},
		"the same, in a pod":           {file: "contexts: [{name: c, context: {cluster: '', user: '', namespace: ns}}]\ncurrent-context: c\n", pod: true, server: "https://10.0.0.1:443", namespace: "ns"},
		"null context":                 {file: good + "contexts: [{name: c, context: null}]\n", err: `"c"`},
		"null user":                    {file: good + "contexts: [{name: c, context: {cluster: k, user: u}}]\n", server: "https://h", namespace: "default"},
		"no user":                      {file: good + "contexts: [{name: c, context: {cluster: k}}]\n", server: "https://h", namespace: "default"},
		"dangling cluster":             {file: good + "contexts: [{name: c, context: {cluster: lost, user: u}}]\n", err: `"lost"`},
		"dangling user":                {file: good + "contexts: [{name: c, context: {cluster: k, user: lost}}]\n", err: `"lost"`},
		"others that dangle":           {file: good + "contexts: [{name: c, context: {cluster: k, user: u}}, {name: d, context: {cluster: lost, user: lost}}]\n", server: "https://h", namespace: "default"},
		"current context of no value":  {file: "clusters: [{name: k, cluster: {server: 'https://h'}}]\ncurrent-context: null\n", err: "no configuration"},
		"current context that dangles": {file: good, err: `context: c`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, map[string]string{"config": tt.file, "pod/token": "T", "pod/namespace": "default"})
			env := map[string]string{"KUBECONFIG": filepath.Join(dir, "config")}
			if tt.pod {
				env["KUBERNETES_SERVICE_HOST"], env["KUBERNETES_SERVICE_PORT"] = inPod["KUBERNETES_SERVICE_HOST"], inPod["KUBERNETES_SERVICE_PORT"]
			}
			p, err := planOf(t, dir, env)
			if tt.server == "" {
				require.Error(t, err)
				assert.ErrorContains(t, err, tt.err)
				assert.NotContains(t, err.Error(), "localhost", "no server is made up")
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.server, p.config.Server.String())
			assert.Equal(t, tt.namespace, p.config.Namespace)
		})
	}
}

func TestFailureB47TokenFileWinsOverToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := writeTree(t, map[string]string{"config": file("{server: 'https://h'}", "{token: I, tokenFile: t}"), "t": "F\n"})
		env := map[string]string{"KUBECONFIG": filepath.Join(dir, "config")}
		set := func(content string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "t"), []byte(content), 0o600))
		}
		p, err := planOf(t, dir, env)
		require.NoError(t, err)
		assert.Equal(t, "Bearer F", sends(t, p))
		set("F2")
		time.Sleep(61 * time.Second)
		assert.Equal(t, "Bearer F2", sends(t, p))
		set("")
		time.Sleep(61 * time.Second)
		assert.Equal(t, "Bearer F2", sends(t, p), "the last good one")
		require.NoError(t, os.Remove(filepath.Join(dir, "t")))
		time.Sleep(61 * time.Second)
		assert.Equal(t, "Bearer F2", sends(t, p), "not the token beside it, which is older still")

		p, err = planOf(t, dir, env) // a new process
		require.NoError(t, err)
		assert.Equal(t, "Bearer I", sends(t, p), "until there is a file")
		set("F3")
		time.Sleep(61 * time.Second)
		assert.Equal(t, "Bearer F3", sends(t, p))
	})
}

func TestFailureB52ProxyOfTheClusterWins(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Header.Get("Authorization")) })
	proxy, requests := connectProxy(t, server.Listener.Addr().String())
	environment := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s %s came to the proxy of the environment", r.Method, r.Host)
	}))
	defer environment.Close()
	t.Setenv("HTTPS_PROXY", environment.URL)
	t.Setenv("NO_PROXY", "")

	text := fmt.Sprintf(`
clusters:
- {name: behind, cluster: {server: 'https://api.test:6443', certificate-authority: ca.pem, proxy-url: '%s'}}
- {name: near, cluster: {server: '%s', certificate-authority: ca.pem}}
- {name: odd, cluster: {server: 'https://api.test', proxy-url: 'ftp://x'}}
users: [{name: u, user: {token: SECRET}}]
contexts:
- {name: behind, context: {cluster: behind, user: u}}
- {name: near, context: {cluster: near, user: u}}
- {name: odd, context: {cluster: odd, user: u}}
`, proxy.URL, server.URL)
	dir := writeTree(t, map[string]string{"ca.pem": string(ca.PEM)})
	for range 2 { // a list and a watch
		config, err := loadText(t, dir, text, Options{Context: "behind"})
		require.NoError(t, err)
		_, body := fetchBody(t, config)
		assert.Equal(t, "Bearer SECRET", body)
	}
	connect := `CONNECT api.test:6443 auth="" proxy-auth=""`
	assert.Equal(t, []string{connect, connect}, *requests, "and the proxy sees no credential")

	config, err := loadText(t, dir, text, Options{Context: "near"}) // loopback needs no proxy, whatever the environment says
	require.NoError(t, err)
	_, body := fetchBody(t, config)
	assert.Equal(t, "Bearer SECRET", body)
	assert.Len(t, *requests, 2)

	_, err = loadText(t, dir, text, Options{Context: "odd"})
	assert.ErrorContains(t, err, "proxy-url")
}
