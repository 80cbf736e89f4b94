package stream

import (
	"cmp"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"example.com/rawwatch/backoff"
)

// session is what a Watcher remembers from one range to the next.
//
// The loop alone writes to it, and reads its own writes without a lock. mu is
// for State, which reads from other goroutines. keeper.disk is for the timer
// that writes the checkpoint: it is taken before mu, and never held by State,
// so that a slow disk does not block it.
type session struct {
	mu      sync.Mutex
	running bool

	machine   machine // state nil: no range has begun
	backoff   backoff.Backoff
	bucket    backoff.Bucket
	attempted time.Time // when the last request was sent
	final     error     // the watch can never go on: the same error again
	position  position
	index     index

	// gap is a Gap decided and not yet acknowledged. It is delivered before
	// the next request.
	gap *gap
	// lossRun is the run of the first list after the last loss: what a list
	// has delivered since then it need not deliver again.
	lossRun uint32
	// dirty: without index, the caller may hold objects that nothing here
	// remembers, so a full set has to begin with Reset. resetDue: that Reset
	// has not been acknowledged.
	dirty, resetDue bool
	// skip counts the items of the current page that were acknowledged
	// without index: a page that is read again goes on behind them.
	skip int
	// burst: an object of an unordered start was acknowledged.
	burst bool

	moved bool // the resume point moved on the current stream
	hand  hand

	// kind and apiVersion as last seen, for events made here.
	kind, apiVersion string

	keeper *keeper // of the checkpoint; nil: no range has begun

	phase    Phase
	synced   bool
	lastErr  error
	failures int
	counters Counters
	endings  map[Ending]int64
	next     time.Time // request, while waiting
	watches  int       // requests sent
	silences int       // streams that went silent, since one that did not
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

// hand is the event in the caller's hand.
type hand struct {
	full bool
	// offered: a merged watch holds it, and the caller has not seen it yet.
	offered bool
	change  pending
}

// pending is what becomes true when the caller acknowledges an event.
type pending struct {
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

// enter begins a range, the first or a later one.
func (s *session) enter(cfg *settings) error {
	k := s.keptBy(cfg)
	k.disk.Lock()
	defer k.disk.Unlock()
	if err := s.idle(); err != nil {
		return err
	}
	for i := range k.members {
		if k.members[i].session == s {
			k.members[i].settings = cfg
		}
	}
	if err := k.open(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.machine.fresh()
	s.running = true
	return nil
}

// idle is the reason why no range can begin, or nil.
func (s *session) idle() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return ErrInUse
	}
	return s.final
}

// begin sets up the first range.
func (s *session) begin(cfg *settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.machine.state != nil {
		return
	}
	s.machine.policy = cfg.policy
	s.machine.atCap = cmp.Or(max(cfg.backoff.Max, 0), backoff.DefaultMax)
	s.backoff = backoff.Backoff{Policy: cfg.backoff, Rand: cfg.rand}
	s.machine.state = watching{}
	switch cfg.start {
	case StartList:
		s.machine.state = listing{}
	case StartStream:
		s.machine.stream, s.machine.state = true, streaming{}
	case StartNow:
		s.machine.state = locating{}
	case StartExact:
		s.position = position{version: cfg.version, last: cfg.version, exact: true}
	case StartMostRecent:
		s.position = position{unordered: true}
	case StartAny:
		s.position = position{version: "0", unordered: true}
	}
	s.dirty = cfg.start != StartList && cfg.start != StartStream
}

// leave ends a range.
func (s *session) leave() {
	s.keeper.disk.Lock()
	defer s.keeper.disk.Unlock()
	s.mu.Lock()
	s.running, s.hand = false, hand{}
	if s.position.unordered && s.burst {
		// The next range could only ask in the same way again, and nothing
		// would tell it what was deleted in between.
		s.position, s.burst = position{}, false
		s.gap = &gap{cause: errInterrupted}
		s.machine.state = s.machine.list()
	}
	s.mu.Unlock()
	s.keeper.close()
}

// acknowledge commits the event in the caller's hand, if there is one.
// seen: by the loop, which knows that the caller has had it.
func (s *session) acknowledge(seen bool) {
	var k *keeper
	if seen {
		k = s.keeper
	} else if k = s.keeperNow(); k == nil {
		return
	}
	if !seen || k.file != nil {
		k.disk.Lock()
		defer k.disk.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hand.full && (seen || !s.hand.offered) {
		p := s.hand.change
		s.hand = hand{offered: s.hand.offered}
		s.apply(p)
	}
}

// commit makes p true without the caller, who has no part in it.
func (s *session) commit(p pending) {
	if s.keeper.file != nil {
		s.keeper.disk.Lock()
		defer s.keeper.disk.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.apply(p)
}

// apply makes p true. The caller holds mu, and keeper.disk if there is a file.
func (s *session) apply(p pending) {
	versioned := isVersion(p.version)
	if versioned {
		if p.version != s.position.version {
			s.moved = true
		}
		s.position = position{version: p.version, last: p.version}
		s.lastErr = nil
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
		s.dirty, s.resetDue = false, false
	case Synced:
		s.synced, s.index.complete = true, true
		if versioned {
			// Here and not in next: the caller may leave before that is asked.
			s.machine.state, s.phase = watching{}, PhaseWatching
		}
	}
	if p.item {
		s.skip++
	}
	s.burst = s.burst || s.position.unordered && p.namespace+p.name != ""
	s.keeper.changed()
}

// lose drops the resume point: history after it is gone. From here until
// Synced is acknowledged the next request is a LIST, also for a later range:
// going back would deliver older states after newer ones.
func (s *session) lose(cause error) {
	s.keeper.disk.Lock()
	defer s.keeper.disk.Unlock()
	s.mu.Lock()
	s.gap = &gap{after: s.position.last, cause: cause}
	s.position = position{last: s.position.last}
	s.lossRun = s.index.run + 1
	s.synced = false
	s.counters.Relists++
	s.keeper.changed()
	s.mu.Unlock()
	// Not later: a process that ends in the middle of the list and goes on
	// from the old resume point would deliver older states after newer ones.
	s.keeper.save()
}

// add counts something that State shows.
func (s *session) add(counter *int64, n int64) {
	s.mu.Lock()
	*counter += n
	s.mu.Unlock()
}

// State is a snapshot of what the Watcher is doing. It may be called from any
// goroutine, and waits for neither the network nor a disk.
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
		Counters:        s.counters,
		Endings:         maps.Clone(s.endings),
	}
	if st.Phase == PhaseWaiting {
		st.NextRequest = s.next
	}
	if s.keeper != nil {
		st.CheckpointError = s.keeper.err()
	}
	if !s.running {
		st.Phase, st.NextRequest = PhaseIdle, time.Time{}
	}
	if at := s.lastByte.Load(); at != 0 {
		st.LastByte = time.Unix(0, at)
	}
	return st
}

// Ack acknowledges the event in hand, for a loop that is about to break on
// purpose. Call it from the body of the loop; elsewhere it does nothing.
func (w *Watcher) Ack() { w.session.acknowledge(false) }
