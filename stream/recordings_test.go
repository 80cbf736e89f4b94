package stream_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"example.com/rawwatch/decode"
	"github.com/stretchr/testify/require"
)

// recordedLine is one event of a recording.
type recordedLine struct {
	bytes, kind, name, uid, version string
	object                          string
}

// recordedEvents reads the events of a recorded watch response.
func recordedEvents(t testing.TB, file string) []recordedLine {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "testdata", "recordings", file))
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	require.NoError(t, err)
	defer resp.Body.Close()
	r := decode.NewReader(resp.Body, 0)
	var lines []recordedLine
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return lines
		}
		require.NoError(t, err)
		lines = append(lines, recordedLine{
			bytes: string(r.Frame()) + "\n", kind: string(ev.Type), object: string(ev.Object),
			name: string(ev.Name), uid: string(ev.UID), version: string(ev.ResourceVersion),
		})
	}
}
