package stream

import (
	"sync"
	"sync/atomic"
	"time"

	"example.com/rawwatch/backoff"
)

// session is what a Watcher remembers from one range to the next.
//
// The loop alone writes to it. mu guards what State reads from other
// goroutines: the loop holds it to write these, and needs none to read.
type session struct {
	mu      sync.Mutex
	running bool
	started bool

	machine   machine
	backoff   backoff.Backoff
	bucket    backoff.Bucket
	attempted time.Time // when the last request was sent
	final     error     // the watch can never go on: the same error again
	position  position
	index     index

	// gap is a Gap decided and not yet acknowledged. It is delivered before
	// the next request.
	gap *gap
	// dirty: without index, the caller may hold objects that nothing here
	// remembers, so a full set has to begin with Reset.
	dirty bool
	// skip counts the items of the current page that were acknowledged
	// without index: a page that is read again goes on behind them.
	skip int

	moved bool    // the resume point moved on the current stream
	hand  pending // what the event in the caller's hand changes, once acknowledged

	// kind and apiVersion as last seen, for events made here.
	kind, apiVersion string

	keeper keeper // of the checkpoint

	phase    Phase
	synced   bool
	lastErr  error
	failures int
	counters Counters
	watches  int // requests sent
	silences int // streams that went silent, since one that did not
	lastByte atomic.Int64
}

// gap is a loss of history.
type gap struct {
	after string // the resume point that was lost
	cause error
}

// position is where the watch can be resumed.
type position struct {
	version string // the resume point; "" is none
	// last is the last resume point there was. It is kept through a relist,
	// to notice a server that went back in time.
	last string
	// exact: version is the caller's own, from StartExact, and has not moved.
	exact bool
	// unordered: the watch starts without a true version. The server sends
	// what exists as ADDED first, in any order, so these say nothing about
	// how far the stream has come:
	//
	//	1. ADDED new, version 900; ADDED old, version 5; the stream is cut
	//	2. a watch from 5 replays all of history, deletes of things long gone
	//	   included.
	//
	// A bookmark, MODIFIED or DELETED can only come after them.
	unordered bool
}

// pending is what becomes true when the caller acknowledges an event.
type pending struct {
	do      bool   // there is something to acknowledge
	version string // the resume point moves here; "" leaves it

	index           indexChange
	slot            int32
	id              identity
	namespace, name string

	marker EventType // Gap, Synced or Reset
	item   bool      // an item of a list page
}

// indexChange is what an event does to the index.
type indexChange int8

const (
	keep indexChange = iota
	put
	forget
)

// commit makes p true.
func (s *session) commit(p pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.version != "" {
		s.move(p.version)
	}
	switch p.index {
	case put:
		s.index.put(p.slot, p.namespace, p.name, p.id)
	case forget:
		s.index.remove(p.slot, p.namespace, p.name)
	}
	switch p.marker {
	case Gap:
		s.gap = nil
	case Reset:
		s.dirty = false
	case Synced:
		s.synced, s.index.complete = true, true
		if p.version != "" {
			s.machine.state = watching{} // here, since the caller may leave before next is asked
		}
	}
	if p.item {
		s.skip++
	}
	s.changed()
}

// move sets the resume point.
func (s *session) move(version string) {
	if version != s.position.version {
		s.moved = true
	}
	s.position = position{version: version, last: version}
	s.lastErr = nil
}

// add counts something that State shows.
func (s *session) add(counter *int64, n int64) {
	s.mu.Lock()
	*counter += n
	s.mu.Unlock()
}

// lose drops the resume point: history after it is gone. From here until
// Synced is acknowledged the next request is a LIST, also for a later range:
// going back would deliver older states after newer ones.
func (s *session) lose(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gap = &gap{after: s.position.last, cause: cause}
	s.position = position{last: s.position.last}
	s.synced = false
	s.counters.Gaps++
	s.counters.Relists++
	// Not later: a process that ends in the middle of the list and goes on
	// from the old resume point would deliver older states after newer ones.
	s.changed()
	s.save()
}

// State is a snapshot of what the Watcher is doing. It may be called from any
// goroutine.
func (w *Watcher) State() State {
	s := &w.session
	s.mu.Lock()
	defer s.mu.Unlock()
	st := State{
		Phase:           s.phase,
		ResourceVersion: s.position.version,
		Synced:          s.synced,
		Objects:         len(s.index.places),
		Failures:        s.failures,
		LastError:       s.lastErr,
		CheckpointError: s.keeper.err,
		Counters:        s.counters,
	}
	if !s.running {
		st.Phase = PhaseIdle
	}
	if at := s.lastByte.Load(); at != 0 {
		st.LastByte = time.Unix(0, at)
	}
	return st
}

// Ack acknowledges the event in hand, for a loop that is about to break on
// purpose. Call it from the body of the loop; elsewhere it does nothing.
func (w *Watcher) Ack() { w.session.acknowledge() }

func (s *session) acknowledge() {
	if s.hand.do {
		p := s.hand
		s.hand = pending{}
		s.commit(p)
	}
}
