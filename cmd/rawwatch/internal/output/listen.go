package output

import (
	"encoding/json"
	"slices"

	"example.com/rawwatch/stream"
)

// Listen lets the Printer see what it needs and is in no event. Call it before
// the watch begins.
//
// A server defines the columns of a Table in the first object of each page of
// a list, and of each watch, and that one may never become an event:
//
//  1. the watch ends, and somebody changes the columns of the CRD;
//  2. the next watch begins with a bookmark, which has the new columns;
//  3. a change comes, with cells for them.
//
// So the first of every request is looked at, whatever becomes of it.
func (p *Printer) Listen(w *stream.Watcher) {
	if _, ok := p.format.(*table); !ok {
		return
	}
	if w.Trace == nil {
		w.Trace = new(stream.Trace)
	}
	first := true
	w.Trace.Add(stream.Trace{
		Request: func(stream.Request) { first = true },
		Line: func(line []byte) {
			var frame struct{ Object json.RawMessage }
			if first && json.Unmarshal(line, &frame) == nil {
				p.learn(w, frame.Object)
			}
			first = false
		},
		Item: func(object []byte) {
			if first {
				p.learn(w, object)
			}
			first = false
		},
	})
}

// learn takes note of the columns in an object of w.
func (p *Printer) learn(w *stream.Watcher, object json.RawMessage) {
	defined := columnsOf(object)
	if len(defined) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.format.(*table)
	if s := t.sheet(p.from(stream.Event{Source: w})); !slices.Equal(s.defined, defined) {
		t.define(s, defined)
	}
}
