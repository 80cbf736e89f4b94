package stream

import (
	"bytes"
	"errors"
	"strings"

	"example.com/rawwatch/decode"
)

// errBreak: the caller left the loop. It never leaves this package.
var errBreak = errors.New("stream: loop left")

// deliver hands one event to the caller. It is the only place that yields.
//
// What the event changes (p) becomes true only when the caller asks for the
// next one, or said Ack. If the resume point moved first, this would lose an
// event:
//
//  1. MODIFIED a, version 11, is read; the resume point becomes 11;
//  2. the caller fails to handle it and leaves the loop;
//  3. the next range watches from 11 and never sees that change again.
func (l *loop) deliver(ev Event, p pending) error {
	if err := l.done(); err != nil {
		return err
	}
	ev.Source = l.source
	l.session.give(&ev, p)
	if !l.yield(ev, nil) {
		return errBreak // and leave empties the hand
	}
	l.session.acknowledge(true)
	return nil
}

// give notes the event that goes into the caller's hand, and counts it.
func (s *session) give(ev *Event, p pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hand = hand{full: true, offered: s.hand.offered, change: p}
	switch ev.Type {
	case Added:
		s.counters.Added++
	case Modified:
		s.counters.Modified++
	case Deleted:
		s.counters.Deleted++
		if ev.Inferred {
			s.counters.Inferred++
		}
	default:
		return
	}
	s.dirty = true
}

// change handles ADDED, MODIFIED and DELETED of a watch.
func (l *loop) change(kind EventType, ev *decode.Event) error {
	s := l.session
	moves := !(s.position.unordered && kind == Added)
	p := pending{slot: nowhere}
	if l.tracked && len(ev.Name) > 0 {
		p.slot = s.index.find(ev.Namespace, ev.Name)
		p.id = newIdentity(ev.UID, ev.ResourceVersion)
		p.index = put
		if kind == Deleted {
			p.index = forget
		}
		switch s.index.judge(kind, p.slot, p.id) {
		case repeated:
			// A known object's version was passed when it was delivered, so
			// it could only move the resume point back. What version an
			// object that is gone went at is not known.
			return l.leaveOut(kind, ev, moves && kind == Deleted)
		case replaced:
			if err := l.inferDeleted(p.slot, string(ev.Namespace), string(ev.Name)); err != nil {
				return err
			}
			p.slot = nowhere
		case stale:
			moves = false
		}
	}
	event := l.own(kind, &ev.Meta, ev.Object)
	p.namespace, p.name = event.Namespace, event.Name
	if moves {
		p.version = event.ResourceVersion
	}
	return l.deliver(event, p)
}

// leaveOut passes over an event the caller has had.
func (l *loop) leaveOut(kind EventType, ev *decode.Event, moves bool) error {
	if moves {
		l.session.commit(pending{version: string(ev.ResourceVersion)})
	}
	l.session.add(&l.session.counters.Duplicates, 1)
	if l.trace.Duplicate != nil {
		l.trace.Duplicate(l.own(kind, &ev.Meta, ev.Object))
	}
	return l.done()
}

// item handles one object of a list. full delivers unchanged ones too. It
// reports whether the object was left out as known.
func (l *loop) item(item *decode.Item, full bool) (left bool, err error) {
	s := l.session
	kind, p := Added, pending{slot: nowhere, item: true}
	if l.tracked && len(item.Name) > 0 {
		p.slot = s.index.find(item.Namespace, item.Name)
		p.id = newIdentity(item.UID, item.ResourceVersion)
		p.index = put
		switch s.index.judge(Added, p.slot, p.id) {
		case repeated:
			if !full || s.index.delivered(p.slot) >= s.lossRun {
				s.index.mark(p.slot)
				return true, l.done()
			}
			kind = Modified
		case replaced:
			if err := l.inferDeleted(p.slot, string(item.Namespace), string(item.Name)); err != nil {
				return false, err
			}
			p.slot = nowhere
		case changed:
			kind = Modified
		}
	}
	if err := l.reset(); err != nil {
		return false, err
	}
	event := l.own(kind, &item.Meta, item.Object)
	p.namespace, p.name = event.Namespace, event.Name
	return false, l.deliver(event, p)
}

// synced ends a list that has been read whole: what it did not show is gone.
func (l *loop) synced(version string) error {
	s := l.session
	if err := l.reset(); err != nil {
		return err
	}
	for _, key := range s.index.unmarked() {
		namespace, name := split(key)
		if err := l.inferDeleted(s.index.places[key], namespace, name); err != nil {
			return err
		}
	}
	return l.deliver(Event{Type: Synced, ResourceVersion: version}, pending{version: version, marker: Synced})
}

// inferDeleted reports an object as deleted that the server did not say so of.
func (l *loop) inferDeleted(slot int32, namespace, name string) error {
	known := l.session.index.entries[slot]
	return l.deliver(Event{
		Type:            Deleted,
		Kind:            l.session.kind,
		APIVersion:      l.session.apiVersion,
		Namespace:       namespace,
		Name:            name,
		UID:             known.uidText(),
		ResourceVersion: known.versionText(),
		Inferred:        true,
	}, pending{index: forget, slot: slot, namespace: namespace, name: name})
}

// reset tells a caller without index, before the first object of a full set,
// to forget the objects of the set before.
func (l *loop) reset() error {
	if !l.session.resetDue {
		return nil
	}
	return l.deliver(Event{Type: Reset}, pending{marker: Reset})
}

// own copies an event out of the reader's buffer: two allocations, one for
// the object and one string that all the short fields are parts of.
func (l *loop) own(kind EventType, m *decode.Meta, object []byte) Event {
	s := l.session
	s.learnKind(m)
	var b strings.Builder
	b.Grow(len(m.Namespace) + len(m.Name) + len(m.UID) + len(m.ResourceVersion))
	b.Write(m.Namespace)
	b.Write(m.Name)
	b.Write(m.UID)
	b.Write(m.ResourceVersion)
	text := b.String()
	cut := func(n int) string {
		part := text[:n]
		text = text[n:]
		return part
	}
	return Event{
		Type:            kind,
		Kind:            same(m.Kind, s.kind),
		APIVersion:      same(m.APIVersion, s.apiVersion),
		Namespace:       cut(len(m.Namespace)),
		Name:            cut(len(m.Name)),
		UID:             cut(len(m.UID)),
		ResourceVersion: cut(len(m.ResourceVersion)),
		Object:          bytes.Clone(object),
	}
}

// learnKind keeps what the objects say they are, for events made here. A Table
// says nothing about that.
func (s *session) learnKind(m *decode.Meta) {
	if m.IsTable() || (len(m.Kind) == 0 || string(m.Kind) == s.kind) && (len(m.APIVersion) == 0 || string(m.APIVersion) == s.apiVersion) {
		return
	}
	s.keeper.disk.Lock()
	defer s.keeper.disk.Unlock()
	if len(m.Kind) > 0 {
		s.kind = string(m.Kind)
	}
	if len(m.APIVersion) > 0 {
		s.apiVersion = string(m.APIVersion)
	}
}

// same is text as a string: the one at hand if it is equal.
func same(text []byte, known string) string {
	if string(text) == known {
		return known
	}
	return string(text)
}
