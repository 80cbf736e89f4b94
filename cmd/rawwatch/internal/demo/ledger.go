package demo

import (
	"context"
	"sync"

	"example.com/rawwatch/stream"
)

// op is what a server does to an object.
type op int

const (
	created op = iota
	modified
	deleted
)

// eventType is the type of the event that tells of it.
func (o op) eventType() stream.EventType {
	return []stream.EventType{stream.Added, stream.Modified, stream.Deleted}[o]
}

// change is one thing the server did; its version is that of the event.
type change struct {
	op      op
	name    string
	version int
}

// sighting is one event, as the client delivered it.
type sighting struct {
	eventType stream.EventType
	name      string
	version   int
	inferred  bool
}

// gap is a loss of history, as the client told it: what happened in between
// comes collapsed into its outcome.
type gap struct{ after, until int }

// ledger holds what was done on one side, and what was seen on the other.
type ledger struct {
	mu      sync.Mutex
	done    []change
	seen    []sighting
	gaps    []gap
	state   map[string]int // what the client believes to exist
	reached int            // the newest version it has come to
	moved   chan struct{}  // closed and made anew with reached
}

func newLedger() *ledger {
	return &ledger{state: map[string]int{}, moved: make(chan struct{})}
}

// did notes what the server has done.
func (l *ledger) did(op op, name string, version int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = append(l.done, change{op, name, version})
}

// see notes what the client has delivered, and does with it what any consumer
// would: keep the set of what exists.
func (l *ledger) see(ev stream.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	version := number(ev.ResourceVersion)
	switch ev.Type {
	case stream.Gap:
		l.gaps = append(l.gaps, gap{after: version, until: -1})
		return
	case stream.Synced:
		if n := len(l.gaps); n > 0 && l.gaps[n-1].until < 0 {
			l.gaps[n-1].until = version
		}
		l.reach(version)
		return
	case stream.Deleted:
		delete(l.state, ev.Name)
	default:
		l.state[ev.Name] = version
	}
	l.seen = append(l.seen, sighting{ev.Type, ev.Name, version, ev.Inferred})
	// An item of a list says nothing about how far the client has come.
	if n := len(l.gaps); l.reached > 0 && !ev.Inferred && (n == 0 || l.gaps[n-1].until >= 0) {
		l.reach(version)
	}
}

func (l *ledger) reach(version int) {
	l.reached = max(l.reached, version)
	close(l.moved)
	l.moved = make(chan struct{})
}

// await waits until the client has come to a version.
func (l *ledger) await(ctx context.Context, version int) bool {
	for {
		l.mu.Lock()
		reached, moved := l.reached, l.moved
		l.mu.Unlock()
		if reached >= version {
			return true
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false
		}
	}
}
