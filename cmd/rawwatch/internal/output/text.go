package output

import (
	"unicode/utf8"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// table prints a row for each event. kubectl prints NAMESPACE only when it
// shows all of them, and so does this.
type table struct {
	headers    bool
	namespaces bool // all are watched; whether objects have one shows with the first
	started    bool
	columns    columns
}

func (t *table) append(b []byte, ev stream.Event) []byte {
	if isMarker(ev.Type) || ev.Type == stream.Bookmark {
		return t.columns.append(b, string(ev.Type), about(ev))
	}
	if !t.started {
		t.started = true
		t.namespaces = t.namespaces && ev.Namespace != ""
		if t.headers {
			b = t.append(b, stream.Event{Type: "EVENT", Namespace: "NAMESPACE", Name: "NAME"})
		}
	}
	if t.namespaces {
		return t.columns.append(b, string(ev.Type), escape.Text(ev.Namespace), escape.Text(ev.Name))
	}
	return t.columns.append(b, string(ev.Type), escape.Text(ev.Name))
}

// columns puts cells under each other. The rows still to come are not known,
// so no column has its final width at the start: each keeps the widest cell it
// has had. Rows that follow each other nearly always stand in line, and none
// waits for another.
type columns struct{ widths []int }

const (
	between = 3 // spaces, as in kubectl
	// narrowest is enough for every type of event and for most namespaces,
	// so that these columns seldom have to grow.
	narrowest = len("kube-node-lease")
	// narrowestFirst is that of the first column, where MODIFIED is the longest.
	narrowestFirst = len(stream.Modified)
)

// append appends a line of cells, each but the last padded to its column.
func (c *columns) append(b []byte, cells ...string) []byte {
	last := len(cells) - 1
	for i, cell := range cells[:last] {
		b = append(b, cell...)
		for range c.width(i, cell) + between - utf8.RuneCountInString(cell) {
			b = append(b, ' ')
		}
	}
	b = append(b, cells[last]...)
	return append(b, '\n')
}

// width is how wide column i has to be, now that it has this cell.
func (c *columns) width(i int, cell string) int {
	for len(c.widths) <= i {
		width := narrowest
		if len(c.widths) == 0 {
			width = narrowestFirst
		}
		c.widths = append(c.widths, width)
	}
	c.widths[i] = max(c.widths[i], utf8.RuneCountInString(cell))
	return c.widths[i]
}
