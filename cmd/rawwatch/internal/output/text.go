package output

import (
	"cmp"
	"sync"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/stream"
)

// table prints a row for each event, in the columns that the server defines. As
// kubectl does, it prints NAMESPACE only when it shows several of them, and the
// kind in front of the name only when it shows several kinds. NAME is in front
// of all other columns then, so that at least these stand in line:
//
//	EVENT      NAME                   READY   STATUS
//	ADDED      pod/web-1              1/1     Running
//	EVENT      NAME                   READY   UP-TO-DATE   AVAILABLE   AGE
//	MODIFIED   deployment.apps/web    1/1     1            1           5m
type table struct {
	options Options
	several bool // sources
	kinds   bool // of several kinds
	// namespaces: from several namespaces.
	namespaces bool
	// ask: whether objects have a namespace shows with the first of them.
	ask     bool
	started bool

	front  columns           // EVENT, NAMESPACE, and NAME where there are several kinds
	behind []string          // headings behind those of the server
	sheets map[string]*sheet // by the resource
	last   *sheet            // whose row was the last
	under  *sheet            // whose headings were
	lines  int               // printed so far
}

func newTable(o Options, sources []Source) *table {
	t := &table{options: o, several: len(sources) > 1, sheets: map[string]*sheet{}}
	for _, key := range o.LabelColumns {
		t.behind = append(t.behind, labelHeading(key))
	}
	if o.ShowLabels {
		t.behind = append(t.behind, "LABELS")
	}
	t.front = columns{[]int{narrowestEvent, narrowestNamespace, narrowestName}, widestOn(o.Width)}
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

// sheet is the one for the objects of a source.
func (t *table) sheet(from Source) *sheet {
	s := t.sheets[from.resource()]
	if s == nil {
		s = new(sheet)
		t.define(s, nil)
		t.sheets[from.resource()] = s
	}
	return s
}

func (t *table) define(s *sheet, columns []column) {
	s.define(columns, t.options.Format == Wide, t.kinds)
	s.columns.widest = t.front.widest
	for _, heading := range t.behind {
		s.columns.begin(escape.Width(heading), len(noLabel))
	}
}

func (t *table) append(b []byte, ev stream.Event, from Source) []byte {
	start := len(b)
	if isMarker(ev.Type) || ev.Type == stream.Bookmark {
		t.lines++
		return endLine(append(t.event(b, string(ev.Type)), about(ev, from, t.several)...), start)
	}
	if !t.started {
		t.started = true
		t.namespaces = t.namespaces && (!t.ask || ev.Namespace != "")
	}
	s := t.sheet(from)
	front, cells := t.cells(ev, from, s)
	t.frontColumns().fit(front)
	s.columns.fit(cells)
	if t.needsHeadings(s) {
		b = t.headings(b, s)
		start = len(b)
	}
	t.last = s
	t.lines++
	b = t.frontCells(t.event(b, string(ev.Type)), front)
	b = s.columns.append(b, cells)
	if ev.Inferred && !t.kinds && !s.hasName() {
		b = append(append(b, "name="...), escape.Text(ev.Name)...)
	}
	return endLine(b, start)
}

// cells are those of one row, the event left out: the ones in front, and the
// others.
func (t *table) cells(ev stream.Event, from Source, s *sheet) (front, cells []string) {
	if t.namespaces {
		front = append(front, escape.Text(cmp.Or(ev.Namespace, "-")))
	}
	if t.kinds {
		front = append(front, from.object(ev))
	}
	r := rowOf(ev)
	now := time.Now
	if t.options.Now != nil {
		now = t.options.Now
	}
	meta := sync.OnceValue(r.metadata)
	cells = s.cells(ev, r, meta, now())
	for _, key := range t.options.LabelColumns {
		cells = append(cells, known(r, func() string { return meta().label(key) }))
	}
	if t.options.ShowLabels {
		cells = append(cells, known(r, func() string { return meta().allLabels() }))
	}
	return front, cells
}

// known is what there is to say of an object, if there is one.
func known(r row, text func() string) string {
	if r.object == nil {
		return unknownCell
	}
	return text()
}

// onScreen is how many lines ago headings may have been printed so that a
// person can still see them.
const onScreen = 20

// needsHeadings: they come once. Where several types take turns, they come
// again when the last ones have scrolled away: for each turn would be as many
// headings as rows.
func (t *table) needsHeadings(s *sheet) bool {
	if t.options.NoHeaders {
		return false
	}
	if t.under != nil && !s.headed && t.under.headed && s.sameHeadings(t.under) {
		s.headed, s.at = true, t.under.at
	}
	return !s.headed || s != t.last && t.lines-s.at > onScreen
}

func (t *table) headings(b []byte, s *sheet) []byte {
	s.headed, s.at, t.under = true, t.lines, s
	t.lines++
	var front, cells []string
	if t.namespaces {
		front = append(front, "NAMESPACE")
	}
	if t.kinds {
		front = append(front, "NAME")
	}
	for _, c := range s.shown {
		cells = append(cells, c.heading)
	}
	cells = append(cells, t.behind...)
	line := t.frontCells(t.front.append(nil, []string{"EVENT"}), front)
	line = endLine(s.columns.append(line, cells), 0)
	b = append(b, t.options.Colour.Paint(terminal.Bold, string(line[:len(line)-1]))...)
	return append(b, '\n')
}

// frontColumns are the columns of front cells: behind EVENT, and without
// NAMESPACE if that is not shown.
func (t *table) frontColumns() *columns {
	if t.namespaces {
		return &columns{t.front.widths[1:], t.front.widest}
	}
	return &columns{t.front.widths[2:], t.front.widest}
}

func (t *table) frontCells(b []byte, cells []string) []byte {
	return t.frontColumns().append(b, cells)
}

// event appends the first cell of a line.
func (t *table) event(b []byte, event string) []byte {
	text := t.options.Colour.Paint(ColourOf(stream.EventType(event)), event)
	return spaces(append(b, text...), t.front.widths[0]-len(event)+between)
}

// ColourOf is the colour of an event of this type, wherever one is shown.
func ColourOf(t stream.EventType) terminal.Colour { return colours[t] }

var colours = map[stream.EventType]terminal.Colour{
	stream.Added:    terminal.Green,
	stream.Modified: terminal.Yellow,
	stream.Deleted:  terminal.Red,
	stream.Bookmark: terminal.Dim,
	stream.Synced:   terminal.Cyan,
	stream.Gap:      terminal.Magenta,
	stream.Reset:    terminal.Magenta,
}
