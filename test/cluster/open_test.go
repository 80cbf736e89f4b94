package cluster

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is stored is an object like any other: it is listed, and a watch that
// is under way shows it.
func TestStore(t *testing.T) {
	c := Start(t, Options{})
	maps := ConfigMaps("stored")
	admin := c.Client(t, c.Admin)
	w := watch(t, c.Server, c.HTTPClient(t, c.Admin), maps, admin.ResourceVersion(t, maps))

	var objects []Stored
	for n := range 3 {
		name := fmt.Sprint("m", n)
		objects = append(objects, Stored{"configmaps", "stored", name, fmt.Appendf(nil,
			`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":%q,"namespace":"stored","uid":"u%d"}}`, name, n)})
	}
	require.NoError(t, c.Store(t.Context(), objects, 2))
	versions := map[string]bool{}
	for n := range objects {
		versions[w.see(t, "ADDED", fmt.Sprint("m", n)).ResourceVersion] = true
	}
	require.Len(t, versions, 2) // of the two that came together, one
	require.NoError(t, c.Store(t.Context(), objects[:1], 1))
	changed := w.see(t, "MODIFIED", "m0")
	require.NotContains(t, versions, changed.ResourceVersion)
	require.JSONEq(t, string(changed.JSON), string(admin.Get(t, maps, "m0").JSON))
}

func TestCloseOfNothing(t *testing.T) {
	var c *Cluster
	require.NoError(t, c.Close())
}
