//go:build unix

package kubeconfig

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

// Plugins are shell scripts here, as people write them. Package execplugin
// tests everything else about running them, on all systems.

const execUser = "{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never, provideClusterInfo: true}}"

func script(t *testing.T, dir, body string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin"), []byte("#!/bin/sh\n"+body), 0o755))
}

// printToken is a plugin whose token is the number of its run.
const printToken = `
n=$(cat "$0.runs" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$0.runs"
echo '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t'$n'"}}'
`

func TestPluginRunsAgainAfterARefusal(t *testing.T) {
	ca := testpki.New(t)
	var seen []string
	accept := "Bearer t1"
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
		if r.Header.Get("Authorization") != accept {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	dir := t.TempDir()
	script(t, dir, printToken)
	cluster := fmt.Sprintf("{server: %s, certificate-authority-data: %s}", server.URL, base64.StdEncoding.EncodeToString(ca.PEM))
	config, err := loadText(t, dir, file(cluster, execUser), Options{})
	require.NoError(t, err)
	assert.Equal(t, "exec plugin", config.Credentials)
	assert.NoFileExists(t, filepath.Join(dir, "plugin.runs"), "Load runs nothing")

	code, _ := fetchBody(t, config)
	assert.Equal(t, 200, code)
	accept = "Bearer t2"
	code, _ = fetchBody(t, config)
	assert.Equal(t, 200, code)
	accept = "none"
	code, _ = fetchBody(t, config)
	assert.Equal(t, 401, code)
	assert.Equal(t, []string{"Bearer t1", "Bearer t1", "Bearer t2", "Bearer t2", "Bearer t3"}, seen)
}

func TestPluginIsToldAboutTheCluster(t *testing.T) {
	ca := testpki.New(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca.pem"), ca.PEM, 0o644))
	script(t, dir, `printf '%s' "$KUBERNETES_EXEC_INFO" > "$0.info"; exit 1`)
	cluster := `
    server: https://127.0.0.1:1/prefix/
    certificate-authority: ca.pem
    tls-server-name: api.test
    proxy-url: http://127.0.0.1:1
    disable-compression: yes
    extensions:
    - name: other
      extension: {x: 1}
    - name: client.authentication.k8s.io/exec
      extension: {audience: a, depth: 2, ok: on, list: [1.5, ~, "yes"], <<: {merged: true, audience: b}}`
	text := strings.Replace(file("CLUSTER", execUser), "[{name: k, cluster: CLUSTER}]", "\n- name: k\n  cluster:"+cluster, 1)
	config, err := loadText(t, dir, text, Options{Stderr: io.Discard})
	require.NoError(t, err)
	_, err = config.Client.Get(config.Server.String())
	require.ErrorContains(t, err, "plugin failed with exit code 1")

	content, err := os.ReadFile(filepath.Join(dir, "plugin.info"))
	require.NoError(t, err)
	var info struct {
		Spec struct {
			Cluster json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(content, &info))
	assert.JSONEq(t, fmt.Sprintf(`{
		"server": "https://127.0.0.1:1/prefix", "tls-server-name": "api.test", "certificate-authority-data": %q,
		"proxy-url": "http://127.0.0.1:1", "disable-compression": true,
		"config": {"audience": "a", "depth": 2, "ok": true, "list": [1.5, null, "yes"], "merged": true}}`,
		base64.StdEncoding.EncodeToString(ca.PEM)), string(info.Spec.Cluster))
}

func TestPluginCertificateRotationCutsNoStream(t *testing.T) {
	ca := testpki.New(t)
	refuse := ""
	release := make(chan struct{})
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		name := r.TLS.PeerCertificates[0].Subject.CommonName
		switch {
		case r.URL.Path == "/watch":
			w.(http.Flusher).Flush()
			<-release
			io.WriteString(w, name+" still")
		case name == refuse:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			io.WriteString(w, name)
		}
	})
	dir := t.TempDir()
	script(t, dir, `cat "$0.output"`)
	printed := func(name string) {
		cert, key := ca.Client(t, name)
		output := fmt.Sprintf(`{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":%q,"clientKeyData":%q}}`, cert, key)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "plugin.output"), []byte(output), 0o644))
	}
	printed("old")
	cluster := fmt.Sprintf("{server: %s, certificate-authority-data: %s}", server.URL, base64.StdEncoding.EncodeToString(ca.PEM))
	config, err := loadText(t, dir, file(cluster, execUser), Options{})
	require.NoError(t, err)
	watch, err := config.Client.Get(config.Server.JoinPath("watch").String())
	require.NoError(t, err)
	defer watch.Body.Close()

	printed("new")
	refuse = "old"
	_, body := fetchBody(t, config)
	assert.Equal(t, "new", body)
	close(release)
	rest, err := io.ReadAll(watch.Body)
	require.NoError(t, err)
	assert.Equal(t, "old still", string(rest))
}

// TestChildThatHoldsTheOutputOpen: a plugin that leaves a child behind must
// not keep a request waiting for as long as the child lives.
func TestChildThatHoldsTheOutputOpen(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(http.ResponseWriter, *http.Request) {})
	dir := t.TempDir()
	script(t, dir, "sleep 5 &\n"+`echo $! > "$0.child"`+"\n"+printToken)
	cluster := fmt.Sprintf("{server: %s, certificate-authority-data: %s}", server.URL, base64.StdEncoding.EncodeToString(ca.PEM))
	config, err := loadText(t, dir, file(cluster, execUser), Options{Stderr: io.Discard})
	require.NoError(t, err)
	_, err = config.Client.Get(server.URL)
	require.ErrorContains(t, err, "a child of it still holds its output open")
}
