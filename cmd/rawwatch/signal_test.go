//go:build !windows

package main

import (
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream/replay"
)

func TestASecondSignalEndsACommandThatHangs(t *testing.T) {
	// 1 MB is more than a pipe holds, so the write of it hangs, and with it
	// the loop that would see the first signal.
	large := `{"metadata":{"name":"a","namespace":"t","resourceVersion":"8"},"data":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
	srv := replay.NewServer(t, replay.Script{
		replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", large))...),
	}, replay.Options{TCP: true})
	cmd := exec.Command("rawwatch", replay.ConfigMaps, "-s", srv.URL().String(), "-o", "json")
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(stdout, make([]byte, 10)) // the write has begun
	require.NoError(t, err)

	// Two signals at once may arrive as one, so they are sent until the
	// command is gone.
	gone := make(chan error, 1)
	go func() { _, err := cmd.Process.Wait(); gone <- err }()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	sent := 0
	for {
		select {
		case <-gone:
			assert.GreaterOrEqual(t, sent, 2)
			return
		case <-again.C:
			if cmd.Process.Signal(syscall.SIGINT) == nil {
				sent++
			}
		}
	}
}
