package rawwatch_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The code in the README is that of programs which are built and tested.
func TestReadmeShowsTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	for _, file := range []string{"examples/minimal/main.go", "examples/expired/expired_test.go"} {
		code, err := os.ReadFile(file)
		require.NoError(t, err)
		// Comments before the package clause are for readers of the file.
		_, body, found := strings.Cut("\n"+string(code), "\npackage ")
		require.True(t, found, file)
		assert.Contains(t, string(readme), "```go\npackage "+body+"```\n", file)
	}
}
