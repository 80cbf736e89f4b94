package stream

import (
	"errors"
	"io"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// state is the request the watch makes next, with what it needs for it.
//
//	            ┌────────── page after page ─────────┐
//	            ▼                                    │
//	Start ──► listing ──── whole list delivered ─────┴──► watching ◄─┐
//	   │        ▲ ▲                                        │  │      │
//	   │        │ └── history lost: Gap ───────────────────┘  └──────┘
//	   └────► locating (StartNow) ─────────────────────────►    any other end
//
// A failed request leaves the state as it is, or moves along an arrow. Further
// ways to ask (a streaming list, a probe of a suspicious server) are states
// beside these.
type state interface{ phase() Phase }

// listing reads one page of a LIST.
type listing struct {
	token   string // of the page; "" is the first
	page    int    // counted from 0
	version string // of the list, as its first page said it
	lost    int    // runs given up since their token expired
	// full delivers every object again, unchanged ones included: the server
	// went back in time, so a resourceVersion may have been used twice.
	full bool
}

// locating asks for nothing but the collection's resourceVersion.
type locating struct{}

// watching reads a WATCH from the resume point.
type watching struct{}

func (listing) phase() Phase  { return PhaseListing }
func (locating) phase() Phase { return PhaseListing }
func (watching) phase() Phase { return PhaseWatching }

// maxLost: so many runs of a paged list may lose their token; then the list
// is asked for in one piece. Objects already delivered cost nothing in the
// next run, so the runs converge.
const maxLost = 3

// machine is all that next looks at besides the outcome.
type machine struct {
	policy Policy
	atCap  time.Duration // the cap of the backoff
	state  state

	contact bool // the server has answered a request with success
	listed  bool // a LIST has worked
	watched bool // a WATCH has worked

	run      status.Run // failures in a row that matched one row
	since    time.Time  // when that run began
	failures int        // in a row, that had to back off
	empty    int        // streams in a row that ended clean with nothing in them
	failed   bool       // the last request did not do what it was for
}

// outcome is how a request went. Times and counts come from the loop: next
// reads no clock.
type outcome struct {
	verb Verb
	now  time.Time
	err  error // nil: the page was read whole, or the collection located

	answered bool // success headers came
	fatal    bool // err is something the policy stops at
	bytes    int64

	// Of a list page.
	header   decode.ListHeader
	wentBack bool // the list is older than the last resume point, and that was known too late

	// Of a watch.
	age       time.Duration // from the request to its end
	waited    time.Duration // from the request to its headers
	timeout   time.Duration // the timeoutSeconds it asked for
	events    int           // without bookmarks
	bookmarks int
	moved     bool // the resume point moved
	exact     bool // the resume point is the caller's own, and has never worked
	unordered bool // the stream began without a version, and no resume point came
}

// step is what to do before the next request.
type step struct {
	verdict status.Verdict // zero if nothing failed
	gap     error          // deliver a Gap with this cause, drop the resume point
	stop    error          // the watch is over
}

// next is the whole logic of the loop: a pure function of what is known and
// what just happened.
func next(m machine, o outcome) (machine, step) {
	m.learn(o)
	switch {
	case o.err == nil:
		return m.advance(o)
	case o.fatal:
		return m, step{stop: o.err}
	}

	failure := m.failure(o)
	verdict := m.policy.apply(status.Decide(failure, m.run), failure, m.atCap)
	if verdict.Run.Count == 1 {
		m.since = o.now
	}
	m.run = verdict.Run

	// A resume point that is known dead, or that a server answers by losing
	// again what was just listed, must not turn into a storm of lists.
	if verdict.Action == status.Relist && verdict.Run.Count > 1 {
		verdict.Delay = status.DelayBackoff
	}
	if verdict.Delay == status.DelayBackoff {
		m.failures++
	}

	st := step{verdict: verdict}
	switch {
	case verdict.Action == status.Stop:
		st.stop = stopCause(verdict, o.err)
	case m.policy.MaxReconnects > 0 && m.failures > m.policy.MaxReconnects:
		st.stop = &stopError{sentinel: ErrMaxReconnects, cause: o.err}
	case verdict.Action == status.Relist:
		m, st = m.relist(o, st)
	case o.unordered && o.events > 0:
		// The stream sent objects and no version to resume from. Asking in
		// the same way again would send them all again.
		st.gap, m.state = o.err, listing{}
	}
	return m, st
}

// learn takes note of what worked, and forgets the failures before it.
func (m *machine) learn(o outcome) {
	m.failed = o.err != nil
	if o.answered {
		m.contact = true
		switch o.verb {
		case List:
			m.listed = m.listed || o.err == nil
		case Watch:
			m.watched = true
		}
	}
	if o.verb != Watch {
		return
	}
	switch {
	case o.events+o.bookmarks > 0:
		m.empty = 0
	case errors.Is(o.err, io.EOF):
		m.empty++
	}
	// Progress is made by the stream alone. If a list counted, a server that
	// answers every watch with 410 would be listed without a pause.
	lived := time.Duration(0)
	if o.answered {
		lived = o.age - o.waited
	}
	m.run = m.run.Progress(o.moved, lived)
	if o.moved || lived >= time.Second {
		m.failures = 0
	}
}

// advance follows a LIST that worked.
func (m machine) advance(o outcome) (machine, step) {
	s, isList := m.state.(listing)
	switch {
	case !isList && isVersion(o.header.ResourceVersion): // located
		m.state = watching{}
	case !isList:
		return m, step{stop: ErrNoResourceVersion}
	case o.wentBack && !s.full:
		// The list's version came after its items (custom resources sort
		// their keys), so items were left out as known before it showed that
		// the server went back. Once more, leaving nothing out.
		m.state = listing{lost: s.lost, full: true}
	case o.header.Continue != "":
		s.token, s.page, s.version = o.header.Continue, s.page+1, o.header.ResourceVersion
		m.state = s
	case !isVersion(o.header.ResourceVersion):
		m.state = listing{}
		return m, step{stop: ErrNoResourceVersion}
	default:
		m.state = watching{}
	}
	return m, step{}
}

// relist follows a verdict that what was asked for is lost.
func (m machine) relist(o outcome, st step) (machine, step) {
	switch s := m.state.(type) {
	case listing:
		// A continue token has expired, or the first page failed: nothing
		// that was promised to the caller is lost. The run starts over. The
		// replacement token a 410 may carry is not used: the list it leads to
		// mixes two snapshots, and its version is a lie about the first pages.
		if s.token != "" {
			s.lost++
		}
		m.state = listing{lost: s.lost, full: s.full}
	case watching:
		st.gap, m.state = o.err, listing{}
	}
	return m, st
}

// failure gathers what the verdict table looks at.
func (m *machine) failure(o outcome) status.Failure {
	f := status.Failure{Verb: status.List, Err: o.err, Contact: m.contact, Worked: m.listed, UserVersion: o.exact}
	if o.verb == Watch {
		f.Verb, f.Worked = status.Watch, m.watched
		if o.answered {
			f.Stream = &status.Stream{
				Age: o.age, Headers: o.waited, Timeout: o.timeout,
				Events: o.events, Bookmarks: o.bookmarks, EmptyInARow: m.empty,
			}
		}
	}
	if m.run.Count > 0 {
		m.run.Age = o.now.Sub(m.since)
	}
	return f
}

// stopCause joins the verdict's sentinel to the failure itself.
func stopCause(v status.Verdict, err error) error {
	if v.Err == nil || errors.Is(err, v.Err) {
		return err
	}
	return &stopError{sentinel: v.Err, cause: err}
}

// stopError reads "sentinel: cause" on one line and matches both.
type stopError struct{ sentinel, cause error }

func (e *stopError) Error() string   { return e.sentinel.Error() + ": " + e.cause.Error() }
func (e *stopError) Unwrap() []error { return []error{e.sentinel, e.cause} }
