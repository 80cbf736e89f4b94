package output

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/stream"
)

// Options say how to print. The zero value prints text.
type Options struct {
	Format  Format
	Markers bool
	// These are about Text and Wide.
	//
	// NoHeaders leaves out the line of column names.
	NoHeaders bool
	// LabelColumns are the keys of labels that get a column each, and
	// ShowLabels adds one with all of them.
	LabelColumns []string
	ShowLabels   bool
	Colour       terminal.Colours // of Diff, too
	// Width is that of the terminal that is printed to; 0 if it is none.
	Width int
	// Now is the time that ages count to; nil is that of the clock.
	Now func() time.Time
	// ManagedFields shows them in YAML and Diff.
	ManagedFields bool
	Diff          DiffOptions
	// Query, if there is one, makes what is printed of an event out of its line
	// of JSON, and appends it to b. Nothing appended is nothing printed.
	Query func(b []byte, ev stream.Event, line []byte) []byte
}

// Format is a value of --output.
type Format string

const (
	Text Format = "text"
	Wide Format = "wide" // with the columns that need room
	JSON Format = "json"
	Name Format = "name"
	YAML Format = "yaml"
	Diff Format = "diff"
	Raw  Format = "raw"
)

// Formats are all there are, the default first.
func Formats() []Format { return []Format{Text, Wide, JSON, YAML, Name, Diff, Raw} }

// HasColumns reports whether the format is made of a server's Table.
func (f Format) HasColumns() bool { return f == Text || f == Wide }

// A format appends what it has to say about an event to b, or nothing. from is
// where the event comes from.
type format interface {
	append(b []byte, ev stream.Event, from Source) []byte
}

// Printer prints events in one format.
type Printer struct {
	w       io.Writer
	format  format
	markers bool
	sources []Source

	mu   sync.Mutex // for Line
	line []byte
}

// New makes a Printer that writes to w. With more than one source it tells
// them apart.
func New(w io.Writer, o Options, sources ...Source) *Printer {
	p := &Printer{w: w, markers: o.Markers, sources: slices.Clone(sources)}
	for i, s := range p.sources {
		if s.Kind != "" {
			p.sources[i].prefix = s.before(s.Kind)
		}
	}
	several := len(sources) > 1
	switch o.Format {
	case JSON:
		if o.Query != nil {
			p.format = queried{jsonLines{several}, o.Query}
			break
		}
		p.format = jsonLines{several}
	case Name:
		p.format = names{several}
	case YAML:
		p.format = yamlDocuments{several, o.ManagedFields}
	case Diff:
		p.format = newDiffs(o, several)
	case Raw:
		p.format = rawLines{}
	default:
		p.format = newTable(o, p.sources)
	}
	return p
}

// keepLine: one event of 16 MiB must not be held for ever. A line buffer larger
// than this is not kept for the next event.
const keepLine = 1 << 20

// Print writes one event, in one write. It reports whether it did; markers do
// not count as events.
func (p *Printer) Print(ev stream.Event) (printed bool, err error) {
	marker := isMarker(ev.Type)
	if marker && !p.markers {
		return false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	line := p.format.append(p.line[:0], ev, p.from(ev))
	if len(line) == 0 {
		return false, nil
	}
	if err := p.write(line); err != nil {
		return false, err
	}
	return !marker, nil
}

// write writes a line that was made in the buffer. The caller holds mu.
func (p *Printer) write(line []byte) error {
	if cap(line) <= keepLine {
		p.line = line
	}
	if _, err := p.w.Write(line); err != nil {
		return fmt.Errorf("cannot write to standard output: %w", err)
	}
	return nil
}

func isMarker(t stream.EventType) bool {
	switch t {
	case stream.Synced, stream.Gap, stream.Reset:
		return true
	}
	return false
}
