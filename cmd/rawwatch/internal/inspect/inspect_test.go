package inspect

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream/replay"
)

// TestARecordingMayEndAnywhere cuts a real recording behind every few bytes:
// there is a report of what is left, and it never says more than the whole.
func TestARecordingMayEndAnywhere(t *testing.T) {
	whole := unpacked(t)
	last := 0
	for end := 0; end <= len(whole); end += 97 {
		r, err := replay.NewReader(bytes.NewReader(whole[:end]))
		if err != nil {
			continue // cut in the header
		}
		report, err := Read(t.Context(), r, nil)
		require.NoError(t, err, "cut behind %d bytes", end)
		report.Text("x", true)
		events := 0
		for _, c := range report.Connections {
			events += c.Events
		}
		require.GreaterOrEqual(t, events, last, "cut behind %d bytes", end)
		last = events
	}
	require.Equal(t, 12, last)
}

func unpacked(t testing.TB) []byte {
	f, err := os.Open("../../../../testdata/recordings/node.rwr.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	whole, err := io.ReadAll(z)
	require.NoError(t, err)
	return whole
}

// FuzzRead: whatever is in a file, there is a report or an error.
func FuzzRead(f *testing.F) {
	f.Add(unpacked(f)[:20_000])
	f.Add([]byte(`{"type":"MODIFIED","object":{"metadata":{"name":"a","managedFields":[1,{"manager":2}]}}}` + "\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := replay.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		if report, err := Read(t.Context(), r, func(Version) error { return nil }); err == nil {
			report.Text("x", false)
		}
	})
}

// TestStrangersAreShownAndNotObeyed: a report is for terminals, whatever the
// recorded server and its tenants called things.
func TestStrangersAreShownAndNotObeyed(t *testing.T) {
	const evil = `\u001b[2J\u202e`
	object := func(kind, version string) string {
		return `{"type":"` + kind + `","object":{"kind":"` + evil + `","apiVersion":"` + evil + `/v1","metadata":{"name":"` + evil + `","namespace":"` + evil +
			`","uid":"u","resourceVersion":"` + version + `","managedFields":[{"manager":"` + evil + version + `","subresource":"` + evil + `"}]}}}`
	}
	lines := []string{
		`{"rwr":1,"tool":"` + evil + `"}`,
		`{"c":1,"d":0,"t":"req","method":"GET","url":"/api/v1/pods?watch=1&resourceVersion=` + evil + `"}`,
		`{"c":1,"d":0,"t":"res","status":200}`,
		`{"c":1,"d":0,"t":"ev","ev":` + object("ADDED", "1") + `}`,
		`{"c":1,"d":0,"t":"ev","ev":` + object("MODIFIED", "2") + `}`,
		`{"c":1,"d":0,"t":"ev","ev":{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"` + evil + `","message":"` + evil + `"}}}`,
		`{"c":1,"d":0,"t":"end","why":"` + evil + `"}`,
	}
	r, err := replay.NewReader(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	require.NoError(t, err)
	report, err := Read(t.Context(), r, nil)
	require.NoError(t, err)
	text := string(report.Text("\x1b[2J", false))
	for _, part := range []string{"CONNECTIONS", "GAPS", "EVENTS", "WRITERS", "BUSIEST", "BIGGEST"} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.Contains(t, text, `\x1b[2J\u202e`)
}

// TestAnEmptyReportHasEmptyLists: null is nothing that jq's .[] goes through.
func TestAnEmptyReportHasEmptyLists(t *testing.T) {
	r, err := replay.NewReader(strings.NewReader(`{"rwr":1}` + "\n"))
	require.NoError(t, err)
	report, err := Read(t.Context(), r, nil)
	require.NoError(t, err)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
}
