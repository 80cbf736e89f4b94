package servers

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// folder makes an assets folder with these files.
func folder(t *testing.T, mode os.FileMode, names ...string) string {
	dir := t.TempDir()
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, mode))
	}
	return dir
}

// withFolder makes one where a program of that name should be.
func withFolder(t *testing.T, name string) string {
	dir := folder(t, 0o755, "kube-apiserver")
	require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	return dir
}

func TestReadyMadeBinariesAreUsedAsTheyAre(t *testing.T) {
	dir := folder(t, 0o755, "etcd", "kube-apiserver")
	t.Setenv(AssetsVariable, dir)
	b, err := Find(t.Context(), t.Output())
	require.NoError(t, err)
	assert.Equal(t, in(dir), b)
}

func TestReadyMadeBinariesThatLackAreAnErrorAndNoBuild(t *testing.T) {
	for name, dir := range map[string]string{
		"no folder":             filepath.Join(t.TempDir(), "none"),
		"one is missing":        folder(t, 0o755, "etcd"),
		"not executable":        folder(t, 0o644, "etcd", "kube-apiserver"),
		"a folder of that name": withFolder(t, "etcd"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(AssetsVariable, dir)
			_, err := Find(t.Context(), t.Output())
			assert.ErrorContains(t, err, AssetsVariable)
		})
	}
}

func TestAPIServerReportsThePinnedVersion(t *testing.T) {
	root, version, err := locate(t.Context())
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, "go.mod"))
	assert.Regexp(t, `^v1\.\d+\.\d+$`, version)

	server := targetsFor(in("bin"), "v1.37.2")[1]
	assert.Contains(t, server.linker, "version.gitVersion=v1.37.2")
	assert.Contains(t, server.linker, "version.gitMajor=1 ")
	assert.Regexp(t, `version\.gitMinor=37$`, server.linker)
}

func TestStampChangesWithAllThatDecidesTheBinaries(t *testing.T) {
	root := folder(t, 0o644, "go.mod", "go.sum")
	targets := targetsFor(in("bin"), "v1.37.2")
	stamp := func() string {
		s, err := stampOf(root, targets)
		require.NoError(t, err)
		return s
	}
	first := stamp()
	assert.Equal(t, first, stamp())

	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o644))
	second := stamp()
	assert.NotEqual(t, first, second)

	targets = targetsFor(in("bin"), "v1.37.3")
	assert.NotEqual(t, second, stamp())
}
