package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTailIsWhatCameAfterTheOffset(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte("before\nafter\n"), 0o600))
	got, err := tail(path, int64(len("before\n")))
	require.NoError(t, err)
	assert.Equal(t, "after\n", string(got))
}

func TestTailOfALongLogIsItsLastWholeLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("0123456789\n", logLimit)), 0o600))
	got, err := tail(path, 3)
	require.NoError(t, err)
	assert.LessOrEqual(t, len(got), logLimit)
	assert.Greater(t, len(got), logLimit-len("0123456789\n"))
	assert.Regexp(t, `^0123456789\n`, string(got))
}
