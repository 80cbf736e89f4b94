package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutant is one bug.
type mutant struct {
	name, why, test string
	edits           []edit
}

// edit replaces text in a file of the project.
type edit struct{ file, old, new string }

// readMutant reads a file of testdata.
func readMutant(path string) (*mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := &mutant{name: strings.TrimSuffix(filepath.Base(path), ".txt")}
	var part *string // that lines are added to
	for line := range strings.Lines(string(text)) {
		title, isTitle := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		title, closed := strings.CutSuffix(title, " --")
		switch test, isTest := strings.CutPrefix(line, "test: "); {
		case isTitle && closed && title == "becomes" && len(m.edits) > 0:
			part = &m.edits[len(m.edits)-1].new
		case isTitle && closed:
			m.edits = append(m.edits, edit{file: title})
			part = &m.edits[len(m.edits)-1].old
		case part != nil:
			*part += line
		case isTest:
			m.test = strings.TrimSpace(test)
		default:
			m.why += line
		}
	}
	if m.why == "" || m.test == "" || len(m.edits) == 0 {
		return nil, fmt.Errorf("mutants: %s lacks its reason, its test or its text", path)
	}
	return m, nil
}

// apply is the text of each file that the bug is in, by its path below root.
func (m *mutant) apply(root string) (map[string]string, error) {
	files := map[string]string{}
	for _, e := range m.edits {
		text, ok := files[e.file]
		if !ok {
			b, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, fmt.Errorf("mutants: %s: %w", m.name, err)
			}
			text = string(b)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("mutants: %s: its text stands in %s %d times, not once: write it anew", m.name, e.file, n)
		}
		files[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return files, nil
}

// readAll reads the mutants with these names, or all.
func readAll(folder string, names []string) (all []*mutant, err error) {
	if len(names) == 0 {
		paths, err := filepath.Glob(filepath.Join(folder, "*.txt"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			names = append(names, strings.TrimSuffix(filepath.Base(path), ".txt"))
		}
	}
	for _, name := range names {
		m, err := readMutant(filepath.Join(folder, name+".txt"))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}
