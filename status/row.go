package status

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Action is what a verdict tells the watch to do.
type Action int

const (
	Resume Action = iota // ask again from the same resourceVersion; of a LIST: the same page
	Relist               // the version is of no use any more: tell the consumer, then LIST
	Probe                // resume, unless a probe shows that the server lost the version
	Skip                 // the stream is still good: pass over the event and read on
	Stop                 // the watch is over
)

// String returns the action in one word.
func (a Action) String() string {
	return word(int(a), "resume", "relist", "probe", "skip", "stop")
}

// Delay is how to wait before the next request.
type Delay int

const (
	DelayNone    Delay = iota
	DelaySoon          // a random 0 to 100 ms: not all in the same instant
	DelaySpread        // a random 0 to 1.55 s: a whole fleet may be doing the same
	DelayBackoff       // what backoff says, and no less than the server asked for
)

// String returns the delay in words.
func (d Delay) String() string {
	return word(int(d), "none", "0-100 ms", "0-1.55 s", "backoff")
}

func word(i int, words ...string) string {
	if i < 0 || i >= len(words) {
		return strconv.Itoa(i)
	}
	return words[i]
}

// Escalation is what becomes of a row that keeps matching without progress.
// The zero value is none.
type Escalation struct {
	After  int           // so many failures in a row, this one included; 0: any number
	For    time.Duration // so long since the first of them; 0: any time
	Action Action
	Err    error // the sentinel for a Stop, if the failure does not match one itself
}

// due reports whether a run has come to that point.
func (e Escalation) due(run Run) bool {
	return e != (Escalation{}) && run.Count >= e.After && run.Age >= e.For
}

// String returns the escalation in words, "" for none.
func (e Escalation) String() string {
	if e == (Escalation{}) {
		return ""
	}
	var when []string
	if e.After > 0 {
		when = append(when, fmt.Sprintf("%d in a row", e.After))
	}
	if e.For > 0 {
		when = append(when, "for "+minutes(e.For))
	}
	return strings.Join(when, ", ") + ": " + e.Action.String()
}

// minutes writes 2m for 2m0s.
func minutes(d time.Duration) string {
	if d >= time.Minute {
		return strings.TrimSuffix(d.String(), "0s")
	}
	return d.String()
}

// Row is one row of the verdict table.
type Row struct {
	ID        string // one of the Row constants
	Condition string // when it matches, in words

	Action     Action
	Delay      Delay // after the first failure of a run
	Again      Delay // after the later ones
	Escalation Escalation
	Every      time.Duration // for Probe: no more often than this, Resume in between; 0 leaves it to the caller

	Why    string // the reason, in one line
	Source string // where the behaviour it answers to is written or was seen; "" if it is our own choice
	Hint   string // what a person can do; "" if nothing

	match func(*facts) bool
}

// Verdict returns what the row decides, in words.
func (r Row) Verdict() string {
	var out strings.Builder
	out.WriteString(r.Action.String())
	if r.Every > 0 {
		out.WriteString(" (once in " + minutes(r.Every) + ", else resume)")
	}
	if r.Delay != DelayNone {
		out.WriteString(" after " + r.Delay.String())
	}
	if r.Again != r.Delay {
		out.WriteString(", then " + r.Again.String())
	}
	if r.Escalation != (Escalation{}) {
		out.WriteString("; " + r.Escalation.String())
	}
	return out.String()
}

// Run is how often in a row failures have matched the same row without
// progress, and for how long. A caller keeps the one that [Decide] returns,
// sets Age (the time since the verdict whose Run.Count was 1) before the next
// call, and passes it through [Run.Progress] when a stream has ended.
type Run struct {
	Row   string
	Count int
	Age   time.Duration
}

// Progress returns the run as it stands after a stream that moved the resume
// point or not and that lived so long from its headers. A moved resume point
// ends every run. A stream that merely lived a second ends the runs of rows
// that neither escalate nor relist: an event over the size limit, to take one,
// may need longer than that to arrive, and is still the same event each time;
// and a server that says 410 after a second of life would be listed every
// second.
//
// A list that worked is no progress for a watch. If it were, a server that
// lists, and then answers every watch with 410, would be listed without a
// pause.
func (r Run) Progress(moved bool, lived time.Duration) Run {
	if moved {
		return Run{}
	}
	if row := rowByID(r.Row); lived >= time.Second && (row == nil || row.Escalation == (Escalation{}) && row.Action != Relist) {
		return Run{}
	}
	return r
}
