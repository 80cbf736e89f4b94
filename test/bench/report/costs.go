package report

import (
	"strings"

	"example.com/rawwatch/test/bench/measure"
)

// Cost is a row of the table at the top of the page: one figure, for us and for
// those who do the same.
type Cost struct {
	What                string
	Suite, Case, Figure string
	Of                  []string // contenders, in the order of the columns; "" or missing for none
}

// Page is all that a page is made of.
type Page struct {
	Suites  []measure.Suite
	Columns []string // of the costs
	Costs   []Cost
}

// The name of the section that has the costs.
const costsName = "costs"

// costTable returns the text of that section, medians alone.
func costTable(columns []string, costs []Cost, results map[string][]measure.Result) string {
	var b strings.Builder
	b.WriteString("\n")
	row(&b, append([]string{""}, columns...))
	row(&b, dashes(len(columns)+1))
	for _, c := range costs {
		cells := []string{c.What}
		for i := range columns {
			cell := "–"
			if i < len(c.Of) {
				cell = median(results[c.Suite], c, c.Of[i])
			}
			cells = append(cells, cell)
		}
		row(&b, cells)
	}
	return b.String()
}

func median(results []measure.Result, c Cost, contender string) string {
	for _, r := range results {
		if figures := r.Of(contender, c.Figure); r.Name == c.Case && len(figures) > 0 {
			return number(measure.SpreadOf(figures).Median)
		}
	}
	return "–"
}
