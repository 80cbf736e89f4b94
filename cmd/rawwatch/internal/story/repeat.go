package story

import (
	"fmt"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/status"
)

// line is something that may happen again; key is what it is known by.
type line struct {
	key, text string
	counted   bool          // the text says how often
	ordinary  bool          // part of a watch that is well: not counted aloud
	wait      time.Duration // until it can happen again
	row       string        // of the verdict table
}

// repeat counts how often a line was due.
type repeat struct {
	times      int
	last, told time.Time
}

const (
	// forget: after so long without it, a line is news again. It is longer
	// than the time between two normal ends of a watch (5 to 10 min).
	forget = 15 * time.Minute
	// quiet is how long a trouble that goes on may go untold.
	quiet = 5 * time.Minute
)

// trouble is the time without a connection.
type trouble struct {
	since time.Time // zero: there is none
	times int       // attempts that failed, in a row
	told  bool
}

// Repeat tells something that may happen again; key is what it is known by.
// It reports whether the line was told or only counted.
func (s *Story) Repeat(key, format string, args ...any) bool {
	return s.tell(line{key: key, text: fmt.Sprintf(format, args...)})
}

// ordinary is a Repeat of what belongs to a watch that is well.
func (s *Story) ordinary(key, text string) {
	s.tell(line{key: key, text: text, ordinary: true})
}

// tell tells a line the 1st, 2nd, 4th, 8th … time, and what is not ordinary
// also when it would go untold for too long until the next time.
func (s *Story) tell(l line) bool {
	r, now := s.repeats[l.key], time.Now()
	if now.Sub(r.last) > forget {
		r = repeat{}
	}
	r.times, r.last = r.times+1, now
	due := r.times&(r.times-1) == 0 || // a power of two
		!l.ordinary && now.Add(l.wait).Sub(r.told) > quiet
	due = due || s.verbosity > 0
	if due {
		r.told = now
	}
	s.repeats[l.key] = r
	if !due {
		return false
	}
	if l.wait > 0 {
		l.text += "; waiting " + human.Short(l.wait)
	}
	if d := givesUp(l.row); d > 0 && !s.traits.Persistent {
		l.text += ", giving up after " + human.Exact(d)
	}
	if r.times > 1 && !l.ordinary && !l.counted {
		l.text += fmt.Sprintf(" (%d so far)", r.times)
	}
	if l.row != "" {
		l.text += " [" + l.row + "]" // for rawwatch explain
	}
	s.say(l.text)
	return true
}

// Failing tells that something could not be done, why, and how long it is
// until the next attempt; row is that of the verdict table. It is for
// attempts that follow each other, until Over.
func (s *Story) Failing(what, reason, row string, wait time.Duration) {
	now := time.Now()
	if s.trouble.since.IsZero() {
		s.trouble.since = now
	}
	s.trouble.times++
	lasts, times := now.Sub(s.trouble.since), s.trouble.times
	// How often goes in front of why, which may be long.
	l := line{key: what + " " + row, text: what + ": " + reason, counted: times > 1, wait: wait, row: row}
	switch {
	case lasts >= quiet:
		l.text = fmt.Sprintf("still %s since %s (%s, %d in a row): %s", what, clock(s.trouble.since), human.Short(lasts), times, reason)
	case times > 1:
		l.text = fmt.Sprintf("%s (%d in a row): %s", what, times, reason)
	}
	if s.tell(l) {
		s.trouble.told = true
	}
}

// Over ends a trouble; that it is over is for the caller to tell.
func (s *Story) Over() { s.trouble = trouble{} }

// works ends a trouble of the watch. That the connection is back is worth a
// line only if its loss was.
func (s *Story) works() {
	was := s.trouble
	s.Over()
	if !was.told {
		return
	}
	lasted := time.Since(was.since)
	s.Say("connected again after %s", human.Short(lasted))
	if lasted >= quiet {
		clear(s.repeats) // the next outage is news from its first moment
	}
}

// givesUp is how long the verdict table lets a row go on; 0 is for ever.
func givesUp(row string) time.Duration {
	for _, r := range status.Table() {
		if r.ID == row && r.Escalation.Action == status.Stop {
			return r.Escalation.For
		}
	}
	return 0
}

// isNormal: watches end like this every few minutes, and nothing is missed.
func isNormal(row string) bool { return row == status.RowTimeoutEnd || row == status.RowQuietEnd }
