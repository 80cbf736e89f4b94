package cli

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/stream"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9]*m`)

func TestTheStatusSaysWhatThereIsRoomFor(t *testing.T) {
	now := time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)
	watching := stream.State{
		Phase: stream.PhaseWatching, ResourceVersion: "10365", LastByte: now.Add(-12 * time.Second), Objects: 17,
		Counters: stream.Counters{Added: 17, Modified: 1005, Deleted: 2, Bookmarks: 9},
	}
	waiting := stream.State{Phase: stream.PhaseWaiting, Failures: 3, NextRequest: now.Add(4800 * time.Millisecond), LastByte: now.Add(-125 * time.Second), Objects: 1}
	pacing := waiting
	pacing.Failures = 0
	listing := stream.State{Phase: stream.PhaseListing, LastByte: now, Counters: stream.Counters{Added: 1}}
	evil := watching
	evil.ResourceVersion = "1\x1b[2J"
	huge := watching
	huge.ResourceVersion = strings.Repeat("9", 9<<20)
	silent := watching
	silent.LastByte = now.Add(-2 * time.Minute)

	for _, tt := range []struct {
		name   string
		states []stream.State
		width  int
		want   string
		colour terminal.Colour
	}{
		{"all of it", []stream.State{watching}, 80, " watching · 17 objects · 1024 events · last byte 12s ago · rv 10365", terminal.Green},
		{"without the version", []stream.State{watching}, 60, " watching · 17 objects · 1024 events · last byte 12s ago", terminal.Green},
		{"without the objects", []stream.State{watching}, 56, " watching · 1024 events · last byte 12s ago", terminal.Green},
		{"in short", []stream.State{watching}, 40, " watching · 1024 events · 12s ago", terminal.Green},
		{"is it alive?", []stream.State{watching}, 20, " watching · 12s ago", terminal.Green},
		{"no room for that", []stream.State{watching}, 19, " watching", terminal.Green},
		{"no room at all", []stream.State{watching}, 8, " watch…", terminal.Green},
		{"one column too few", []stream.State{watching}, 9, " watchi…", terminal.Green},
		{"none", []stream.State{watching}, 1, " ", terminal.Green},
		{"before anything has come", []stream.State{{Phase: stream.PhaseIdle}}, 80, " starting · 0 events", terminal.Cyan},
		{"a list", []stream.State{listing}, 80, " listing · 1 event · last byte 0s ago", terminal.Cyan},
		{"trouble", []stream.State{waiting}, 80, " waiting 5s after 3 failures · 1 object · 0 events · last byte 2m5s ago", terminal.Yellow},
		{"a pause that is none's fault", []stream.State{pacing}, 80, " waiting · 1 object · 0 events · last byte 2m5s ago", terminal.Yellow},
		{"silence", []stream.State{silent}, 80, " watching · 17 objects · 1024 events · last byte 2m ago · rv 10365", terminal.Yellow},
		{"several", []stream.State{watching, waiting, listing, watching}, 80, " 2 watching, 1 listing, 1 waiting · 2049 events · last byte 2m5s ago", terminal.Yellow},
		{"one that has heard nothing yet", []stream.State{watching, {Phase: stream.PhaseIdle}}, 80, " 1 watching, 1 listing · 17 objects · 1024 events · last byte 12s ago", terminal.Cyan},
		{"a version that wants to rule the terminal", []stream.State{evil}, 80, ` watching · 17 objects · 1024 events · last byte 12s ago · rv 1\x1b[2J`, terminal.Green},
		{"a version without end", []stream.State{huge}, 80, " watching · 17 objects · 1024 events · last byte 12s ago", terminal.Green},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := statusText(tt.states, now, tt.width, false)
			assert.Equal(t, tt.want, got)
			assert.LessOrEqual(t, escape.Width(got), max(tt.width-1, 1))
			coloured := statusText(tt.states, now, tt.width, true)
			assert.True(t, utf8.ValidString(coloured), "%q", coloured)
			assert.Equal(t, tt.want, sgr.ReplaceAllString(coloured, ""))
			if tt.width > 1 {
				assert.True(t, strings.HasPrefix(coloured, " \x1b["+string(tt.colour)+"m"), "%q", coloured)
			}
		})
	}
}

// The place of the status is also that of a credential plugin's question.
func TestNoStatusWhileAPluginMayAsk(t *testing.T) {
	w := &stream.Watcher{Trace: &stream.Trace{Request: func(stream.Request) {}, Response: func(stream.Response) {}}}
	asking := listenForPlugins([]*source{{watcher: w}})
	assert.False(t, asking())
	w.Trace.Request(stream.Request{})
	assert.True(t, asking())
	w.Trace.Response(stream.Response{})
	assert.False(t, asking())
}
