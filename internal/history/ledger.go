package history

import (
	"maps"
	"slices"
	"sync"
)

// Key names an object.
type Key struct{ Namespace, Name string }

func (k Key) String() string { return k.Namespace + "/" + k.Name }

// Ledger is what was done to the objects of one collection. The zero value is
// empty. Its methods are safe for concurrent use.
type Ledger struct {
	mu       sync.Mutex
	objects  map[Key][]state
	restores []restore
}

// state of an object, or its absence.
type state struct {
	uid     string
	version string // "": unknown
	gone    bool

	// optional: a restored backup has undone it, or has brought it back. Who
	// had not heard of what was undone hears of neither.
	optional bool
}

// same reports whether they are the same to a consumer.
func (s state) same(as state) bool {
	return s.gone == as.gone && (s.gone || s.uid == as.uid && s.version == as.version)
}

func (s state) String() string {
	switch {
	case s.gone && s.version == "":
		return "gone"
	case s.gone:
		return "gone at " + s.version
	case s.version == "":
		return "unknown version"
	}
	return s.version
}

// Did records the state that an object was created in or changed to. version
// is "" when the server did not tell, as for the state that a pod goes through
// on its way to being deleted.
func (l *Ledger) Did(key Key, uid, version string) { l.add(key, state{uid: uid, version: version}) }

// Gone records that an object was deleted, or left what is watched. version is
// that of this change, "" when the server did not tell.
func (l *Ledger) Gone(key Key, uid, version string) {
	l.add(key, state{uid: uid, version: version, gone: true})
}

func (l *Ledger) add(key Key, s state) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.objects == nil {
		l.objects = make(map[Key][]state)
	}
	l.objects[key] = append(l.objects[key], s)
}

// UID is that of an object that exists, "" of one that does not.
func (l *Ledger) UID(key Key) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := last(l.objects[key]); !s.gone {
		return s.uid
	}
	return ""
}

// Len is how many objects exist.
func (l *Ledger) Len() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, states := range l.objects {
		if !last(states).gone {
			n++
		}
	}
	return n
}

// last state there is; an object that never was is absent.
func last(states []state) state {
	if len(states) == 0 {
		return state{gone: true}
	}
	return states[len(states)-1]
}

// Position is a moment in a Ledger: how many states each object had been
// through by then. nil is the moment before everything.
type Position map[Key]int

// Now is the present moment. It is not nil.
func (l *Ledger) Now() Position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now()
}

func (l *Ledger) now() Position {
	p := Position{}
	for key, states := range l.objects {
		p[key] = len(states)
	}
	return p
}

// Restore records that the server was turned back to an earlier moment. What
// each object was then, it has become once more, under the same
// resourceVersion.
func (l *Ledger) Restore(to Position) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.now()
	for key, states := range l.objects {
		then, now := last(states[:to[key]]), last(states)
		states = slices.Clone(states) // a snapshot may hold them
		for i := range states[to[key]:] {
			states[to[key]+i].optional = true
		}
		if !now.gone && now.uid != then.uid {
			states = append(states, state{uid: now.uid, gone: true, optional: true})
		}
		if !then.gone {
			then.optional = true
			states = append(states, then)
		}
		l.objects[key] = states
	}
	l.restores = append(l.restores, restore{before, l.now()})
}

// snapshot copies the states, so that they can be compared without the lock.
func (l *Ledger) snapshot() chronicle {
	l.mu.Lock()
	defer l.mu.Unlock()
	return chronicle{maps.Clone(l.objects), slices.Clone(l.restores)} // the slices of states only grow, or are replaced
}

// Event is what a consumer was told. RESTORED no watch says: with it a test
// notes that the server was turned back before the events that follow.
type Event struct {
	Type            string // as on the wire, or SYNCED, GAP, RESTORED
	Namespace, Name string
	UID             string
	Version         string
	Inferred        bool
	Partial         bool // of a GAP, as in stream.Event
}

// String is short: "MODIFIED a 17".
func (e Event) String() string {
	s := e.Type
	if e.Name != "" {
		s += " " + e.Name
	}
	if e.Version != "" {
		s += " " + e.Version
	}
	if e.Inferred {
		s += " inferred"
	}
	return s
}

func (e Event) key() Key { return Key{e.Namespace, e.Name} }

// is reports whether the event tells of this state.
func (e Event) is(s state) bool {
	if e.UID != s.uid || s.gone != (e.Type == "DELETED") {
		return false
	}
	// A list does not tell when an object went.
	return e.Version == s.version || s.version == "" || s.gone && e.Inferred
}
