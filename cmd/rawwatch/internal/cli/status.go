package cli

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
)

// statusLine is what the last line of a terminal says of the watch: what it is
// doing, and whether the server is still there.
//
//	watching · 17 objects · 1024 events · last byte 3s ago · rv 10365
func (a *ask) statusLine(sources []*source, config *kubeconfig.Config, err io.Writer) func(width int) string {
	if a.logFormat.value == logJSON {
		return func(int) string { return "" } // what follows a program reads
	}
	asking := func() bool { return false }
	if strings.Contains(config.Credentials, "exec plugin") {
		asking = listenForPlugins(sources)
	}
	colours := terminal.HasColours(err, a.printing.colour.value)
	return func(width int) string {
		if asking() {
			return ""
		}
		states := make([]stream.State, len(sources))
		for i, s := range sources {
			states[i] = s.watcher.State()
		}
		return statusText(states, time.Now(), width, colours)
	}
}

// listenForPlugins returns a function that reports whether a request has no
// answer yet. That is when a credential plugin may be asking for a password, in
// the place of the status.
func listenForPlugins(sources []*source) (asking func() bool) {
	var open atomic.Int32
	for _, s := range sources {
		s.watcher.Trace.Add(stream.Trace{
			Request:  func(stream.Request) { open.Add(1) },
			Response: func(stream.Response) { open.Add(-1) },
		})
	}
	return func() bool { return open.Load() > 0 }
}

// statusText says as much as there is room for. What a person at a terminal
// wants to know comes first: is it alive?
func statusText(states []stream.State, now time.Time, width int, colours terminal.Colours) string {
	doing, colour := phases(states, now)
	var objects int
	var events int64
	var last time.Time
	for _, st := range states {
		objects += st.Objects
		events += st.Counters.Added + st.Counters.Modified + st.Counters.Deleted
		// Of several, that of the one that has been silent for longest.
		if !st.LastByte.IsZero() && (last.IsZero() || st.LastByte.Before(last)) {
			last = st.LastByte
		}
	}
	ago, lastByte := "", ""
	if !last.IsZero() {
		ago = human.Short(max(now.Sub(last), 0).Truncate(time.Second)) + " ago"
		lastByte = "last byte " + ago
	}
	count, version, known := human.Count(events, "event"), "", ""
	if rv := states[0].ResourceVersion; len(states) == 1 && rv != "" && len(rv) < width {
		version = "rv " + escape.Text(rv)
	}
	if objects > 0 || len(states) == 1 && states[0].Synced {
		known = human.Count(objects, "object")
	}
	for _, parts := range [][]string{
		{known, count, lastByte, version},
		{known, count, lastByte},
		{count, lastByte},
		{count, ago},
		{ago},
		nil,
	} {
		// One column stays free at each end: at the first is the cursor.
		if line, room := joined(doing, parts), width-2; escape.Width(line) <= room || parts == nil {
			if parts == nil {
				doing = escape.Clip(doing, room)
				line = doing
			}
			return " " + colours.Paint(colour, doing) + colours.Paint(terminal.Dim, line[len(doing):])
		}
	}
	return ""
}

func joined(doing string, parts []string) string {
	for _, part := range parts {
		if part != "" {
			doing += " · " + part
		}
	}
	return doing
}

// phases says what the watches are doing: the one, or how many of them do what.
func phases(states []stream.State, now time.Time) (doing string, colour terminal.Colour) {
	if len(states) == 1 {
		return phase(states[0], now)
	}
	var parts []string
	colour = terminal.Green
	for _, p := range []stream.Phase{stream.PhaseWatching, stream.PhaseListing, stream.PhaseWaiting} {
		n := 0
		for _, st := range states {
			if at := st.Phase; at == p || p == stream.PhaseListing && at == stream.PhaseIdle {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, p))
			colour = phaseColours[p]
		}
	}
	return strings.Join(parts, ", "), colour
}

// phase says what one watch is doing.
func phase(st stream.State, now time.Time) (doing string, colour terminal.Colour) {
	doing, colour = string(st.Phase), phaseColours[st.Phase]
	switch {
	case st.Phase == stream.PhaseIdle:
		return "starting", terminal.Cyan
	case st.Phase == stream.PhaseWaiting && st.Failures > 0:
		if left := st.NextRequest.Sub(now).Round(time.Second); left > 0 {
			doing += " " + human.Short(left)
		}
		doing += " after " + human.Count(st.Failures, "failure")
	case st.Phase == stream.PhaseWatching && now.Sub(st.LastByte) > quiet:
		colour = terminal.Yellow
	}
	return doing, colour
}

// quiet: servers send a bookmark once a minute, so by now one is late.
const quiet = 75 * time.Second

var phaseColours = map[stream.Phase]terminal.Colour{
	stream.PhaseWatching: terminal.Green,
	stream.PhaseListing:  terminal.Cyan,
	stream.PhaseWaiting:  terminal.Yellow,
}
