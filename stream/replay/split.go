package replay

import "bytes"

// lineSplitter makes records of the bytes of a watch as they come in. Only
// whole lines come out of it until rest is called, and those that are not
// events come out as raw bytes.
//
//	  cuts: 7        15           where reads ended, in the first line
//	        │         │
//	{"type":"ADDED","obj…         buf: the beginning of one line, and no newline
//	                    ▲
//	                 searched     no newline up to here
type lineSplitter struct {
	buf      []byte
	cuts     []int
	searched int
}

// maxCuts is how many cuts of one line are remembered. A client that reads byte
// by byte would otherwise have a recording that is mostly cuts.
const maxCuts = 1000

// maxHeldBack is how much of a line is held back before it is given out in
// parts: as long as the longest frame the client accepts by default.
const maxHeldBack = 16 << 20

// write takes the bytes of one read and returns the records of the lines that
// are now whole. The records' bytes are their own.
func (l *lineSplitter) write(p []byte) (out []*Record) {
	l.buf = append(l.buf, p...)
	for {
		i := bytes.IndexByte(l.buf[l.searched:], '\n')
		if i < 0 {
			break
		}
		out = append(out, l.take(l.searched+i+1))
	}
	// A line longer than any frame the client would accept is not worth its
	// memory; it becomes raw bytes, and so does what is left of it.
	if len(l.buf) > maxHeldBack {
		out = append(out, l.take(len(l.buf)))
	}
	l.searched = len(l.buf)
	if len(l.buf) > 0 && len(p) > 0 && len(l.cuts) < maxCuts {
		l.cuts = append(l.cuts, len(l.buf))
	}
	return out
}

// rest returns the record of a line that never got its newline, or nil.
func (l *lineSplitter) rest() *Record {
	if len(l.buf) == 0 {
		return nil
	}
	// A cut at the very end says nothing.
	if n := len(l.cuts); n > 0 && l.cuts[n-1] == len(l.buf) {
		l.cuts = l.cuts[:n-1]
	}
	return l.take(len(l.buf))
}

// take removes n bytes from the front.
func (l *lineSplitter) take(n int) *Record {
	r := &Record{Kind: KindRaw, Bytes: bytes.Clone(l.buf[:n]), Cuts: l.cuts}
	l.cuts, l.searched = nil, 0 // they belonged to the line that is gone
	l.buf = l.buf[n:]           // append moves what is left when there is no room behind it
	if line, ok := bytes.CutSuffix(r.Bytes, []byte("\n")); ok && isEventLine(line) {
		r.Kind, r.Bytes, r.checked = KindEvent, line, true
	}
	return r
}
