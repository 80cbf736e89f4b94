package stream

import "runtime"

// What tests of the other package may see and touch.

// OnWrite puts f in the place of the writing of c's file. write does it, to the
// path that it is given.
func (c *Checkpoint) OnWrite(f func(path string, write func(path string) error) error) {
	real := c.write
	c.write = func(path string, members []member) error {
		return f(path, func(path string) error { return real(path, members) })
	}
}

// InHand reports whether the caller's loop holds an event that it has not come
// back for.
func (w *Watcher) InHand() bool {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	return w.session.hand.full && !w.session.hand.offered
}

// Holds reports whether the loop has this event in hand: it is not
// acknowledged, though the caller may have come back for the next one already.
// What is in hand may also be that next one, a moment before the caller sees it.
func (w *Watcher) Holds(kind EventType, namespace, name, version string) bool {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	h := w.session.hand
	switch p := h.change; {
	case !h.full:
		return false
	case p.marker != "":
		return p.marker == kind
	case p.index == put:
		return p.namespace == namespace && p.name == name && p.id.versionText() == version
	case p.index == forget:
		return kind == Deleted && p.namespace == namespace && p.name == name
	}
	return false
}

// DropIndex forgets all objects, so that what they cost can be measured. The
// watch is of no use afterwards.
func (w *Watcher) DropIndex() {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	w.session.index = index{}
}

// LiveHeap is the number of bytes that are alive.
func LiveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
