package status

import (
	"errors"
	"net/http"
	"time"
)

// Verdict is what to do about a failure.
type Verdict struct {
	Row    string // the row that decided
	Action Action
	Delay  Delay
	// AtLeast is the wait the server asked for, 0 if it did not. Where there
	// is one and the action waits at all, Delay is DelayBackoff.
	AtLeast time.Duration
	// Every is the least time between two probes for this row; between them a
	// Probe is a Resume. 0 leaves it to the caller.
	Every time.Duration
	// Err is the sentinel to join to the failure when this row stops the watch,
	// by its verdict or sooner by the caller's policy. nil if the failure
	// matches its own.
	Err error
	Run Run // after this failure
}

// Decide looks up what to do about a failure, run being the failures before
// it. It is a pure function: same arguments, same verdict.
func Decide(f Failure, run Run) Verdict {
	facts := gather(f)
	row := facts.row()
	if row.Action == Skip {
		// The stream goes on, and so does whatever run it is part of.
		return Verdict{Row: row.ID, Action: Skip, Run: run}
	}

	if run.Row != row.ID {
		run = Run{Row: row.ID}
	}
	run.Count++
	v := Verdict{Row: row.ID, Action: row.Action, Delay: row.Delay, Every: row.Every, Err: row.Escalation.Err, Run: run}
	if run.Count > 1 {
		v.Delay = row.Again
	}
	// The run counts on after an escalation, so each further failure escalates
	// again; a Probe is limited by whoever makes it.
	if row.Escalation.due(run) {
		v.Action = row.Escalation.Action
	}
	if v.Action == Probe && f.Verb == List {
		// A failing LIST is its own probe.
		v.Action = Resume
	}
	answer := facts.answer
	if row.ID == RowDeniedAfterWork && answer.EffectiveCode() == http.StatusNotFound {
		// One row for all denials: a restarting server may deny in several
		// ways in turn. What it said last is what it is down to.
		v.Err = ErrResourceGone
	}
	switch {
	case v.Action == Stop:
		v.Delay = DelayNone
	case answer != nil && answer.RetryAfter > 0:
		v.AtLeast, v.Delay = answer.RetryAfter, DelayBackoff
	}
	return v
}

// facts is a failure, looked at once for all rows.
type facts struct {
	Failure
	answer *Error  // if it is one
	kind   EndKind // if it is not
}

func gather(f Failure) *facts {
	facts := &facts{Failure: f}
	facts.Contact = f.Contact || f.Worked
	var isAnswer bool
	if facts.answer, isAnswer = errors.AsType[*Error](f.Err); !isAnswer {
		facts.kind = KindOf(f.Err, f.Stream)
	}
	return facts
}

func (f *facts) row() *Row {
	for i := range table {
		if table[i].match(f) {
			return &table[i]
		}
	}
	return &table[len(table)-1]
}

// isAnswer reports whether the failure is an answer of which is holds.
func (f *facts) isAnswer(is func(*Error) bool) bool { return f.answer != nil && is(f.answer) }

// denied: 401, 403, 404 and 405 count as the API server's own word unless
// they come as HTML. Such a page is a proxy's; once the server has been
// reached it says no more than that the proxy is in the way. Before that the
// address may as well be wrong, and then it is the only hint there is.
func (f *facts) denied() bool {
	return f.answer != nil &&
		f.answer.clientCode(http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed) &&
		(f.answer.Body != BodyHTML || !f.Contact)
}

// unavailable: the server says that it is at fault, or somebody else speaks in
// its place. An API server answers 4xx with a Status, apart from the codes that
// denied and tooMany have taken before; any other body of one comes from a
// proxy. As with denials, a server that was never reached is taken at its word:
// what refuses every request may not be an API server at all.
func (f *facts) unavailable() bool {
	if f.answer == nil {
		return f.kind == EndHTML
	}
	switch {
	case f.answer.serverFault():
		return true
	case !f.answer.clientFault():
		return f.answer.Body == BodyHTML
	default:
		return f.Contact && f.answer.Body != BodyStatus
	}
}

// never reports whether is holds of a transport error, with no request having
// succeeded so far.
func (f *facts) never(is func(error) bool) bool {
	return !f.Contact && f.answer == nil && f.kind == "" && f.Err != nil && is(f.Err)
}

func (f *facts) fullLength() bool { return f.Stream != nil && f.Stream.fullLength() }

// afterHeaders: the end of an open stream, or of a list's body.
func (f *facts) afterHeaders() bool {
	return f.answer == nil && (f.Stream != nil || f.kind == EndTorn || f.kind == EndClean)
}

func (f *facts) transport() bool {
	return f.answer == nil && f.Err != nil && (f.kind == "" || f.kind == EndNoHeaders || f.kind == EndCredentials)
}
