package replay

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A Writer writes a recording. Its methods may be called from several
// goroutines.
type Writer struct {
	mu  sync.Mutex
	w   io.Writer
	buf []byte
	err error
}

// NewWriter writes the header. Version and Start are filled in if they are
// zero.
func NewWriter(w io.Writer, h RecordingHeader) (*Writer, error) {
	if h.Version == 0 {
		h.Version = 1
	}
	if h.Start.IsZero() {
		h.Start = time.Now()
	}
	b := fmt.Appendf(nil, `{"rwr":%d`, h.Version)
	b = appendMember(b, "tool", h.Tool)
	b = appendMember(b, "start", h.Start.UTC().Format(time.RFC3339Nano))
	b = append(b, `,"redacted":[`...)
	for i, r := range h.Redacted {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, quote(r)...)
	}
	b = append(b, "]}\n"...)
	_, err := w.Write(b)
	return &Writer{w: w, err: err}, err
}

// Write writes a record with a single call to the underlying writer, so that a
// program that is killed leaves whole lines. It keeps no reference to r. After
// an error of the underlying writer nothing more is written, because a gap in
// a recording is worse than its end.
func (w *Writer) Write(r *Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.add(r); err != nil {
		return err
	}
	return w.flush()
}

// maxHeld is how much add keeps back, and the largest buffer that is kept: one
// large object need not be paid for ever after.
const maxHeld = 1 << 20

// add makes the line of r. It is written by the next flush, with those before
// it, or at once when they are many. The caller holds mu.
func (w *Writer) add(r *Record) error {
	if w.err != nil {
		return w.err
	}
	lines, err := r.appendLine(w.buf)
	if err != nil {
		return err // nothing of it is in buf
	}
	w.buf = lines
	if len(w.buf) > maxHeld {
		return w.flush()
	}
	return nil
}

// flush writes the lines that were added. The caller holds mu.
func (w *Writer) flush() error {
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	if _, err := w.w.Write(w.buf); err != nil {
		w.err = fmt.Errorf("replay: %w", err)
	}
	w.buf = w.buf[:0]
	if cap(w.buf) > maxHeld {
		w.buf = nil
	}
	return w.err
}
