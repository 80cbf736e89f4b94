package main

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// counts are instructions for a byte, of one version of Go.
type counts struct {
	version string // the minor one: go1.26
	each    []count
}

type count struct {
	corpus, parser string
	perByte        float64
}

// goVersion is the minor version of the compiler: its patches do not change
// what it makes of a loop.
func goVersion() string {
	parts := strings.SplitN(runtime.Version(), ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// format writes a line for the version and one for each count.
func (c counts) format() []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, c.version)
	for _, n := range c.each {
		fmt.Fprintf(&b, "%s %s %.2f\n", n.corpus, n.parser, n.perByte)
	}
	return b.Bytes()
}

func parse(text []byte) (c counts, err error) {
	version, rest, _ := strings.Cut(string(text), "\n")
	c.version = version
	for line := range strings.Lines(rest) {
		var n count
		if _, err := fmt.Sscanf(line, "%s %s %f", &n.corpus, &n.parser, &n.perByte); err != nil {
			return c, fmt.Errorf("%s: line %q: %w", kept, line, err)
		}
		c.each = append(c.each, n)
	}
	return c, nil
}

// worse returns an error for each count of the scan that is above the one
// before by more than the tolerance, or that nobody has kept. The other parser
// is there to compare with, and is the business of its makers.
func (c counts) worse(before counts) error {
	var faults []error
	for _, n := range c.each {
		if n.parser != scan {
			continue
		}
		was, known := before.of(n)
		switch {
		case !known:
			faults = append(faults, fmt.Errorf("%s: no count was kept; -update keeps it", n.corpus))
		case n.perByte > was*tolerance:
			faults = append(faults, fmt.Errorf("%s: the scan takes %.2f instructions a byte, and took %.2f", n.corpus, n.perByte, was))
		}
	}
	return errors.Join(faults...)
}

func (c counts) of(n count) (perByte float64, known bool) {
	for _, own := range c.each {
		if own.corpus == n.corpus && own.parser == n.parser {
			return own.perByte, true
		}
	}
	return 0, false
}
