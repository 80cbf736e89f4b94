package story

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// Story writes what happens to one watch. It is for the goroutine of the loop;
// of several that are told together, each is for its own (see Of).
type Story struct {
	w         *writer
	verbosity int

	name         string // "" if it is the only one
	what, server string

	request   stream.Request // under way
	open      bool           // its 200 came
	connected bool           // ever
	downSince time.Time      // zero: nothing was told that a reconnection would answer

	ended   *line     // told with the wait that follows it
	endedAt time.Time // zero for an end that is normal
	repeats map[string]repeat
}

// line is something that may happen again; key is what it is known by.
type line struct{ key, text string }

// repeat counts how often a line was due.
type repeat struct {
	times int
	last  time.Time
}

// forget: after so long without it, a line is news again. It is longer than
// the time between two normal ends of a watch (5 to 10 min).
const forget = 15 * time.Minute

// writer is what stories that are told together share.
type writer struct {
	mu sync.Mutex
	io.Writer
}

// New makes a Story that writes to w.
func New(w io.Writer, verbosity int) *Story {
	return &Story{w: &writer{Writer: w}, verbosity: verbosity, repeats: map[string]repeat{}}
}

// Of makes the story of one watch among several: it goes to the same place,
// with the name in front of each line, and counts its own repeats.
func (s *Story) Of(name string) *Story {
	return &Story{w: s.w, verbosity: s.verbosity, name: name, repeats: map[string]repeat{}}
}

// Watching says what is going to be watched, and where.
func (s *Story) Watching(what, server string) { s.what, s.server = what, server }

// Say tells something that happens once.
func (s *Story) Say(format string, args ...any) {
	s.say(fmt.Sprintf(format, args...))
}

// Detail tells something from the given verbosity on.
func (s *Story) Detail(verbosity int, format string, args ...any) {
	if s.verbosity >= verbosity {
		s.Say(format, args...)
	}
}

// Repeat tells something that may happen again; key is what it is known by.
// It reports whether the line was told or only counted.
func (s *Story) Repeat(key, format string, args ...any) bool {
	return s.tell(line{key, fmt.Sprintf(format, args...)})
}

func (s *Story) tell(l line) bool {
	r, now := s.repeats[l.key], time.Now()
	if now.Sub(r.last) > forget {
		r = repeat{}
	}
	r.times, r.last = r.times+1, now
	s.repeats[l.key] = r
	if r.times&(r.times-1) != 0 && s.verbosity < 1 {
		return false // no power of two
	}
	if r.times > 1 {
		l.text += fmt.Sprintf(" (%d times)", r.times)
	}
	s.say(l.text)
	return true
}

func (s *Story) say(text string) {
	if s.name != "" {
		text = s.name + ": " + text
	}
	s.write(text)
}

// write is the only place that writes: one line, one write.
func (s *Story) write(text string) {
	prefix := "rawwatch: "
	if s.verbosity > 0 {
		prefix = time.Now().Format("15:04:05.000 ") + prefix
	}
	s.w.mu.Lock()
	defer s.w.mu.Unlock()
	io.WriteString(s.w, prefix+escape.Text(text)+"\n")
}

// Short is d for people: rounded to about three digits.
func Short(d time.Duration) string {
	switch {
	case d < time.Second:
		d = d.Round(time.Millisecond)
	case d < 10*time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Second)
	}
	return Exact(d)
}

// Exact is d without the parts that are zero: "5m", where time.Duration says
// "5m0s".
func Exact(d time.Duration) string {
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return text
}
