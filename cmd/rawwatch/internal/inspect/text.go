package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
)

// Text is the report for people, escaped for terminals.
func (r *Report) Text(name string, colours terminal.Colours) []byte {
	p := &page{colours: colours}
	p.summary(name, r)
	p.connections(r.Connections)
	p.gaps(r)
	p.kinds(r.Kinds)
	p.empty(r)
	p.table("WRITERS", "CHANGES\tEMPTY\tMANAGER", len(r.Writers), func(i int) string {
		w := r.Writers[i]
		return fmt.Sprintf("%d\t%s\t%s", w.Changes, orDash(w.Empty), escape.Text(w.Name))
	})
	p.table("BUSIEST OBJECTS", "EVENTS\tBYTES\tOBJECT", len(r.Objects), func(i int) string {
		o := r.Objects[i]
		return fmt.Sprintf("%d\t%s\t%s", o.Events, bytesText(o.Bytes), escape.Text(o.Name))
	})
	p.table("BIGGEST EVENTS", "BYTES\tAT\tEVENT\tOBJECT", len(r.Biggest), func(i int) string {
		b := r.Biggest[i]
		return fmt.Sprintf("%s\t%s\t%s\t%s", bytesText(int64(b.Bytes)), at(b.At), escape.Text(b.Type), escape.Text(b.Name))
	})
	return p.b.Bytes()
}

// page is a report that is being written.
type page struct {
	b       bytes.Buffer
	colours terminal.Colours
}

func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.b, format+"\n", args...) }

// heading begins a part.
func (p *page) heading(text string) {
	p.line("\n%s", p.colours.Paint(terminal.Bold, text))
}

// table writes a part of rows whose cells have tabs between them; nothing if
// there are none.
func (p *page) table(heading, columns string, n int, row func(i int) string) {
	if n == 0 {
		return
	}
	p.heading(heading)
	w := tabwriter.NewWriter(&p.b, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "  "+columns)
	for i := range n {
		if text := row(i); text != "" {
			fmt.Fprintln(w, "  "+text)
		}
	}
	w.Flush()
}

func (p *page) summary(name string, r *Report) {
	text := escape.Text(name) + ": " + seconds(r.Seconds)
	if r.Start != nil {
		text += " from " + r.Start.UTC().Format("2006-01-02 15:04:05Z")
	}
	if r.Tool != "" {
		text += ", recorded by " + escape.Text(r.Tool)
	}
	p.line("%s", text)
	if r.Truncated != "" {
		p.line("%s", escape.Text(r.Truncated))
	}
	if r.Hidden > 0 {
		p.line("held back, for there might be Secrets in it: %s, known by length alone", human.Count(r.Hidden, "piece"))
	}
	if r.Broken > 0 {
		p.line("no event, though a watch brought it: %s, whole or torn", human.Count(r.Broken, "line"))
	}
}

// mostConnections are shown one by one: the first and the last of them.
const mostConnections = 24

func (p *page) connections(all []*Connection) {
	left := len(all) - mostConnections
	heading := fmt.Sprintf("CONNECTIONS (%d)", len(all))
	p.table(heading, "#\tAT\tTOOK\tSTATUS\tGOT\tBYTES\tEND\tREQUEST", len(all), func(i int) string {
		if left > 0 && i >= mostConnections/2 && i < mostConnections/2+left {
			if i == mostConnections/2 {
				return fmt.Sprintf("…\t\t\t\t\t\t\t%d more", left)
			}
			return ""
		}
		c := all[i]
		got := "-"
		switch {
		case c.What == "list":
			got = human.Count(c.Items, "item")
		case c.What == "watch":
			got = human.Count(c.Events, "event")
		}
		return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%s\t%s", c.Number, at(c.At), seconds(c.Seconds), orDash(c.Status), got, bytesText(c.Bytes),
			escape.Text(cmp.Or(c.End, "not recorded")), c.request())
	})
}

// request is what was asked for, in short.
func (c *Connection) request() string {
	path, query, _ := strings.Cut(c.URL, "?")
	text := c.What + " " + cmp.Or(path, "(not recorded)")
	for pair := range strings.SplitSeq(query, "&") {
		key, value, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		switch key {
		case "resourceVersion":
			text += " from " + value
		case "continue":
			text += ", next page"
		case "labelSelector", "fieldSelector":
			text += " " + value
		}
	}
	return escape.Text(text)
}

func (p *page) gaps(r *Report) {
	if len(r.Gaps)+len(r.Silences) == 0 {
		return
	}
	p.heading("GAPS")
	for i, g := range r.Gaps {
		if i == mostConnections {
			p.line("  %d more", len(r.Gaps)-i)
			break
		}
		p.line("  at %s: %s", at(g.At), escape.Text(g.What))
	}
	for _, s := range r.Silences {
		p.line("  at %s: nothing came for %s", at(s.At), seconds(s.Seconds))
	}
}

func (p *page) kinds(kinds []*Kind) {
	p.table("EVENTS", "KIND\tLISTED\tADDED\tMODIFIED\tDELETED\tBOOKMARK\tERROR\tBYTES", len(kinds), func(i int) string {
		k := kinds[i]
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s", escape.Text(k.Kind), orDash(k.Listed), orDash(k.Added),
			orDash(k.Modified), orDash(k.Deleted), orDash(k.Bookmark), orDash(k.Error+k.Other), bytesText(k.Bytes))
	})
}

// empty tells how many changes changed nothing.
func (p *page) empty(r *Report) {
	if r.Modified == 0 {
		return
	}
	p.heading("EMPTY CHANGES")
	p.line("  %d of %d MODIFIED (%d %%) changed nothing but noise", r.Empty, r.Modified, 100*r.Empty/r.Modified)
	all := slices.SortedFunc(maps.Keys(r.Only), func(a, b string) int { return cmp.Or(r.Only[b]-r.Only[a], cmp.Compare(a, b)) })
	for _, what := range all[:min(len(all), mostWriters)] {
		p.line("  %6d  %s", r.Only[what], escape.Text(strings.TrimPrefix(what, "nothing but ")))
	}
}

func orDash(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func seconds(s float64) string { return human.Short(time.Duration(s * float64(time.Second))) }

// at is a moment of a recording.
func at(s float64) string { return "+" + seconds(s) }

func bytesText(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	case n < 1<<30:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
