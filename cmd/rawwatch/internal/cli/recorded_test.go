package cli

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream/replay"
)

const (
	recordedHead = `{"rwr":1,"tool":"t","start":"2026-11-20T09:00:00Z","redacted":[]}` + "\n" +
		`{"c":1,"d":0,"t":"req","method":"GET","url":"/api/v1/namespaces/t/configmaps?watch=true&resourceVersion=10"}` + "\n" +
		`{"c":1,"d":0,"t":"res","status":200,"h":{"Content-Type":"application/json"}}` + "\n"
	recordedEnd = `{"c":1,"d":0,"t":"end","why":"eof"}` + "\n"
)

func recordedEvent(name, version string) string {
	return `{"c":1,"d":0,"t":"ev","ev":` + strings.TrimSpace(replay.Event("ADDED", name, version)) + "}\n"
}

func TestABadRecordingIsRefusedWithItsLine(t *testing.T) {
	huge := strings.Replace(recordedEvent("a", "11"), `"name"`, `"x":"`+strings.Repeat("x", 20<<20)+`","name"`, 1)
	for _, tt := range []struct {
		name, text, want string
		servable         bool // the client may take more than we do
	}{
		{"no recording", "hello\n", "FILE: line 1: not a recording", false},
		{"JSON of something else", `{"kind":"Pod"}` + "\n", "FILE: line 1: not a recording", false},
		{"a future version", `{"rwr":2}` + "\n", "FILE: line 1: format version 2: only 1 is known here", false},
		{"a record out of order", recordedHead + recordedEnd + recordedEvent("a", "11"), "FILE: line 5: ev: its exchange has ended before", false},
		{"an answer to nothing", strings.Replace(recordedHead, `"c":1,"d":0,"t":"res"`, `"c":2,"d":0,"t":"res"`, 1) + recordedEnd, "FILE cannot be played: it has 2 mistakes, the first in line 3", false},
		{"a line cut in the middle", recordedHead + recordedEvent("a", "11")[:60] + "\n" + recordedEvent("b", "12") + recordedEnd, "FILE: line 4: not JSON", false},
		{"edited into nonsense", recordedHead + `{"c":1,"d":-5,"t":"ev","ev":{"type":"A"}}` + "\n" + recordedEnd, `FILE: line 4: "d" is negative`, false},
		{"an event that is none", recordedHead + `{"c":1,"d":0,"t":"ev","ev":[1]}` + "\n" + recordedEnd, `FILE: line 4: "ev" is not an event`, false},
		{"an event of 20 MiB", recordedHead + recordedEvent("a", "11") + huge + recordedEnd, "FILE: line 5: an event of 209", true},
		{"gzip of garbage", "\x1f\x8b garbage", "FILE: gzip: invalid header", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.rwr")
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
			for _, command := range []string{"replay", "serve"} {
				if command == "serve" && tt.servable {
					continue
				}
				var out bytes.Buffer
				code, stderr := run(t, &out, command, file)
				assert.Equal(t, exitUsage, code)
				assert.Empty(t, out.String())
				stderr = strings.ReplaceAll(stderr, file, "FILE")
				assert.Contains(t, stderr, "rawwatch: error: "+tt.want)
				assert.Less(t, len(stderr), 500)
			}
		})
	}
}

func TestARecordingThatWasKilledIsShownUpToThere(t *testing.T) {
	text := recordedHead
	for _, name := range []string{"a", "b", "c"} {
		text += recordedEvent(name, "1"+name)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for line := range strings.Lines(text) { // as --record writes it
		z.Write([]byte(line))
		z.Flush()
	}
	for _, whole := range [][]byte{[]byte(text), packed.Bytes()} {
		last := 0
		for n := 40; n <= len(whole); n += 7 {
			file := filepath.Join(t.TempDir(), "x.rwr")
			require.NoError(t, os.WriteFile(file, whole[:n], 0o600))
			var out bytes.Buffer
			code, stderr := run(t, &out, "replay", file, "-o", "name")
			require.Zero(t, code, "%d bytes: %s", n, stderr)
			shown := strings.Count(out.String(), "\n")
			assert.GreaterOrEqual(t, shown, last, "what was there before is still there")
			last = shown
		}
		assert.GreaterOrEqual(t, last, 2)
	}
}

func TestPace(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // "" is refused
	}{
		{"original", "original"}, {"max", "max"}, {"10", "10"}, {"0.5", "0.5"}, {"1", "original"},
		{"0", ""}, {"-1", ""}, {"fast", ""}, {"NaN", ""}, {"1e9", ""}, {"", ""},
	} {
		var p pace
		err := p.Set(tt.text)
		if tt.want == "" {
			assert.Error(t, err, tt.text)
			continue
		}
		require.NoError(t, err, tt.text)
		assert.Equal(t, tt.want, p.String())
	}
}
