package story

import (
	"fmt"
	"io"
	"sync"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/stream"
)

// Story writes what happens to one watch. It is for the goroutine of the loop;
// of several that are told together, each is for its own (see Of).
type Story struct {
	w         *writer
	verbosity int

	name         string // "" if it is the only one
	what, server string
	traits       Traits

	request   stream.Request // under way
	open      bool           // its 200 came
	connected bool           // ever
	trouble   trouble        // while there is no connection

	ended   *ended // told with the wait that follows it
	repeats map[string]repeat
}

// writer is what stories that are told together share.
type writer struct {
	mu sync.Mutex
	io.Writer
	stamp string // layout of the time in front of each line; "" is none
	json  bool
}

// Options are how a story is told. The zero value is lines for people.
type Options struct {
	Verbosity int
	JSON      bool // a JSON object a line
}

// The time is UTC: a story is laid beside the log of a server. A terminal
// needs none, unless requests are timed.
const (
	seconds      = "15:04:05Z"
	milliseconds = "15:04:05.000Z"
)

func clock(t time.Time) string { return t.UTC().Format(seconds) }

// New makes a Story that writes to w.
func New(w io.Writer, o Options) *Story {
	shared := &writer{Writer: w, json: o.JSON}
	switch {
	case o.Verbosity > 0:
		shared.stamp = milliseconds
	case !terminal.Is(w):
		shared.stamp = seconds
	}
	return &Story{w: shared, verbosity: o.Verbosity, repeats: map[string]repeat{}}
}

// Of makes the story of one watch among several: it goes to the same place,
// with the name in front of each line, and counts its own repeats.
func (s *Story) Of(name string) *Story {
	return &Story{w: s.w, verbosity: s.verbosity, name: name, repeats: map[string]repeat{}}
}

// Watching says what is going to be watched, and where.
func (s *Story) Watching(what, server string) { s.what, s.server = what, server }

// Traits are what a story has to know of its watch.
type Traits struct {
	ListsHidden bool // what a list holds is not shown, so Synced must not sound as if
	Named       bool // one object is watched, by its name
	Persistent  bool // it does not give up where the verdict table would
}

// Has says what kind of watch it is.
func (s *Story) Has(t Traits) { s.traits = t }

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

func (s *Story) say(text string) { s.write(s.name, text) }

// Error tells what ends the watch, in the words of text. It is a line of the
// same log, so it has its time as all others have.
func (s *Story) Error(text string) {
	if s.w.json {
		s.w.put(ErrorJSON(time.Now(), Bounded(text)))
		return
	}
	s.w.put(s.w.line("", "error: "+text))
}

func (s *Story) write(name, text string) {
	if s.w.json {
		s.w.put(logLine(time.Now(), name, Bounded(text)))
		return
	}
	s.w.put(s.w.line(name, text))
}

// put is the only place that writes: one line, one write.
func (w *writer) put(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Write(line)
}

func (w *writer) line(name, text string) []byte {
	prefix := "rawwatch: "
	if w.stamp != "" {
		prefix = time.Now().UTC().Format(w.stamp) + " " + prefix
	}
	if name != "" {
		prefix += escape.Text(name) + ": "
	}
	return []byte(prefix + escape.Text(Bounded(text)) + "\n")
}
