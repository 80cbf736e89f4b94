package replay

import (
	"bytes"

	"example.com/rawwatch/decode"
)

// lineSplitter makes records of the bytes of a watch as they come in. Only
// whole lines come out of it until rest is called, and those that are not
// events come out as raw bytes.
//
//	  cuts: 7        15           where reads ended, in the first line
//	        │         │
//	{"type":"ADDED","obj…         buf: the beginning of one line, and no newline
//
// A line that came whole in one read is not copied: at full speed that is most
// of them.
type lineSplitter struct {
	buf     []byte
	cuts    []int
	record  Record
	scanner decode.Scanner
	kind    []byte // of the object in the record, if it is an event
}

// maxCuts is how many cuts of one line are remembered. A client that reads byte
// by byte would otherwise have a recording that is mostly cuts.
const maxCuts = 1000

// maxHeldBack is how much of a line is held back before it is given out in
// parts: as long as the longest frame the client accepts by default.
const maxHeldBack = 16 << 20

// next takes bytes from the front of p until a line is whole, and returns its
// record: valid until the next call, and only as long as p is. It returns nil
// once p is empty.
func (l *lineSplitter) next(p *[]byte) *Record {
	if l.record.Bytes != nil {
		l.forget()
	}
	if len(*p) == 0 {
		return nil
	}
	n := bytes.IndexByte(*p, '\n') + 1
	whole := n > 0
	if !whole {
		n = len(*p)
	}
	part := (*p)[:n]
	*p = (*p)[n:]
	if whole && len(l.buf) == 0 {
		return l.give(part)
	}
	l.buf = append(l.buf, part...)
	// A line longer than any frame the client would accept is not worth its
	// memory; it becomes raw bytes, and so does what is left of it.
	if whole || len(l.buf) > maxHeldBack {
		return l.give(l.buf)
	}
	return nil
}

// cut notes that a read ended here.
func (l *lineSplitter) cut() {
	if l.record.Bytes == nil && len(l.buf) > 0 && len(l.cuts) < maxCuts {
		l.cuts = append(l.cuts, len(l.buf))
	}
}

// rest returns the record of a line that never got its newline, or nil.
func (l *lineSplitter) rest() *Record {
	if l.record.Bytes != nil {
		l.forget()
	}
	if len(l.buf) == 0 {
		return nil
	}
	// A cut at the very end says nothing.
	if n := len(l.cuts); n > 0 && l.cuts[n-1] == len(l.buf) {
		l.cuts = l.cuts[:n-1]
	}
	return l.give(l.buf)
}

// give makes the record of a line.
func (l *lineSplitter) give(line []byte) *Record {
	l.record = Record{Kind: KindRaw, Bytes: line, Cuts: l.cuts}
	l.kind = nil
	if text, ok := bytes.CutSuffix(line, []byte("\n")); ok && fitsInLine(text) {
		var ev decode.Event
		if l.scanner.ScanEvent(text, &ev) == nil {
			l.kind = ev.Kind
			l.record.Kind, l.record.Bytes, l.record.checked = KindEvent, text, true
		}
	}
	return &l.record
}

// forget drops the line that was given out.
func (l *lineSplitter) forget() {
	l.record, l.cuts, l.buf = Record{}, nil, l.buf[:0]
	if cap(l.buf) > 1<<20 {
		l.buf = nil // one long line is not paid for ever after
	}
}
