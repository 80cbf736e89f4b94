package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/record"
)

// folder is where the page finds the plots: they lie beside the results.
const folder = "test/bench/results"

// Write writes the sections of all suites into the page, and the plots beside
// the results. A suite that was never measured says so.
func (p Page) Write(results, page string) error {
	text, plots, err := p.Render(results, page)
	if err != nil {
		return err
	}
	for name, svg := range plots {
		if err := os.WriteFile(filepath.Join(results, name), svg, 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

// Render returns what Write would write: the page, and the plots by the names
// of their files.
func (p Page) Render(results, page string) (text string, plots map[string][]byte, err error) {
	old, err := os.ReadFile(page)
	if err != nil {
		return "", nil, err
	}
	sections, plots := map[string]string{}, map[string][]byte{}
	all := map[string][]measure.Result{}
	for _, s := range p.Suites {
		f, err := record.Read(results, s.Name)
		if errors.Is(err, fs.ErrNotExist) {
			sections[s.Name] = "\nNot measured yet.\n"
			continue
		}
		if err != nil {
			return "", nil, err
		}
		all[s.Name] = f.Results
		sections[s.Name] = Section(s, f, folder)
		for _, plot := range Plots(s, f.Results) {
			if plots[plot.Name], err = plot.SVG(); err != nil {
				return "", nil, err
			}
		}
	}
	sections[summaryName], sections[costsName] = summary(p.Suites, all), costTable(p.Columns, p.Costs, all)
	text, err = Fill(string(old), sections)
	return text, plots, err
}
