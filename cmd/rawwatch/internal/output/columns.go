package output

import (
	"bytes"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// columns puts cells under each other. The rows still to come are not known,
// so no column has its final width at the start: each keeps the widest cell it
// has had. Rows that follow each other nearly always stand in line, and none
// waits for another.
type columns struct {
	widths []int
	// widest is as wide as a column gets. A longer cell sticks out, and moves
	// the rest of its own row instead of all rows to come.
	widest int
}

const between = 3 // spaces, as in kubectl

// The width that a column begins with, if its heading is not wider: enough for
// most of what comes, so that columns seldom have to grow.
const (
	narrowestEvent     = len(stream.Modified)
	narrowestNamespace = len("kube-node-lease")
	narrowestName      = len("web-6d4cf56db6-x2x7q")
	narrowestStatus    = len("ContainerCreating")
	narrowestAge       = len("7d23h")
)

// step: a column that has to grow grows to a multiple of this, so that the
// next cell, a little longer, does not move it again.
const step = 4

// widestOn is how wide a column gets on a terminal: one long name is not to
// push all the rest of it out of sight.
func widestOn(terminal int) int {
	if terminal == 0 {
		return 80
	}
	return max(terminal*2/5, 30)
}

// begin adds a column, at least as wide as both.
func (c *columns) begin(heading, least int) { c.widths = append(c.widths, max(heading, least)) }

// fit makes columns wide enough for cells.
func (c *columns) fit(cells []string) {
	for i, cell := range cells {
		if width := escape.Width(cell); width > c.widths[i] && width <= c.widest {
			c.widths[i] = (width + step - 1) / step * step
		}
	}
}

// append appends cells, each padded to its column.
func (c *columns) append(b []byte, cells []string) []byte {
	for i, cell := range cells {
		b = append(b, cell...)
		b = spaces(b, c.widths[i]-escape.Width(cell)+between)
	}
	return b
}

// spaces appends n spaces; at least as many as columns are apart.
func spaces(b []byte, n int) []byte {
	for range max(n, between) {
		b = append(b, ' ')
	}
	return b
}

// endLine ends a line, without the spaces that pad its last cell.
func endLine(b []byte, start int) []byte {
	return append(b[:start+len(bytes.TrimRight(b[start:], " "))], '\n')
}
