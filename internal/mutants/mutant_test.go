package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Running them takes minutes (make mutants); that they can be applied is seen
// with every change of the loop.
func TestMutantsFit(t *testing.T) {
	all, err := readAll("testdata", nil)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(all), 12)
	for _, m := range all {
		files, err := m.apply("../..")
		assert.NoError(t, err)
		for file, text := range files {
			was, err := os.ReadFile(filepath.Join("../..", file))
			require.NoError(t, err)
			assert.NotEqual(t, string(was), text, m.name)
		}
	}
}

func TestMutantThatDoesNotFitIsAnError(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "a.go"), []byte("x\nx\ny\n"), 0o600))
	for old, want := range map[string]string{"x\n": "2 times", "z\n": "0 times"} {
		m := &mutant{name: "m", edits: []edit{{"a.go", old, "n\n"}}}
		_, err := m.apply(root)
		assert.ErrorContains(t, err, want)
	}
	files, err := (&mutant{edits: []edit{{"a.go", "y\n", "x\n"}}}).apply(root)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a.go": "x\nx\nx\n"}, files)

	require.NoError(t, os.WriteFile(filepath.Join(root, "half.txt"), []byte("why\n-- a.go --\nx\n"), 0o600))
	_, err = readMutant(filepath.Join(root, "half.txt"))
	assert.ErrorContains(t, err, "lacks its reason, its test or its text")
}
