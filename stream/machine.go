package stream

import (
	"errors"
	"io"
	"net/http"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// state is the request the watch makes next, with what it needs for it.
//
//	             ┌─ page after page ─┐
//	             ▼                   │
//	Start ──► listing ───────────────┴── whole ──► watching ◄──┐
//	   │        ▲ ▲ ▲                               │ │ │ ▲    │
//	   │        │ │ └───────── history lost: Gap ───┘ │ │ └─ resume
//	   ├──► streaming ── end of what exists ──────────┼─┘
//	   │                                              ▼
//	   │                     lost ◄────────────── probing ──► not lost: watching
//	   └──► locating (StartNow) ──► watching
//
// A failed request leaves the state as it is, or moves along an arrow.
//
// The arrow out of a list, to watching, is drawn where Synced is acknowledged
// (session.apply) and not in next: the caller may leave in between.
type state interface {
	phase() Phase
	verb() Verb // of the request
}

// listing reads one page of a LIST.
type listing struct {
	token   string // of the page; "" is the first
	page    int    // counted from 0
	version string // of the list, as its first page said it
	short   int    // pages before it that had fewer items than asked for
	lost    int    // runs given up since their token expired
	// full delivers every object again, unchanged ones included: the server
	// went back in time, so a resourceVersion may have been used twice.
	full bool
	// consistent asks for the server's latest even with Watcher.CachedList:
	// its cache does not reach the version we have seen.
	consistent bool
}

// streaming reads a WATCH that begins with what exists, and marks its end.
type streaming struct{}

// locating asks for nothing but the collection's resourceVersion.
type locating struct{}

// watching reads a WATCH from the resume point.
type watching struct{}

// probing asks one cheap LIST whether the server still knows the resume point,
// since watches from it have failed in a way that a lost version causes too.
type probing struct {
	// row of the verdict table whose failures gave the suspicion: once more,
	// after a probe that finds nothing, and it counts as proved. "" if the
	// probe settles the matter.
	row string
}

func (listing) verb() Verb   { return List }
func (streaming) verb() Verb { return Watch }
func (locating) verb() Verb  { return List }
func (probing) verb() Verb   { return List }
func (watching) verb() Verb  { return Watch }

func (listing) phase() Phase   { return PhaseListing }
func (streaming) phase() Phase { return PhaseListing }
func (locating) phase() Phase  { return PhaseListing }
func (probing) phase() Phase   { return PhaseWatching }
func (watching) phase() Phase  { return PhaseWatching }

// maxLost: so many runs of a paged list may lose their token; then the list
// is asked for in one piece. Objects already delivered cost nothing in the
// next run, so the runs converge.
const maxLost = 3

// machine is all that next looks at besides the outcome.
type machine struct {
	policy Policy
	atCap  time.Duration // the cap of the backoff
	stream bool          // lists are asked for as streams, if the server can
	state  state

	contact bool // the server has answered a request with success
	listed  bool // a LIST has worked
	watched bool // a WATCH has worked

	run      status.Run // failures in a row that matched one row
	since    time.Time  // when that run began
	failures int        // in a row, that had to back off
	empty    int        // streams in a row that ended clean with nothing in them
	failed   Verb       // what the last request was for, if it did not do it
	spread   bool       // the next request comes after a random wait

	suspicion
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
	short    bool   // fewer items than asked for
	wentBack bool   // the list is older than the last resume point, which was known too late
	had      string // of a probe: the resume point

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
	var st step
	switch m.learn(&o); {
	case o.err == nil:
		m.advance(&o, &st)
	case o.fatal:
		st.stop = o.err
	default:
		m.decide(&o, &st)
	}
	if st.gap != nil && m.policy.OnExpired == StopExpired {
		st.stop = expired(st.gap)
	}
	return m, st
}

// decide follows a request that failed.
func (m *machine) decide(o *outcome, st *step) {
	failure := m.failure(o)
	verdict := m.policy.apply(status.Decide(failure, m.run), failure, m.atCap)
	if verdict.Run.Count == 1 {
		m.since = o.now
	}
	m.run = verdict.Run
	if verdict.Row == status.RowQuietEnd {
		m.empty = 0 // it lived as long as it was asked to
	}
	// Progress forgives, and so does a life of a second, unless it ended in
	// the same row again: a server that sends 410 after each second of life
	// would be listed every second.
	if o.moved || o.lived() >= time.Second && verdict.Run.Count == 1 {
		m.failures = 0
	}
	if verdict.Delay == status.DelayBackoff {
		m.failures++
	}

	if verdict.Action == status.Relist && verdict.Delay == status.DelaySpread && m.spread && o.lived() < time.Second {
		// Those who lost their streams together were sent apart before they
		// asked to resume. To do it again would make all of them late.
		verdict.Delay = status.DelayNone
	}

	st.verdict = verdict
	m.noticeRestart(verdict.Row)
	switch _, isProbe := m.state.(probing); {
	case isProbe:
		// Whatever keeps a probe from being answered says nothing about the
		// version. An outage must not turn resumes into full lists, and a
		// server that allows no LIST is still one to watch.
		st.verdict = retry(verdict)
		m.state = watching{}
	case verdict.Action == status.Stop && !m.refusedToStream(o):
		st.stop = stopCause(verdict, o.err)
	case m.policy.MaxReconnects > 0 && m.failures > m.policy.MaxReconnects:
		st.stop = &stopError{sentinel: ErrMaxReconnects, cause: o.err}
	case m.state == streaming{}:
		m.unstream(o, st)
	case verdict.Action == status.Relist || errors.Is(o.err, errSamePage):
		m.relist(o, st)
	case o.unordered && o.events > 0:
		// The stream sent objects and no version to resume from. Asking in
		// the same way again would send them all again.
		st.gap, m.state = o.err, m.list()
	case verdict.Action == status.Probe:
		m.suspect(o, st)
	}
	m.spread = st.verdict.Delay == status.DelaySpread || st.verdict.Delay == status.DelayBackoff
}

// fresh forgets the failures of a range that is over: a new one is not judged
// by them.
func (m *machine) fresh() {
	m.run, m.failures, m.empty, m.failed, m.spread = status.Run{}, 0, 0, "", false
}

// list is how this watch lists.
func (m *machine) list() state {
	if m.stream {
		return streaming{}
	}
	return listing{}
}

// refusedToStream: the server does not know, or not allow, a WATCH that begins
// with what exists. (403 from gates, 422 from servers without the feature.)
// What a refusal really means, the LIST in its place will show.
func (m *machine) refusedToStream(o *outcome) bool {
	answer, ok := errors.AsType[*status.Error](o.err)
	if !ok || o.answered || (m.state != streaming{}) {
		return false
	}
	switch answer.HTTPStatus {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// unstream follows a streaming list that did not come to its end.
func (m *machine) unstream(o *outcome, st *step) {
	switch {
	case m.refusedToStream(o):
		m.stream = false
		m.fresh()
		m.state, st.verdict = listing{}, status.Verdict{}
	case o.answered || st.verdict.Action == status.Relist:
		// Cut, silent, or a server that sends objects and no end of them. It
		// may do so each time, so this time the objects come by pages.
		m.state = listing{}
	}
}

// learn takes note of what worked, and forgets the failures before it.
func (m *machine) learn(o *outcome) {
	if at, ok := m.state.(listing); ok && at.token != "" && o.err == nil && m.failed == List {
		// For the pages of a list a page is progress, but for the first: it
		// would forgive a second one that fails each time.
		m.run, m.failures = status.Run{}, 0
	}
	m.failed = ""
	if o.err != nil {
		m.failed = o.verb
	} else {
		m.spread = false
	}
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
	// What forgives a failed WATCH is a WATCH. If a list counted, a server
	// that answers every watch with 410 would be listed without a pause.
	m.run = m.run.Progress(o.moved, o.lived())
	if o.moved {
		m.suspected = ""
	}
}

// lived is how long a stream lived, from its headers.
func (o *outcome) lived() time.Duration {
	if o.verb != Watch || !o.answered {
		return 0
	}
	return o.age - o.waited
}

// advance follows a request that did what it was for.
func (m *machine) advance(o *outcome, st *step) {
	switch s := m.state.(type) {
	case probing:
		m.probed(s, o, st)
	case locating:
		if !isVersion(o.header.ResourceVersion) {
			st.stop = ErrNoResourceVersion
			return
		}
		m.state = watching{}
	case streaming:
		// A stream has no end that is not a failure, but for this one.
		m.state = listing{full: true}
	case listing:
		m.advanceList(s, o, st)
	}
}

func (m *machine) advanceList(s listing, o *outcome, st *step) {
	switch {
	case o.wentBack && !s.full:
		// The list's version came after its items (custom resources sort
		// their keys), so items were left out as known before it showed that
		// the server went back. Once more, leaving nothing out.
		m.state = listing{lost: s.lost, full: true, consistent: s.consistent}
	case o.header.Continue != "":
		s.token, s.page, s.version = o.header.Continue, s.page+1, o.header.ResourceVersion
		if o.short {
			s.short++
		}
		m.state = s
	default:
		// It was read whole and its Synced acknowledged, and still no watch
		// can follow.
		m.state, st.stop = listing{}, ErrNoResourceVersion
	}
}

// relist follows a verdict that what was asked for is lost.
func (m *machine) relist(o *outcome, st *step) {
	switch s := m.state.(type) {
	case listing:
		// A continue token has expired, or the first page failed: nothing
		// that was promised to the caller is lost. The run starts over. The
		// replacement token a 410 may carry is not used: the list it leads to
		// mixes two snapshots, and its version is a lie about the first pages.
		if s.token != "" {
			s.lost++
		}
		consistent := s.consistent || st.verdict.Row == status.RowTooLarge
		m.state = listing{lost: s.lost, full: s.full, consistent: consistent}
	case watching:
		st.gap, m.state = o.err, m.list()
	}
}

// failure gathers what the verdict table looks at.
func (m *machine) failure(o *outcome) status.Failure {
	f := status.Failure{Verb: o.verb, Err: o.err, Contact: m.contact, Worked: m.listed, UserVersion: o.exact}
	if o.verb == Watch {
		f.Worked = m.watched
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

// expired is the error of a loss of history that the caller wants to end it.
func expired(cause error) error {
	return stopCause(status.Verdict{Err: status.ErrExpired}, cause)
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
