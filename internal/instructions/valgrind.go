package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/internal/corpus"
)

// The parsers that are counted.
const (
	scan  = "scan"
	valid = "encoding/json.Valid"
)

// countAll counts both parsers on each corpus.
func countAll() (counts, error) {
	c := counts{version: goVersion()}
	if _, err := exec.LookPath("valgrind"); err != nil {
		return c, fmt.Errorf("valgrind is needed, which counts: %w", err)
	}
	all, err := corpus.All(recording)
	if err != nil {
		return c, err
	}
	for _, lines := range all {
		for _, parser := range []string{scan, valid} {
			perByte, err := countOne(lines, parser)
			if err != nil {
				return c, err
			}
			c.each = append(c.each, count{lines.Name, parser, perByte})
		}
	}
	return c, nil
}

// countOne runs the work with one pass over the corpus and with five: the
// difference is four passes, and nothing of the start of the process.
func countOne(c corpus.Corpus, parser string) (perByte float64, err error) {
	const few, many = 1, 5
	start, err := callgrind(c.Name, parser, few)
	if err != nil {
		return 0, err
	}
	end, err := callgrind(c.Name, parser, many)
	return float64(end-start) / float64((many-few)*c.Size), err
}

var collected = regexp.MustCompile(`Collected : (\d+)`)

// callgrind runs this program on its work, and returns the instructions of the
// whole process. Without a second processor and a collector nothing in it is
// left to chance.
func callgrind(corpus, parser string, passes int) (int64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
		self, "-work", fmt.Sprintf("%s,%s,%d", corpus, parser, passes))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=off")
	output, err := cmd.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("valgrind: %w: %s", err, bytes.TrimSpace(output))
	}
	found := collected.FindSubmatch(output)
	if found == nil {
		return 0, fmt.Errorf("valgrind says no count: %s", bytes.TrimSpace(output))
	}
	return strconv.ParseInt(string(found[1]), 10, 64)
}

// do is what is counted.
func do(work string) error {
	parts := strings.Split(work, ",")
	if len(parts) != 3 {
		return fmt.Errorf("-work %q is not CORPUS,PARSER,PASSES", work)
	}
	passes, err := strconv.Atoi(parts[2])
	if err != nil {
		return err
	}
	all, err := corpus.All(recording)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Name != parts[0] {
			continue
		}
		for range passes {
			if err := pass(c, parts[1]); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("no corpus %q", parts[0])
}

func pass(c corpus.Corpus, parser string) error {
	var s decode.Scanner
	var ev decode.Event
	for _, line := range c.Lines {
		if parser == valid {
			if !json.Valid(line) {
				return errors.New("a line is not JSON")
			}
		} else if err := s.ScanEvent(line, &ev); err != nil {
			return err
		}
	}
	return nil
}
