// Package screentest is a terminal for tests: what a person would see after
// certain bytes. It knows the few codes that the command prints, and fails at
// any other, which is how a test notices that a server's bytes came through.
package screentest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Screen is a terminal of some width, and of endless height. It wraps long
// lines, unless told not to, as real ones do: when the next letter comes. The
// zero value is not ready; see New.
type Screen struct {
	mu          sync.Mutex
	columns     int
	lines       [][]rune
	row, column int
	cut         bool // no wrapping
	colours     []string
	strange     []string
	rest        []byte // of a code that is not complete
}

// New is an empty terminal. Letters of two columns are not known.
func New(columns int) *Screen { return &Screen{columns: columns, lines: make([][]rune, 1)} }

// Write prints b.
func (s *Screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := append(s.rest, b...)
	s.rest = nil
	for len(all) > 0 {
		n := s.next(all)
		if n == 0 {
			s.rest = all
			break
		}
		all = all[n:]
	}
	return len(b), nil
}

// next obeys the first code or letter of b; 0: it is not complete.
func (s *Screen) next(b []byte) int {
	switch c := b[0]; {
	case c == '\r':
		s.column = 0
	case c == '\n':
		s.row, s.column = s.row+1, 0 // a pty sends \r\n, a pipe does not
	case c == '\x1b':
		return s.code(b)
	case c < ' ' || c == 0x7f:
		s.strange = append(s.strange, strconv.Quote(string(b[:1])))
	default:
		if !utf8.FullRune(b) {
			return 0
		}
		r, n := utf8.DecodeRune(b)
		s.letter(r)
		return n
	}
	return 1
}

// code obeys a control sequence.
func (s *Screen) code(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if b[1] != '[' {
		s.strange = append(s.strange, strconv.Quote(string(b[:2])))
		return 2
	}
	end := 2
	for end < len(b) && (b[end] < '@' || b[end] > '~') {
		end++
	}
	if end == len(b) {
		return 0
	}
	switch code := string(b[2 : end+1]); {
	case code == "J":
		s.lines = s.lines[:min(s.row+1, len(s.lines))]
		fallthrough
	case code == "K":
		if s.row < len(s.lines) {
			s.lines[s.row] = s.lines[s.row][:min(s.column, len(s.lines[s.row]))]
		}
	case code == "?7l":
		s.cut = true
	case code == "?7h":
		s.cut = false
	case strings.HasSuffix(code, "m"):
		if code != "0m" {
			s.colours = append(s.colours, strings.TrimSuffix(code, "m"))
		}
	default:
		s.strange = append(s.strange, strconv.Quote(string(b[:end+1])))
	}
	return end + 1
}

func (s *Screen) letter(r rune) {
	if s.column == s.columns {
		if s.cut {
			s.column--
		} else {
			s.row, s.column = s.row+1, 0
		}
	}
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, nil)
	}
	line := s.lines[s.row]
	for len(line) <= s.column {
		line = append(line, ' ')
	}
	line[s.column] = r
	s.lines[s.row] = line
	s.column++
}

// Resize makes it wider or narrower. Lines that are there stay as they are, as
// in terminals that do not wrap them anew.
func (s *Screen) Resize(columns int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.columns = columns
}

// Text is what is on the screen, without empty lines at its end.
func (s *Screen) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(string(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Colours are the colours that were used, in their order.
func (s *Screen) Colours() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.colours...)
}

// Cursor is where the next letter goes, counted from 0.
func (s *Screen) Cursor() (row, column int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.row, s.column
}

// Problem is what no program of ours may print; "" if nothing was.
func (s *Screen) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.strange) > 0:
		return fmt.Sprint("codes that are not ours: ", s.strange)
	case s.cut:
		return "wrapping is left switched off"
	}
	return ""
}
