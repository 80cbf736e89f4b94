package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func shell(t *testing.T, script string) (*process, string) {
	log := filepath.Join(t.TempDir(), "log")
	p, err := startProcess("shell", log, "/bin/sh", "-c", script)
	require.NoError(t, err)
	t.Cleanup(func() { p.end(syscall.SIGKILL, time.Minute) })
	return p, log
}

func hasLogged(log, words string) func() bool {
	return func() bool {
		content, _ := os.ReadFile(log)
		return slices.Contains(strings.Split(string(content), "\n"), words)
	}
}

func TestProcessEndsAtItsSignal(t *testing.T) {
	p, log := shell(t, `trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.01; done`)
	Wait(t, 10*time.Second, "the shell", hasLogged(log, "up"))
	require.True(t, p.running())
	require.NoError(t, p.end(syscall.SIGTERM, 10*time.Second))
	assert.False(t, p.running())
	assert.True(t, hasLogged(log, "bye")())
	assert.NoError(t, p.end(syscall.SIGTERM, time.Second), "what has ended needs no ending")
}

func TestProcessThatIgnoresItsSignalIsKilledAndReported(t *testing.T) {
	p, log := shell(t, `trap '' TERM; echo up; while :; do sleep 0.01; done`)
	Wait(t, 10*time.Second, "the shell", hasLogged(log, "up"))
	err := p.end(syscall.SIGTERM, 50*time.Millisecond)
	assert.ErrorContains(t, err, "still running")
	assert.False(t, p.running())
}

func TestServerThatEndsBeforeItIsReadyIsNotWaitedFor(t *testing.T) {
	p, _ := shell(t, `exit 3`)
	err := ready(t.Context(), p, func(ctx context.Context) error { return errors.New("no") })
	assert.ErrorContains(t, err, "exit status 3")
}
