package output

import (
	"slices"
	"strings"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// sheet is how the objects of one type are shown: the columns that the server
// defines for it, or, of a server that does not know Tables, NAME and AGE.
type sheet struct {
	defined []column // by the server; nil: not, or not yet
	shown   []shown
	columns columns

	headed bool // the line of headings has been printed, and is still right
	at     int  // the line that it was
}

// shown is a column that is shown, and which of the cells is in it.
type shown struct {
	column
	cell    int
	heading string
}

// own columns, where the server has none.
var own = []column{{Name: "Name", Format: "name"}, {Name: "Age"}}

// define makes s show these columns. named: the name has a column in front of
// all of them.
func (s *sheet) define(defined []column, wide, named bool) {
	*s = sheet{defined: slices.Clone(defined)}
	if len(defined) == 0 {
		defined = own
	}
	for i, c := range defined {
		if c.Priority > 0 && !wide || named && c.isName() {
			continue
		}
		heading := escape.Text(strings.ToUpper(c.Name))
		s.shown = append(s.shown, shown{c, i, heading})
		least := 0
		switch {
		case c.isName():
			least = narrowestName
		case c.isAge():
			least = narrowestAge
		case heading == "STATUS":
			least = narrowestStatus
		}
		s.columns.begin(escape.Width(heading), least)
	}
}

// hasName: one of the columns shows which object it is.
func (s *sheet) hasName() bool {
	return slices.ContainsFunc(s.shown, func(c shown) bool { return c.isName() })
}

func (s *sheet) sameHeadings(other *sheet) bool {
	return slices.EqualFunc(s.shown, other.shown, func(a, b shown) bool { return a.heading == b.heading })
}

// cells are what the columns show of an event. meta is asked only if it is
// needed: it is not read for nothing.
func (s *sheet) cells(ev stream.Event, r row, meta func() metadata, now time.Time) []string {
	cells := make([]string, 0, len(s.shown)+2)
	for _, c := range s.shown {
		text := unknownCell
		switch {
		case s.defined != nil && r.isTable && c.cell < len(r.cells):
			text = c.text(r.cells[c.cell], now)
		case c.isName():
			text = escape.Text(ev.Name)
		case c.isAge() && r.object != nil:
			text = meta().ageOf(now)
		}
		cells = append(cells, text)
	}
	return cells
}
