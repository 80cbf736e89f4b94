package cli

import (
	"context"
	"errors"
	"sync"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/stream"
)

// rawLines is -o raw: every line of every watch as it is received, before
// anything is decided about it, so that ERROR events, unknown types and what
// the loop leaves out are there too.
//
// The lines come from the hooks, and so from the goroutine of each source; the
// loop sees only what becomes an event. When the line that --count waits for
// has been printed, the loop has to end, but not before the event of that line
// has been acknowledged, or the next run of a checkpoint would print it again:
//
//   - the line becomes an event: the loop gets it next, sees that it was the
//     last, and acknowledges it;
//   - it does not: the hook that says so ends the context.
type rawLines struct {
	printer *output.Printer
	limit   int // 0 is none
	end     context.CancelCauseFunc

	mu    sync.Mutex
	shown int
	last  *stream.Watcher // whose line was the last; nil: not yet
}

// errEnough is the cause of a context that --count ends.
var errEnough = errors.New("the --count is reached")

// listen adds the hooks.
func (r *rawLines) listen(s *source) {
	w := s.watcher
	w.Trace.Add(stream.Trace{
		Line: func(line []byte) {
			began := time.Now()
			r.line(w, line)
			s.took(time.Since(began))
		},
		UnknownEvent: func(string, []byte) { r.noEvent(w) },
		Duplicate:    func(stream.Event) { r.noEvent(w) },
		Ended:        func(stream.Ended) { r.noEvent(w) },
	})
}

func (r *rawLines) line(w *stream.Watcher, line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last != nil {
		return
	}
	if _, err := r.printer.Line(line); err != nil {
		r.end(err)
		return
	}
	if r.shown++; r.shown == r.limit {
		r.last = w
	}
}

// noEvent: the last line of w is not going to be an event.
func (r *rawLines) noEvent(w *stream.Watcher) {
	if _, last := r.state(); last == w {
		r.end(errEnough)
	}
}

func (r *rawLines) state() (shown int, last *stream.Watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.shown, r.last
}
