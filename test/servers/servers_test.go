package servers

import (
	"os"
	"path/filepath"
	"strings"
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
	assert.Equal(t, Binaries{filepath.Join(dir, "etcd"), filepath.Join(dir, "kube-apiserver")}, b)

	// The servers are there without kubectl, and it is not built beside them.
	_, err = Kubectl(t.Context(), t.Output())
	assert.ErrorContains(t, err, AssetsVariable)
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

func TestKubernetesReportsThePinnedVersion(t *testing.T) {
	root, version, err := locate(t.Context())
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(root, "go.mod"))
	assert.Regexp(t, `^v1\.\d+\.\d+$`, version)

	for _, target := range targetsFor("v1.37.2")[1:] {
		assert.Contains(t, target.linker, "version.gitVersion=v1.37.2", target.name)
		assert.Contains(t, target.linker, "version.gitMajor=1 ", target.name)
		assert.Regexp(t, `version\.gitMinor=37$`, target.linker, target.name)
	}
}

func TestStampChangesWithAllThatDecidesTheBinary(t *testing.T) {
	root := folder(t, 0o644, "go.mod", "go.sum")
	target := targetsFor("v1.37.2")[1]
	stamp := func() string {
		s, err := target.stamp(root)
		require.NoError(t, err)
		return s
	}
	first := stamp()
	assert.Equal(t, first, stamp())

	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o644))
	second := stamp()
	assert.NotEqual(t, first, second)

	target = targetsFor("v1.37.3")[1]
	assert.NotEqual(t, second, stamp())
}

func TestBinaryIsBuiltAgainOnlyWhenItsStampIsAnother(t *testing.T) {
	root, bin := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.sum"), nil, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(root, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o644))
	target := target{name: "m", source: "."}
	builds := func() int {
		var progress strings.Builder
		require.NoError(t, target.renew(t.Context(), root, bin, &progress))
		return strings.Count(progress.String(), "servers: building")
	}
	assert.Equal(t, 1, builds())
	assert.NoError(t, check(filepath.Join(bin, "m")))
	assert.Zero(t, builds())
	require.NoError(t, os.Remove(filepath.Join(bin, "m")))
	assert.Equal(t, 1, builds(), "the binary is gone")
	target.linker = "-s"
	assert.Equal(t, 1, builds(), "it is linked in another way")
}
