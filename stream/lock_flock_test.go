//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stream

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAClosedLockIsFreeWhateverCopiesThereAre(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := lockFile(path)
	require.NoError(t, err)
	_, err = lockFile(path)
	require.ErrorIs(t, err, ErrCheckpointLocked)
	// As a child has it between fork and exec.
	fd, err := syscall.Dup(int(lock.(flocked).Fd()))
	require.NoError(t, err)
	defer syscall.Close(fd)
	require.NoError(t, lock.Close())
	again, err := lockFile(path)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}
