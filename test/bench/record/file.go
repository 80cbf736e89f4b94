package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"example.com/rawwatch/test/bench/measure"
)

// File is the file of one suite.
type File struct {
	Suite    string
	Command  string
	Date     string // of the day, UTC
	Machine  Machine
	Go       string
	Versions map[string]string // of the modules that were compared
	Results  []measure.Result
}

// Path returns the path of a suite's file in a folder.
func Path(folder, suite string) string { return filepath.Join(folder, suite+".json") }

// Write writes the file into a folder.
func (f File) Write(folder string) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return fmt.Errorf("record: %s: %w", f.Suite, err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(Path(folder, f.Suite), append(joinNumbers(text), '\n'), 0o644)
}

// Read reads the file of a suite.
func Read(folder, suite string) (f File, err error) {
	text, err := os.ReadFile(Path(folder, suite))
	if err != nil {
		return f, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("record: %s: %w", Path(folder, suite), err)
	}
	return f, nil
}

// joinNumbers puts the numbers of a series on one line: a diff of two runs then
// shows a line for each series.
func joinNumbers(text []byte) []byte {
	lines := bytes.Split(text, []byte("\n"))
	joined := lines[:0]
	for _, line := range lines {
		number := bytes.TrimLeft(line, " ")
		closes := bytes.HasPrefix(number, []byte("]"))
		isNumber := len(number) > 0 && (number[0] >= '0' && number[0] <= '9' || number[0] == '-')
		if last := len(joined) - 1; last >= 0 && (isNumber || closes && inSeries(joined[last])) {
			joined[last] = slices.Concat(joined[last], number)
			continue
		}
		joined = append(joined, line)
	}
	return bytes.Join(joined, []byte("\n"))
}

// inSeries reports whether the line ends in a number that is an element.
func inSeries(line []byte) bool {
	open := bytes.LastIndexByte(line, '[')
	return open >= 0 && open < len(line)-1
}
