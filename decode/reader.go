package decode

import (
	"bytes"
	"errors"
	"io"
)

// A Reader reads the events of a watch: one JSON object a line.
type Reader struct {
	in     buffer
	scan   Scanner
	limit  int
	seen   int // bytes of in.held() known to have no newline
	frame  []byte
	offset int64
	lent   Event
	err    error
}

// NewReader returns a Reader of the events in r. A frame longer than limit
// bytes is refused; 0 means [DefaultLimit].
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{in: buffer{src: r, spare: true, quiet: quietRun}, limit: sizeLimit(limit)}
}

// Next returns the next event. Its slices are lent: they are overwritten by
// the next call.
//
// Errors: io.EOF when the body ended at a frame boundary; *TornError when it
// ended inside a frame; *SyntaxError, *ShapeError or *FrameSizeError for a
// frame that cannot be used; any other error is the underlying reader's own.
// After an error Next returns the same one for ever.
func (r *Reader) Next() (Event, error) {
	if r.err == nil {
		r.err = r.next()
	}
	if r.err != nil {
		return Event{}, r.err
	}
	return r.lent, nil
}

// Frame returns the line that the last event, or the last SyntaxError or
// ShapeError, came from, without its line end. It is lent as an event is.
func (r *Reader) Frame() []byte { return r.frame }

// Offset returns where in the body that line begins.
func (r *Reader) Offset() int64 { return r.offset }

// next reads the next event into r.lent.
func (r *Reader) next() error {
	poisonStart(r.frame)
	poison(r.lent.Type)
	poisonObject(r.lent.Object, &r.lent.Meta)
	r.frame, r.lent = nil, Event{}
	for {
		held := r.in.held()
		// The limit counts for a line that is held whole as for one that is
		// still arriving, or the outcome would depend on the size of reads.
		window := held[:min(len(held), r.limit+1)]
		if n := bytes.IndexByte(window[r.seen:], '\n'); n >= 0 {
			line := held[:r.seen+n]
			r.offset = r.in.off
			r.in.consume(len(line) + 1)
			r.seen = 0
			if isBlank(line) {
				continue
			}
			return r.event(line)
		}
		if len(window) > r.limit {
			return &FrameSizeError{Offset: r.in.off, Limit: r.limit}
		}
		r.seen = len(window)
		if err := r.in.fill(); err != nil {
			return r.end(err)
		}
	}
}

// event scans one line.
func (r *Reader) event(line []byte) error {
	line = bytes.TrimSuffix(line, []byte("\r"))
	r.frame = line[:len(line):len(line)]
	err := r.scan.ScanEvent(r.frame, &r.lent)
	return at(err, r.offset)
}

// end decides what an error of the source means, given what is left.
func (r *Reader) end(err error) error {
	// Blank rests are nothing. An error other than an end is the caller's to
	// judge, whether or not it left a part of a line.
	rest := r.in.held()
	clean := err == io.EOF
	if isBlank(rest) || !clean && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	r.offset = r.in.off
	if clean {
		// The last newline may be missing: what is complete JSON is whole.
		err := r.event(rest)
		if _, bad := err.(*SyntaxError); !bad {
			r.in.consume(len(rest))
			r.seen = 0
			return err
		}
	}
	r.frame = nil
	return &TornError{Offset: r.offset, Dropped: len(rest)}
}

// at moves an error of a scan from its frame to the place in the body.
func at(err error, offset int64) error {
	switch err := err.(type) {
	case *SyntaxError:
		err.Offset += offset
	case *ShapeError:
		err.Offset += offset
	}
	return err
}

// isBlank reports whether a line has nothing in it: some servers and proxies
// send such lines to keep a connection alive.
func isBlank(line []byte) bool {
	for _, c := range line {
		if !isSpace(c) {
			return false
		}
	}
	return true
}
