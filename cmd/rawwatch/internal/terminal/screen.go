package terminal

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

// Screen is standard output and standard error, which may be the same
// terminal, with a status below what is printed there. Everything that is
// printed while it is shown has to go through Out and Err.
type Screen struct {
	mu       sync.Mutex
	out, err io.Writer
	one      bool // both are the same terminal
	able     bool // there is a place for a status
	width    func() int

	status  func(width int) string // nil: not shown
	drawn   string                 // the status that is on the screen; "" is none
	columns int                    // it was drawn for
	open    bool                   // the last line printed has no end, so nothing can be drawn below it
}

// What draws and clears a status (ECMA-48; DECAWM, so that one that is too long
// for a terminal that was just made narrower is cut and not wrapped).
const (
	clearStatus = "\r\x1b[J"
	beforeDrawn = "\x1b[?7l"
	afterDrawn  = "\x1b[?7h\r"
)

// NewScreen is a Screen of two writers. Nothing is drawn before Show.
func NewScreen(out, err io.Writer) *Screen {
	return &Screen{
		out: out, err: err, one: sameTerminal(out, err),
		able:  canShow(out, err),
		width: func() int { return Width(err) },
	}
}

// canShow reports whether a status on err would stand alone. If out is a pipe,
// whoever reads it most likely prints on the same terminal, and knows nothing
// of the status in its way:
//
//	rawwatch pods | grep web
func canShow(out, err io.Writer) bool {
	if !Is(err) || os.Getenv("TERM") == "dumb" || runtime.GOOS == "windows" {
		return false
	}
	if Is(out) {
		return true
	}
	file, ok := fileOf(out)
	if !ok {
		return false
	}
	info, e := file.Stat()
	return e == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeDevice != 0) // such as /dev/null
}

func sameTerminal(out, err io.Writer) bool {
	a, aFile := fileOf(out)
	b, bFile := fileOf(err)
	if !aFile || !bFile || !Is(a) || !Is(b) {
		return false
	}
	one, e1 := a.Stat()
	two, e2 := b.Stat()
	return e1 == nil && e2 == nil && os.SameFile(one, two)
}

// Out and Err write around the status, each in one write.
func (s *Screen) Out() io.Writer { return &side{s, false} }
func (s *Screen) Err() io.Writer { return &side{s, true} }

type side struct {
	screen *Screen
	err    bool
}

// Unwrap is the writer behind it, for those who want to know what it is.
func (w *side) Unwrap() io.Writer {
	if w.err {
		return w.screen.err
	}
	return w.screen.out
}

func (w *side) Write(b []byte) (int, error) {
	s := w.screen
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == nil || !w.err && !s.one || len(b) == 0 {
		return w.Unwrap().Write(b)
	}
	// One write, so that the line and what is drawn below it change at once.
	var all bytes.Buffer
	s.clear(&all)
	head := all.Len()
	all.Write(b)
	s.open = b[len(b)-1] != '\n'
	s.draw(&all)
	n, err := w.Unwrap().Write(all.Bytes())
	return min(max(n-head, 0), len(b)), err
}

// clear removes what is drawn. The caller holds mu, and writes what is in to.
func (s *Screen) clear(to *bytes.Buffer) {
	if s.drawn != "" {
		to.WriteString(clearStatus)
		s.drawn = ""
	}
}

// draw draws the status. As it is asked for with every line that is printed,
// it is up to date with them.
func (s *Screen) draw(to *bytes.Buffer) {
	if s.open || s.status == nil {
		return
	}
	s.columns = s.width()
	if s.drawn = s.status(s.columns); s.drawn != "" {
		to.WriteString(beforeDrawn + s.drawn + afterDrawn)
	}
}

// refresh draws the status again if it has changed.
func (s *Screen) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status == nil || s.open {
		return
	}
	before, columns := s.drawn, s.columns
	var all bytes.Buffer
	s.clear(&all)
	s.draw(&all)
	if s.drawn != before || s.columns != columns {
		s.err.Write(all.Bytes())
	}
}

// hide removes the status for good.
func (s *Screen) hide() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = nil
	var all bytes.Buffer
	if s.clear(&all); all.Len() > 0 {
		s.err.Write(all.Bytes())
	}
}

// Show draws what status returns, which must fit in so many columns, until the
// returned function is called, or nothing where there is no place for it. It is
// drawn again each second, and when the terminal changes its size; "" draws
// nothing for now.
func (s *Screen) Show(status func(width int) string) (stop func()) {
	if !s.able {
		return func() {}
	}
	resized, forget := onResize()
	hide := s.keep(status, resized)
	return func() { forget(); hide() }
}

// keep shows a status and keeps it up to date.
func (s *Screen) keep(status func(width int) string, resized <-chan os.Signal) (stop func()) {
	s.mu.Lock()
	s.status = status
	s.mu.Unlock()
	s.refresh()
	stopping, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-resized:
			case <-stopping:
				return
			}
			s.refresh()
		}
	}()
	return func() {
		close(stopping)
		<-done
		s.hide()
	}
}
