package cluster

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// changes makes, edits and deletes an object, and checks that a plain watch
// sees just that.
func changes(t *testing.T, s *Server, in Collection, object, edit Manifest) {
	t.Helper()
	admin := s.Client(t, s.Admin)
	w := watch(t, s, s.HTTPClient(t, s.Admin), in, admin.ResourceVersion(t, in))

	created := admin.Create(t, in, object)
	edited := admin.Patch(t, in, created.Name, edit)
	assert.Equal(t, edited.ResourceVersion, admin.Get(t, in, created.Name).ResourceVersion)
	admin.Delete(t, in, created.Name)

	added := w.see(t, "ADDED", created.Name)
	assert.Equal(t, created.UID, added.UID)
	assert.Equal(t, created.ResourceVersion, added.ResourceVersion)
	assert.Equal(t, edited.ResourceVersion, w.see(t, "MODIFIED", created.Name).ResourceVersion)
	if in.Resource == "pods" {
		assert.Contains(t, string(w.see(t, "MODIFIED", created.Name).JSON), "deletionTimestamp")
	}
	assert.Equal(t, created.UID, w.see(t, "DELETED", created.Name).UID)
}

func TestPlainWatchSeesChangesOfConfigMaps(t *testing.T) {
	s := Shared(t)
	changes(t, s, ConfigMaps(s.Namespace(t)), ConfigMap("one", "a"), Manifest{"data": Manifest{"k": "b"}})
}

func TestPlainWatchSeesChangesOfPods(t *testing.T) {
	s := Shared(t)
	changes(t, s, Pods(s.Namespace(t)), Pod("one"),
		Manifest{"metadata": Manifest{"labels": Manifest{"edited": "true"}}})
}

func TestPlainWatchSeesChangesOfCustomResources(t *testing.T) {
	s := Shared(t)
	r := s.CustomResource(t)
	changes(t, s, r.Widgets(s.Namespace(t)), r.Widget("one", 1), Manifest{"spec": Manifest{"size": 2}})
}

func TestUsersAreToldApart(t *testing.T) {
	s := Shared(t)
	path := ConfigMaps(s.Namespace(t)).Path()
	for _, c := range []struct {
		user User
		want int
	}{
		{s.Admin, http.StatusOK},
		{s.Denied(t), http.StatusForbidden},
		{s.Unknown(), http.StatusUnauthorized},
	} {
		a, err := s.Client(t, c.user).Do(t.Context(), http.MethodGet, path, "", nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, a.Status, "%s: %s", c.user, a.Body)
	}
}

func TestServiceAccountHasNoRights(t *testing.T) {
	s := Shared(t)
	namespace := s.Namespace(t)
	u := s.newServiceAccount(t, namespace)
	a, err := s.Client(t, u).Do(t.Context(), http.MethodGet, Pods(namespace).Path(), "", nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusForbidden, a.Status, "%s", a.Body)
}

func TestNamespacesOfTestsDoNotMeet(t *testing.T) {
	s := Shared(t)
	assert.NotEqual(t, s.Namespace(t), s.Namespace(t))
}
