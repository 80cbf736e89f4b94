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
	if w.err != nil {
		return w.err
	}
	line, err := r.appendLine(w.buf[:0])
	if err != nil {
		return err
	}
	w.buf = line
	if _, err := w.w.Write(line); err != nil {
		w.err = fmt.Errorf("replay: %w", err)
	}
	if cap(w.buf) > 1<<20 {
		w.buf = nil // one large object need not be paid for ever after
	}
	return w.err
}
