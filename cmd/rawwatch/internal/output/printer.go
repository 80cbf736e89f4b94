package output

import (
	"fmt"
	"io"

	"example.com/rawwatch/stream"
)

// Options say what to print and how. The zero value prints text.
type Options struct {
	Format  Format
	Markers bool
	// NoHeaders leaves out the line of column names. Text only.
	NoHeaders bool

	// What is watched: one Kind of Group. Kind may be empty when only the
	// path is known; the objects then speak for themselves.
	Group, Kind string
	Resource    string // plural
	Namespace   string // "" is all of them, or none
}

// Format is a value of --output.
type Format string

const (
	Text Format = "text"
	JSON Format = "json"
	Name Format = "name"
	Raw  Format = "raw"
)

// Formats are all there are, the default first.
func Formats() []Format { return []Format{Text, JSON, Name, Raw} }

// A format appends what it has to say about an event to b, or nothing.
type format interface {
	append(b []byte, ev stream.Event) []byte
}

// Printer prints events in one format.
type Printer struct {
	w       io.Writer
	format  format
	markers bool
	line    []byte
}

// New makes a Printer that writes to w.
func New(w io.Writer, o Options) *Printer {
	p := &Printer{w: w, markers: o.Markers}
	switch o.Format {
	case JSON:
		p.format = jsonLines{}
	case Name:
		p.format = names{kind: o.Kind, resource: o.Resource, group: o.Group}
	case Raw:
		p.format = &rawLines{}
	default:
		p.format = &table{headers: !o.NoHeaders, namespaces: o.Namespace == ""}
	}
	return p
}

// keepLine: one event of 16 MiB must not be held for ever. A line buffer larger
// than this is not kept for the next event.
const keepLine = 1 << 20

// Print writes one event, in one write. It reports whether it did; markers do
// not count as events.
func (p *Printer) Print(ev stream.Event) (printed bool, err error) {
	// Also a marker that is not shown goes through the format: raw has to know
	// when a relist begins and ends.
	marker := isMarker(ev.Type)
	line := p.format.append(p.line[:0], ev)
	if cap(line) <= keepLine {
		p.line = line
	}
	if len(line) == 0 || marker && !p.markers {
		return false, nil
	}
	if _, err := p.w.Write(line); err != nil {
		return false, fmt.Errorf("cannot write to standard output: %w", err)
	}
	return !marker, nil
}

func isMarker(t stream.EventType) bool {
	switch t {
	case stream.Synced, stream.Gap, stream.Reset:
		return true
	}
	return false
}
