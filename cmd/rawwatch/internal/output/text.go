package output

import (
	"cmp"
	"unicode/utf8"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// table prints a row for each event. As kubectl does, it prints NAMESPACE only
// when it shows several of them, and the kind in front of the name only when it
// shows several kinds.
type table struct {
	headers    bool
	several    bool // sources
	kinds      bool // of several kinds
	namespaces bool // from several namespaces
	// ask: whether objects have a namespace shows with the first of them.
	ask     bool
	started bool
	columns columns
}

func newTable(headers bool, sources []Source) *table {
	t := &table{headers: headers, several: len(sources) > 1}
	if !t.several {
		t.namespaces = len(sources) == 0 || sources[0].Namespace == ""
		t.ask = true
		return t
	}
	kinds, namespaces := map[string]bool{}, map[string]bool{}
	for _, s := range sources {
		kinds[s.resource()] = true
		if s.Namespace != "" {
			namespaces[s.Namespace] = true
		}
		t.namespaces = t.namespaces || s.Everywhere
	}
	t.kinds = len(kinds) > 1
	t.namespaces = t.namespaces || len(namespaces) > 1
	return t
}

func (t *table) append(b []byte, ev stream.Event, from Source) []byte {
	if isMarker(ev.Type) || ev.Type == stream.Bookmark {
		return t.columns.append(b, string(ev.Type), about(ev, from, t.several))
	}
	if !t.started {
		t.started = true
		t.namespaces = t.namespaces && (!t.ask || ev.Namespace != "")
		if t.headers {
			b = t.row(b, "EVENT", "NAMESPACE", "NAME")
		}
	}
	name := escape.Text(ev.Name)
	if t.kinds {
		name = from.object(ev)
	}
	return t.row(b, string(ev.Type), escape.Text(cmp.Or(ev.Namespace, "-")), name)
}

func (t *table) row(b []byte, event, namespace, name string) []byte {
	if t.namespaces {
		return t.columns.append(b, event, namespace, name)
	}
	return t.columns.append(b, event, name)
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
