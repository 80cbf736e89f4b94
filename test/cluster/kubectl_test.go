package cluster

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKubectlIsTheUserOfItsKubeconfig(t *testing.T) {
	s := Shared(t)
	namespace := s.Namespace(t)
	s.Client(t, s.Admin).Create(t, ConfigMaps(namespace), ConfigMap("a", "1"))

	admin := s.Kubeconfig(t, s.Admin, namespace)
	assert.Equal(t, "configmap/a\n", Kubectl(t, admin, "get", "configmaps", "-o", "name"))

	out, err := KubectlCommand(t.Context(), t, s.Kubeconfig(t, s.Denied(t), namespace), "get", "configmaps").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "Forbidden")
}

func TestKubectlIsOfTheServersVersion(t *testing.T) {
	s := Shared(t)
	var versions struct {
		ClientVersion, ServerVersion struct{ GitVersion string }
	}
	out := Kubectl(t, s.Kubeconfig(t, s.Admin, ""), "version", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(out), &versions))
	assert.NotEmpty(t, versions.ClientVersion.GitVersion)
	if !s.external {
		assert.Equal(t, versions.ServerVersion, versions.ClientVersion)
	}
}
