package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream/replay"
)

// twoEvents is a server with a list of a, and b to come.
func twoEvents(t *testing.T) string {
	return replay.NewServer(t, replay.Script{
		replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "8")))...),
		replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "b", "11")), replay.Hold()),
	}, replay.Options{TCP: true}).URL().String()
}

func TestTwoCommandsCannotShareACheckpoint(t *testing.T) {
	server, file := twoEvents(t), filepath.Join(t.TempDir(), "state")
	args := []string{replay.ConfigMaps, "-s", server, "--checkpoint", file, "--count", "2"}
	seconds := 0
	out := writerFunc(func(b []byte) (int, error) {
		seconds++
		code, stderr := run(t, &strings.Builder{}, args...)
		assert.Equal(t, 2, code)
		assert.Regexp(t, `^\d\d:\d\d:\d\dZ rawwatch: error: checkpoint `+file+`: it is in use by another watch\n$`, stderr)
		return len(b), nil
	})
	code, _ := run(t, out, args...)
	assert.Equal(t, 0, code)
	assert.Equal(t, 2, seconds)
}

func TestADiskThatFailsIsToldOnceAndInTheExitCode(t *testing.T) {
	disk := filepath.Join(t.TempDir(), "disk")
	require.NoError(t, os.Mkdir(disk, 0o700))
	server, file := twoEvents(t), filepath.Join(disk, "state")
	out := writerFunc(func(b []byte) (int, error) { return len(b), os.RemoveAll(disk) })
	code, stderr := run(t, out, replay.ConfigMaps, "-s", server, "--checkpoint", file, "--count", "2")
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "rawwatch: the checkpoint "+file+" cannot be written: no such file or directory; what has come since its last write comes again in the next run\n")
	assert.Equal(t, 1, strings.Count(stderr, "checkpoint"), stderr)
}
