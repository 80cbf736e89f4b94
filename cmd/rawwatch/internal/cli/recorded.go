package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream/replay"
)

// recorded is a recording that somebody named. A file is read more than once,
// first for its mistakes, and not held: it may be larger than the memory. What
// can be read only once (a pipe) is held.
type recorded struct {
	name    string
	content io.ReadSeeker
	close   func() error
}

// readRecording reads the FILE of a command, "-" being standard input, and
// looks for mistakes in it. What can be lived with goes to tell; the rest is
// an error.
func readRecording(name string, in io.Reader, tell *story.Story) (*recorded, error) {
	r, err := findRecording(name, in)
	if err != nil {
		return nil, usagef("%v", err)
	}
	if err := r.check(tell); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func findRecording(name string, in io.Reader) (*recorded, error) {
	r := &recorded{name: name, close: func() error { return nil }}
	if name == "-" {
		r.name = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			r.content, r.close = file, file.Close
			return r, nil
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(in)
	r.content = bytes.NewReader(data)
	return r, err
}

// check looks for mistakes.
func (r *recorded) check(tell *story.Story) error {
	problems, err := replay.Lint(r.content)
	if err != nil {
		return r.failed(err)
	}
	var major []replay.Problem
	for _, p := range problems {
		p.Text = strings.ReplaceAll(p.Text, "replay: ", "")
		if p.Minor {
			tell.Say("%s: %s", r.name, p)
		} else {
			major = append(major, p)
		}
	}
	switch n := len(major); {
	case n == 1:
		return usagef("%s: %s", r.name, major[0])
	case n > 1:
		for _, p := range major[:min(n, maxProblems)] {
			tell.Say("%s: %s", r.name, p)
		}
		return usagef("%s cannot be played: it has %d mistakes, the first in line %d", r.name, n, major[0].Line)
	}
	return nil
}

// maxProblems is how many mistakes are told of a file that is full of them.
const maxProblems = 10

// open reads it from the beginning.
func (r *recorded) open() (*replay.Reader, error) {
	if _, err := r.content.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return replay.NewReader(r.content)
}

// failed puts the file in front of an error, so that it reads like one of a
// compiler.
func (r *recorded) failed(err error) error {
	var syntax *replay.SyntaxError
	if errors.As(err, &syntax) {
		return usagef("%s: line %d: %v", r.name, syntax.Line, syntax.Err)
	}
	return usagef("%s: %s", r.name, strings.TrimPrefix(err.Error(), "replay: "))
}

// oneFile is for commands whose argument is a recording.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usagef("%s takes one FILE, a recording; got %q", cmd.Name(), args)
	}
	return nil
}

// pace is the value of --speed: how many times as fast as it was recorded; 0
// is without any pause.
type pace float64

const (
	paceOriginal = "original"
	paceMax      = "max"
)

func (p *pace) Type() string { return paceOriginal + "|N|" + paceMax }

func (p *pace) String() string {
	switch *p {
	case 0:
		return paceMax
	case 1:
		return paceOriginal
	}
	return strconv.FormatFloat(float64(*p), 'g', -1, 64)
}

func (p *pace) Set(s string) error {
	switch s {
	case paceMax:
		*p = 0
		return nil
	case paceOriginal:
		*p = 1
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || !(n >= 0.001 && n <= 1e6) { // NaN is neither
		return fmt.Errorf("write %s, %s, or how many times as fast, as in 10", paceOriginal, paceMax)
	}
	*p = pace(n)
	return nil
}
