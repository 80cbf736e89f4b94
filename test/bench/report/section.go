package report

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/record"
)

// Section returns the text of a suite's section. Plots is where the page finds
// the plots.
func Section(s measure.Suite, f record.File, plots string) string {
	var b strings.Builder
	bars(&b, s, f.Results)
	if len(f.Results) == 1 {
		byFigure(&b, s, f.Results[0])
	} else {
		byCase(&b, s, f.Results)
	}
	for _, p := range Plots(s, f.Results) {
		fmt.Fprintf(&b, "\n![%s: %s](%s)\n", s.Title, p.Figure, path.Join(plots, p.Name))
	}
	fmt.Fprintf(&b, "\n`%s`, %s, %s; %s. Median, and in brackets the least and the most of %d rounds.\n",
		f.Command, f.Date, f.Machine, f.VersionList(), rounds(f.Results))
	return b.String()
}

// rounds is the number of figures of the series that has most.
func rounds(results []measure.Result) (n int) {
	for _, r := range results {
		for _, s := range r.Contenders {
			for _, figures := range s.Figures {
				n = max(n, len(figures))
			}
		}
	}
	return n
}

// bars writes what was to be reached, and whether it was.
func bars(b *strings.Builder, s measure.Suite, results []measure.Result) {
	if len(s.Bars) > 0 {
		b.WriteString("\n| what | bar | measured | |\n|---|---|---|---|\n")
		barRows(b, "", s, results)
	}
}

// barRows writes a row for each bar in each case, behind the cells in front.
func barRows(b *strings.Builder, front string, s measure.Suite, results []measure.Result) {
	verdicts, missing := measure.Judge(s.Bars, results)
	for _, v := range verdicts {
		reached := "**not reached**"
		if v.Reached() {
			reached = "reached"
		}
		name := what(v.Bar)
		if len(results) > 1 {
			name = v.Case + ": " + name
		}
		fmt.Fprintf(b, "%s| %s | %s | %s | %s |\n", front, name, limit(v.Bar), spread(v.Measured), reached)
	}
	for _, bar := range missing {
		fmt.Fprintf(b, "%s| %s | %s | not measured | **not reached** |\n", front, strings.TrimPrefix(bar.Case+": "+what(bar), ": "), limit(bar))
	}
}

// The name of the section that has the bars of all suites.
const summaryName = "bars"

// summary returns the text of that section.
func summary(suites []measure.Suite, results map[string][]measure.Result) string {
	var b strings.Builder
	b.WriteString("\n| | what | bar | measured | |\n|---|---|---|---|---|\n")
	for _, s := range suites {
		barRows(&b, "| "+s.Title+" ", s, results[s.Name])
	}
	return b.String()
}

func what(b measure.Bar) string {
	if b.Against == "" {
		return b.Figure + " of " + b.Contender
	}
	return fmt.Sprintf("%s of %s by that of %s", b.Figure, b.Contender, b.Against)
}

func limit(b measure.Bar) string {
	switch {
	case b.AtLeast != 0 && b.AtMost != 0:
		return number(b.AtLeast) + " to " + number(b.AtMost)
	case b.AtLeast != 0:
		return "at least " + number(b.AtLeast)
	default:
		return "at most " + number(b.AtMost)
	}
}

// byFigure writes one case: a row for each contender, a column for each figure.
func byFigure(b *strings.Builder, s measure.Suite, r measure.Result) {
	b.WriteString("\n")
	row(b, append([]string{""}, s.Figures...))
	row(b, dashes(len(s.Figures)+1))
	for _, c := range r.Contenders {
		cells := []string{c.Name}
		for _, figure := range s.Figures {
			cells = append(cells, cell(c.Figures[figure]))
		}
		row(b, cells)
	}
}

// byCase writes a table for each figure: a row for each contender, a column for
// each case.
func byCase(b *strings.Builder, s measure.Suite, results []measure.Result) {
	for _, figure := range s.Figures {
		header := []string{figure}
		for _, r := range results {
			header = append(header, r.Name)
		}
		b.WriteString("\n")
		row(b, header)
		row(b, dashes(len(header)))
		for _, name := range contenders(results) {
			cells, any := []string{name}, false
			for _, r := range results {
				figures := r.Of(name, figure)
				any = any || len(figures) > 0
				cells = append(cells, cell(figures))
			}
			if any {
				row(b, cells)
			}
		}
	}
}

// contenders are the names of all, each once, in the order of their first case.
func contenders(results []measure.Result) (names []string) {
	seen := map[string]bool{}
	for _, r := range results {
		for _, c := range r.Contenders {
			if !seen[c.Name] {
				seen[c.Name] = true
				names = append(names, c.Name)
			}
		}
	}
	return names
}

func row(b *strings.Builder, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func dashes(n int) (cells []string) {
	for range n {
		cells = append(cells, "---")
	}
	return cells
}

func cell(figures []float64) string {
	if len(figures) == 0 {
		return "–"
	}
	return spread(measure.SpreadOf(figures))
}

func spread(s measure.Spread) string {
	if s.Min == s.Max {
		return number(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.Median), number(s.Min), number(s.Max))
}

// number writes three digits, and whole numbers of up to nine digits as they
// are.
func number(v float64) string {
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	return strconv.FormatFloat(rounded(v), 'f', -1, 64)
}

func rounded(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
