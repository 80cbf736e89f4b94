package output

import (
	"strconv"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/diff"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/cmd/rawwatch/internal/tree"
	"example.com/rawwatch/cmd/rawwatch/internal/yamltext"
)

// changes writes changes for people. What fits stands on one line behind its
// path, and the values of an event under each other; the rest stands below its
// path, further in:
//
//	~ status.phase              Pending → Running
//	- metadata.labels.canary    "true"
//	+ status.containerStatuses[web]
//	    image: web:1.3
//	    ready: false
//	~ data["app.yaml"]
//	    log:
//	  -   level: info
//	  +   level: debug
//	~ spec.containers[web].image
//	    registry.example/team/web:[-v1.2.3-]{+v1.2.4+}@sha256:0f1e…
//
// Everything an object says is escaped.
type changes struct {
	b      []byte
	colour terminal.Colours
	width  int // of the paths that have a value behind them
}

const (
	widestPath  = 60 // paths that are longer do not push the values of others away
	widestValue = 80 // in one line
	shortValue  = 12
	arrow       = " → "
	inside      = "      " // in front of what stands below a path
)

// changeRow is a change that is about to be written.
type changeRow struct {
	diff.Change
	sign, path string
	inline     string // the value or values, if they fit
}

func (c *changes) all(list []diff.Change) {
	rows := make([]changeRow, len(list))
	for i, change := range list {
		rows[i] = c.row(change)
		if width := escape.Width(rows[i].path); rows[i].inline != "" && width <= widestPath {
			c.width = max(c.width, width)
		}
	}
	for _, row := range rows {
		c.write(row)
	}
}

func (c *changes) row(change diff.Change) changeRow {
	s := changeRow{Change: change, path: escape.Text(change.Path.String())}
	if s.path == "" {
		s.path = "(all of it)"
	}
	if change.Order {
		s.path += " (order)"
	}
	switch {
	case change.Old == nil:
		s.sign, s.inline = "+", c.colour.Paint(terminal.Green, fitting(change.New))
	case change.New == nil:
		s.sign, s.inline = "-", c.colour.Paint(terminal.Red, fitting(change.Old))
	default:
		s.sign = "~"
		old, new := fitting(change.Old), fitting(change.New)
		if change.Old.Mask != 0 && change.New.Mask != 0 {
			old, new = old+" (before)", new+" (after)" // as kubectl diff says that it differs
		}
		// Beside a short value a long one needs no comparison.
		short := min(escape.Width(old), escape.Width(new)) <= shortValue
		if old != "" && new != "" && (short || escape.Width(old+new) <= widestValue) {
			s.inline = c.colour.Paint(terminal.Red, old) + c.colour.Paint(terminal.Dim, arrow) + c.colour.Paint(terminal.Green, new)
		}
	}
	return s
}

func (c *changes) write(s changeRow) {
	c.b = append(append(c.b, "  "...), c.colour.Paint(signColours[s.sign], s.sign)...)
	c.b = append(append(c.b, ' '), s.path...)
	if s.inline != "" {
		c.b = spaces(c.b, max(c.width-escape.Width(s.path), 0)+between)
		c.b = append(append(c.b, s.inline...), '\n')
		return
	}
	c.b = append(c.b, '\n')
	switch {
	case s.Old == nil:
		c.lines("", terminal.Green, block(s.New))
	case s.New == nil:
		c.lines("", terminal.Red, block(s.Old))
	case s.Old.Kind != tree.String || s.New.Kind != tree.String || s.Old.Mask|s.New.Mask != 0:
		c.lines("-", terminal.Red, block(s.Old))
		c.lines("+", terminal.Green, block(s.New))
	case strings.Contains(s.Old.Text+s.New.Text, "\n"):
		c.linesOf(s.Old.Text, s.New.Text)
	default:
		c.wordsOf(s.Old.Text, s.New.Text)
	}
}

// lines writes lines below a path.
func (c *changes) lines(sign string, colour terminal.Colour, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if sign == "" {
			c.b = append(c.b, inside...)
		} else {
			c.b = append(c.b, inside[:len(inside)-2]...)
			c.b = append(append(c.b, c.colour.Paint(colour, sign)...), ' ')
		}
		c.b = append(append(c.b, c.colour.Paint(colour, escape.Text(line))...), '\n')
	}
}

// around is how many lines that stayed are shown beside one that did not.
const around = 2

// linesOf writes what changed in a text of lines.
func (c *changes) linesOf(old, new string) {
	parts := diff.Lines(old, new)
	near := func(i int) bool {
		for j := max(i-around, 0); j <= min(i+around, len(parts)-1); j++ {
			if parts[j].Op != diff.Kept {
				return true
			}
		}
		return false
	}
	left := false
	for i, part := range parts {
		// A text that only lost the line break at its end has to show it.
		text, whole := strings.CutSuffix(part.Text, "\n")
		if !whole && part.Op != diff.Kept {
			text += " (no line break)"
		}
		text += "\n"
		switch {
		case part.Op == diff.Removed:
			c.lines("-", terminal.Red, text)
		case part.Op == diff.Inserted:
			c.lines("+", terminal.Green, text)
		case near(i):
			c.lines("", "", text)
		case !left:
			c.lines("", terminal.Dim, "…")
		}
		left = part.Op == diff.Kept && !near(i)
	}
}

// wordsOf writes what changed in a long text of one line: in place, if enough
// of it stayed to make that readable, else one below the other.
func (c *changes) wordsOf(old, new string) {
	parts := diff.Words(old, new)
	kept := 0
	for _, part := range parts {
		if part.Op == diff.Kept {
			kept += len(part.Text)
		}
	}
	if 3*kept < max(len(old), len(new)) {
		c.lines("-", terminal.Red, old+"\n")
		c.lines("+", terminal.Green, new+"\n")
		return
	}
	c.b = append(c.b, inside...)
	for i, part := range parts {
		text := escape.Text(part.Text)
		switch {
		case part.Op == diff.Kept:
			c.b = append(c.b, shorten(text, i == 0, i == len(parts)-1)...)
		case bool(c.colour) && part.Op == diff.Removed:
			c.b = append(c.b, c.colour.Paint(terminal.Red, text)...)
		case bool(c.colour):
			c.b = append(c.b, c.colour.Paint(terminal.Green, text)...)
		case part.Op == diff.Removed:
			c.b = append(c.b, "[-"+text+"-]"...)
		default:
			c.b = append(c.b, "{+"+text+"+}"...)
		}
	}
	c.b = append(c.b, '\n')
}

// shorten takes the middle out of a long text that stayed. Where it is the
// first or the last part, only what is next to a change matters, and the
// beginning, which says what kind of text it is.
func shorten(text string, first, last bool) string {
	const long, end = 48, 20
	runes := []rune(text)
	switch {
	case len(runes) <= long:
		return text
	case last && !first:
		return string(runes[:long-1]) + "…"
	}
	return string(runes[:end]) + "…" + string(runes[len(runes)-end:])
}

// fitting is a value in one line, or "" if it does not fit in one.
func fitting(n *tree.Node) string {
	b, ok := appendFlow(nil, n, widestValue)
	if !ok {
		return ""
	}
	return string(b)
}

// appendFlow appends n in one line, unless that has more than room bytes.
// Scalars always fit, however long they are, but for texts of several lines.
func appendFlow(b []byte, n *tree.Node, room int) (_ []byte, ok bool) {
	if !n.IsContainer() {
		text := scalar(n)
		if strings.Contains(n.Text, "\n") && len(text) > room/2 {
			return b, false
		}
		return append(b, text...), true
	}
	brackets := "[]"
	if n.Kind == tree.Object {
		brackets = "{}"
	}
	b = append(b, brackets[0])
	for i := range n.Items {
		if i > 0 {
			b = append(b, ", "...)
		}
		if n.Kind == tree.Object {
			b = append(b, escape.Text(n.Keys[i])+": "...)
		}
		if b, ok = appendFlow(b, &n.Items[i], room); !ok || len(b) > room {
			return b, false
		}
	}
	return append(b, brackets[1]), true
}

// scalar is a value as people write it: a string without quotes, unless one
// could take it for something else.
func scalar(n *tree.Node) string {
	switch n.Kind {
	case tree.Null:
		return "null"
	case tree.String:
		if isPlain(n.Text) {
			return escape.Text(n.Text)
		}
		return `"` + escape.Text(n.Text) + `"`
	}
	return escape.Text(n.Text)
}

// isPlain reports whether s needs no quotes.
func isPlain(s string) bool {
	switch s {
	case "", "null", "true", "false":
		return false
	}
	_, err := strconv.ParseFloat(s, 64)
	return err != nil && strings.TrimSpace(s) == s && strings.IndexByte(`"{[`, s[0]) < 0
}

// block is a value in lines.
func block(n *tree.Node) string {
	if n.Kind == tree.String {
		return n.Text + "\n"
	}
	b, err := yamltext.Append(nil, n)
	if err != nil {
		return scalar(n) + "\n" // of a tree there is YAML always
	}
	return string(b)
}

var signColours = map[string]terminal.Colour{"+": terminal.Green, "-": terminal.Red, "~": terminal.Yellow}
