package cluster

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One cluster serves all the cases of this file, since each start takes
// seconds; they do not depend on each other's objects.
func TestCluster(t *testing.T) {
	c := Start(t, Options{})
	t.Run("certificate authenticates", func(t *testing.T) { certificateAuthenticates(t, c) })
	t.Run("SIGTERM ends a watch clean", func(t *testing.T) { terminateEndsClean(t, c) })
	t.Run("SIGKILL tears a watch", func(t *testing.T) { killTears(t, c) })
	t.Run("history expires at a restart", func(t *testing.T) { historyExpires(t, c) })
	t.Run("continue token expires", func(t *testing.T) { continueExpires(t, c) })
	t.Run("restore turns back", func(t *testing.T) { restoreTurnsBack(t, c) })
}

func certificateAuthenticates(t *testing.T, c *Cluster) {
	a, err := c.Client(t, c.AdminByCertificate()).Do(t.Context(), http.MethodGet, Namespaces.Path(), "", nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, a.Status, "%s", a.Body)
}

// watchOne opens a watch that has just seen its first event.
func watchOne(t *testing.T, c *Cluster) (*plainWatch, Collection) {
	t.Helper()
	admin := c.Client(t, c.Admin)
	in := ConfigMaps(c.Namespace(t))
	w := watch(t, c.Server, c.HTTPClient(t, c.Admin), in, admin.ResourceVersion(t, in))
	admin.Create(t, in, ConfigMap("one", "a"))
	w.see(t, "ADDED", "one")
	return w, in
}

func terminateEndsClean(t *testing.T, c *Cluster) {
	w, in := watchOne(t, c)
	port := c.URL.Port()
	c.Terminate(t)
	assert.ErrorIs(t, w.end(t), io.EOF)

	c.Restart(t)
	assert.Equal(t, port, c.URL.Port())
	assert.Equal(t, "one", c.Client(t, c.Admin).Get(t, in, "one").Name, "the storage is the same")
}

func killTears(t *testing.T, c *Cluster) {
	w, _ := watchOne(t, c)
	c.Kill(t)
	err := w.end(t)
	assert.NotErrorIs(t, err, io.EOF, "a torn stream must not look like a clean end")
	c.Restart(t)
}

func historyExpires(t *testing.T, c *Cluster) {
	admin := c.Client(t, c.Admin)
	in := ConfigMaps(c.Namespace(t))
	old := admin.ResourceVersion(t, in)
	admin.Create(t, in, ConfigMap("one", "a"))

	// As long as the server runs its cache has the history, etcd or not.
	c.Compact(t)
	watch(t, c.Server, c.HTTPClient(t, c.Admin), in, old).see(t, "ADDED", "one")

	c.Kill(t)
	c.Restart(t)
	w := watch(t, c.Server, c.HTTPClient(t, c.Admin), in, old)
	assert.Equal(t, http.StatusOK, w.resp.StatusCode, "expiry is told inside the stream")
	ev, err := w.next(t)
	require.NoError(t, err)
	assert.Equal(t, "ERROR", ev.Type)
	var status struct {
		Code   int
		Reason string
	}
	require.NoError(t, json.Unmarshal(ev.Object, &status))
	assert.Equal(t, http.StatusGone, status.Code)
	assert.Equal(t, "Expired", status.Reason)
}

func continueExpires(t *testing.T, c *Cluster) {
	admin := c.Client(t, c.Admin)
	in := ConfigMaps(c.Namespace(t))
	admin.Create(t, in, ConfigMap("one", "a"))
	admin.Create(t, in, ConfigMap("two", "a"))
	page, err := admin.Do(t.Context(), http.MethodGet, in.Path()+"?limit=1", "", nil)
	require.NoError(t, err)
	var list struct{ Metadata struct{ Continue string } }
	require.NoError(t, json.Unmarshal(page.Body, &list))
	require.NotEmpty(t, list.Metadata.Continue)

	admin.Create(t, in, ConfigMap("three", "a"))
	c.Compact(t)
	c.Kill(t)
	c.Restart(t)
	next, err := admin.Do(t.Context(), http.MethodGet, in.Path()+"?limit=1&continue="+list.Metadata.Continue, "", nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusGone, next.Status, "%s", next.Body)
}

func restoreTurnsBack(t *testing.T, c *Cluster) {
	admin := c.Client(t, c.Admin)
	in := ConfigMaps(c.Namespace(t))
	admin.Create(t, in, ConfigMap("before", "a"))
	s := c.Snapshot(t)
	admin.Create(t, in, ConfigMap("after", "a"))

	c.Restore(t, s)
	admin.Get(t, in, "before")
	a, err := admin.Do(t.Context(), http.MethodGet, in.Object("after"), "", nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, a.Status, "%s", a.Body)
}
