package stream_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Disks that take nothing, without being root: a link leads the temporary file
// to where the kernel itself refuses.
func TestDiskThatTakesNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		leadsTo string
		want    []error
	}{
		"full":      {"/dev/full", []error{syscall.ENOSPC}},
		"read-only": {"/sys/kernel/rawwatch", []error{syscall.EACCES, syscall.EPERM, syscall.EROFS}},
	} {
		bubble(t, name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "state")
			var early error // 6 s after the first event
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", item("a", "3")),
					watchOf("10", ev("ADDED", "b", "11"), replay.Pause(6*time.Second),
						replay.Do(func() {
							early = r.w.State().CheckpointError
							os.Remove(file + ".tmp") // there is room again
						}), replay.Pause(6*time.Second),
						replay.Do(func() { r.cancel(errScriptOver) }), replay.Hold()),
				}
			}, checkpoint(file))
			require.NoError(t, os.Symlink(tt.leadsTo, file+".tmp"))
			r.played("ADDED a 3", "SYNCED 10", "ADDED b 11")
			var why *stream.CheckpointError
			require.ErrorAs(t, early, &why)
			assert.Equal(t, file, why.Path)
			number, ok := why.Err.(interface{ Unwrap() error })
			require.True(t, ok)
			assert.Contains(t, tt.want, number.Unwrap())
			assert.NoError(t, r.w.State().CheckpointError, "the write after that")
			saved, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Contains(t, string(saved), `"resourceVersion":"11"`)
		})
	}
	bubble(t, "read-only from the beginning", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return nil }, checkpoint("/sys/kernel/rawwatch"))
		require.Empty(t, r.all())
		var why *stream.CheckpointError
		require.ErrorAs(t, r.err, &why)
		assert.Equal(t, "/sys/kernel/rawwatch", why.Path)
		assert.NotContains(t, r.err.Error(), "\n")
	})
}

// A pipe that nobody writes into would be waited for, when it is opened.
func TestCheckpointThatIsNoFile(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		pipe := filepath.Join(t.TempDir(), "state")
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		r := newRig(t, func(r *rig) replay.Script { return nil }, checkpoint(pipe))
		require.Empty(t, r.all())
		require.ErrorAs(t, r.err, new(*stream.CheckpointError))
		assert.ErrorContains(t, r.err, "it is no regular file")
	})
}
