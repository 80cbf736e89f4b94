package cluster

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/proxy"
)

func TestKubeconfigLeadsToItsServerAsItsUser(t *testing.T) {
	s := Shared(t)
	namespace := s.Namespace(t)
	path := ConfigMaps(namespace).Path()
	for _, c := range []struct {
		user User
		want int
	}{
		{s.Admin, http.StatusOK},
		{s.Unknown(), http.StatusUnauthorized},
	} {
		file := s.Kubeconfig(t, c.user, namespace)
		read, err := external(file)
		require.NoError(t, err)
		a, err := read.Client(t, read.Admin).Do(t.Context(), http.MethodGet, path, "", nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, a.Status, "%s: %s", c.user, a.Body)
	}
}

func TestKubeconfigCanLeadThroughAProxy(t *testing.T) {
	s := Shared(t)
	p := proxy.Start(t, s.URL.Host)
	read, err := external(s.Via(p.Address()).Kubeconfig(t, s.Admin, ""))
	require.NoError(t, err)
	a, err := read.Client(t, read.Admin).Do(t.Context(), http.MethodGet, "/readyz", "", nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
	assert.Positive(t, p.Received())
}

func TestExternalKubeconfigMayNameFiles(t *testing.T) {
	folder := t.TempDir()
	for name, content := range map[string]string{
		"ca.crt": "the authority", "token": "the token\n", "cert": "the certificate", "key": "the key",
		"config": `
current-context: it
contexts:
- {name: other, context: {cluster: other, user: other}}
- {name: it, context: {cluster: c, user: u}}
clusters:
- {name: c, cluster: {server: "https://127.0.0.1:1/prefix/", certificate-authority: ca.crt, tls-server-name: api}}
users:
- {name: u, user: {tokenFile: token, client-certificate: cert, client-key: key}}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	s, err := external(filepath.Join(folder, "config"))
	require.NoError(t, err)
	assert.True(t, s.external)
	assert.Equal(t, "https://127.0.0.1:1/prefix", s.URL.String())
	assert.Equal(t, "api", s.name)
	assert.Equal(t, "the authority", string(s.CA))
	assert.Equal(t, "the token", s.Admin.Token)
	assert.Equal(t, "the certificate", string(s.Admin.Cert))
	assert.Equal(t, "the key", string(s.Admin.Key))
}

func TestExternalClusterThatCannotBeUsedIsAnError(t *testing.T) {
	for name, content := range map[string]string{
		"no yaml":       "\t",
		"empty":         "",
		"no context":    "current-context: it\nclusters: [{name: c, cluster: {server: https://127.0.0.1:1}}]",
		"no credential": "current-context: it\ncontexts: [{name: it, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: https://127.0.0.1:1}}]\nusers: [{name: u, user: {}}]",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseKubeconfig([]byte(content), "")
			assert.Error(t, err)
		})
	}
	_, err := external(filepath.Join(t.TempDir(), "none"))
	assert.ErrorContains(t, err, KubeconfigVariable)
}

func TestUserNeverPrintsItsCredentials(t *testing.T) {
	u := User{Name: "me", Token: "secret", Key: []byte("secret")}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		assert.NotContains(t, fmt.Sprintf(verb, u), "secret")
	}
}
