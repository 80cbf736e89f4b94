package e2e

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/test/cluster"
)

// serving starts rawwatch serve and returns the kubeconfig that it wrote.
func serving(t *testing.T, file string, args ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "kubeconfig")
	c := execute(t, nil, append([]string{"serve", file, "--write-kubeconfig", path}, args...)...)
	cluster.Wait(t, patience, "rawwatch serve", func() bool {
		how, over := c.over()
		require.False(t, over, "%s", how)
		return strings.Contains(c.story(), "serving ")
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("rawwatch serve:\n%s", c.story())
		}
	})
	return path
}

// serveFile is the same, for clients of our own.
func serveFile(t *testing.T, file string, args ...string) (*http.Client, *url.URL) {
	t.Helper()
	config, err := kubeconfig.Load(kubeconfig.Options{Path: serving(t, file, args...)})
	require.NoError(t, err)
	t.Cleanup(config.Client.CloseIdleConnections)
	return config.Client, config.Server
}
