//go:build unix

package execplugin

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTerminalIsToldFromOtherDevices(t *testing.T) {
	for path, want := range map[string]bool{"/dev/ptmx": true, os.DevNull: false, ".": false} {
		f, err := os.Open(path)
		require.NoError(t, err)
		assert.Equal(t, want, isTerminal(f), path)
		require.NoError(t, f.Close())
	}
}
