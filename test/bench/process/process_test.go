package process_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/process"
)

func script(t *testing.T, text string) process.Program {
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755))
	return process.Program{Path: path}
}

func TestRun(t *testing.T) {
	figures, err := script(t, `echo hello; echo "{\"args\": $#}"`).Run(t.Context(), "a", "b")
	require.NoError(t, err)
	require.Equal(t, 2.0, figures["args"])
	require.Contains(t, figures, process.CPU)
	require.Positive(t, figures[process.Time])

	_, err = script(t, "echo broken >&2; exit 3").Run(t.Context())
	require.EqualError(t, err, "process: program: exit status 3: broken")
	_, err = script(t, "echo no figures").Run(t.Context())
	require.ErrorContains(t, err, "its last line: invalid character")
}

func TestRunHeard(t *testing.T) {
	var heard []string
	_, err := script(t, "echo ready; echo '{}'").RunHeard(t.Context(), func(line []byte) error {
		heard = append(heard, string(line))
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, []string{"ready", "{}"}, heard)

	// It goes no further when what it waits for cannot be done.
	broken := errors.New("broken")
	_, err = script(t, "echo ready; exec sleep 1000").RunHeard(t.Context(), func([]byte) error { return broken })
	require.ErrorIs(t, err, broken)
}

func TestServe(t *testing.T) {
	line, stop, err := script(t, "echo ready at $1; exec sleep 1000").Serve(t.Context(), "X")
	require.NoError(t, err)
	require.Equal(t, "ready at X", line)
	stop()

	_, _, err = script(t, "echo broken >&2; exit 3").Serve(t.Context())
	require.ErrorContains(t, err, "its first line: EOF: broken")
}

// The peak is the child's own, however much the process that started it has.
func TestPeakIsTheChilds(t *testing.T) {
	weight := make([]byte, 200<<20)
	for i := range weight {
		weight[i] = byte(i)
	}
	p, err := process.Build(t.Context(), t.TempDir(), "internal/nothing")
	require.NoError(t, err)
	figures, err := p.Run(t.Context())
	require.NoError(t, err)
	require.Less(t, figures["peak MB"], 50.0)
	require.Greater(t, figures["peak MB"], 0.5)
	require.Equal(t, byte(1), weight[257])
}
