package stream_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heldFile tells a child process which checkpoint to hold.
const heldFile = "RAWWATCH_TEST_HELD_CHECKPOINT"

// Two processes on one file: the second is refused, and the lock goes with the
// first, however it ends.
func TestCheckpointOfAnotherProcess(t *testing.T) {
	if file := os.Getenv(heldFile); file != "" {
		holdCheckpoint(t, file)
		return
	}
	file := filepath.Join(t.TempDir(), "state")
	child := exec.Command(os.Args[0], "-test.run=^TestCheckpointOfAnotherProcess$")
	child.Env = append(os.Environ(), heldFile+"="+file)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	t.Cleanup(func() { child.Process.Kill() }) // if the test ends before it does that
	said, err := bufio.NewReader(out).ReadString('\n')
	assert.NoError(t, err)
	assert.Equal(t, "held\n", said)

	bubble(t, "refused", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script { return nil }, checkpoint(file))
		require.Empty(t, r.all())
		assert.ErrorIs(t, r.err, stream.ErrCheckpointLocked)
	})
	require.NoError(t, child.Process.Kill())
	assert.Error(t, child.Wait())
	bubble(t, "free again", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", "", r.stop()...)}
		}, checkpoint(file))
		r.played("SYNCED 10")
	})
}

// holdCheckpoint is the child: it watches until it is killed.
func holdCheckpoint(t *testing.T, file string) {
	srv := replay.NewServer(t, replay.Script{listOf("10"), watchOf("10", "", replay.Hold())}, replay.Options{})
	w := &stream.Watcher{Client: srv.Client(), Server: srv.URL(), Target: target, Checkpoint: stream.CheckpointFile(file)}
	for ev := range w.Watch(t.Context()) {
		fmt.Println("held")
		_ = ev
	}
}
