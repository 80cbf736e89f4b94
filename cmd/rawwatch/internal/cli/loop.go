package cli

import (
	"context"
	"errors"
	"iter"
	"syscall"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/goal"
	"example.com/rawwatch/cmd/rawwatch/internal/metrics"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/stream"
)

// behind is how long a write may take before it is worth a word. By then the
// server, which waits a fraction of that for a slow reader, may have closed
// the watch.
const behind = time.Second

// loop prints what happens to the sources.
type loop struct {
	sources []*source
	printer *output.Printer

	// What looks at each event beside the printer; each may be nil.
	saving   *saving
	exporter *metrics.Exporter
	goal     *goal.Tracker
	missing  *missing

	count int // 0 is no limit
	once  bool
	inRaw bool // lines are printed, not events

	began      time.Time
	onTerminal bool
	close      func() // for whoever has prepared it

	raw   *rawLines // if inRaw, while it runs
	shown int       // events printed
}

// events are those of all sources. One needs no goroutine beside its own.
func (l *loop) events(ctx context.Context) iter.Seq2[stream.Event, error] {
	if len(l.sources) == 1 {
		return l.sources[0].watcher.Watch(ctx)
	}
	var watchers []*stream.Watcher
	for _, s := range l.sources {
		watchers = append(watchers, s.watcher)
	}
	return stream.Merge(ctx, watchers...)
}

// run goes on until ctx, an error, or a limit ends it.
func (l *loop) run(ctx context.Context) error {
	if !l.inRaw {
		return l.print(ctx)
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	l.raw = &rawLines{printer: l.printer, limit: l.count, end: end}
	for _, s := range l.sources {
		l.raw.listen(s)
	}
	err := l.print(ctx)
	shown, last := l.raw.state()
	l.shown = shown
	if last != nil {
		return nil // however it ended after the line it was to end with
	}
	return err
}

func (l *loop) print(ctx context.Context) error {
	l.missing.begin(ctx)
	for ev, err := range l.events(ctx) {
		if err != nil {
			return err
		}
		over, err := l.show(ctx, ev)
		if err != nil {
			return err
		}
		if over {
			ev.Source.Ack() // it has been shown: a loop that is left gives it back otherwise
			return nil
		}
	}
	return nil
}

// show prints an event, and tells what a marker means. It reports whether the
// event was the last.
func (l *loop) show(ctx context.Context, ev stream.Event) (over bool, err error) {
	from := l.from(ev)
	// Only the index knows how many there are; without it nobody does.
	objects := -1
	if ev.Type == stream.Synced && !from.watcher.Untracked {
		objects = from.watcher.State().Objects
	}
	from.tell.Event(ev, objects)
	if ev.Type == stream.Synced {
		l.missing.look(ctx, from)
	}
	l.saving.look(from.watcher)
	if l.exporter != nil {
		l.exporter.See(ev)
	}

	began := time.Now()
	printed, err := l.printer.Print(ev)
	from.took(time.Since(began))
	if err != nil {
		return false, l.hungUp(err)
	}
	if printed {
		l.shown++
	}
	from.synced = from.synced || ev.Type == stream.Synced
	from.any = from.any || ev.Name != ""
	if l.goal != nil && l.goal.See(ev) {
		l.reached(from)
		return true, nil
	}
	return l.once && l.allSynced() || l.enough(from), nil
}

// hungUp: a terminal that is gone takes no data (EIO) before, or instead of,
// SIGHUP.
func (l *loop) hungUp(err error) error {
	if l.onTerminal && errors.Is(err, syscall.EIO) {
		return &interruptedError{syscall.SIGHUP}
	}
	return err
}

// enough: --count is reached, by the event of this source that is in hand.
func (l *loop) enough(from *source) bool {
	if l.raw != nil {
		_, last := l.raw.state()
		return last == from.watcher
	}
	return l.count > 0 && l.shown == l.count
}

// took tells of a write that was slow.
func (s *source) took(d time.Duration) {
	if d >= behind {
		s.tell.FellBehind(d)
	}
}

func (l *loop) from(ev stream.Event) *source {
	for _, s := range l.sources {
		if s.watcher == ev.Source {
			return s
		}
	}
	return l.sources[0] // every event has a source; there is no other way to have one
}

func (l *loop) allSynced() bool {
	for _, s := range l.sources {
		if !s.synced {
			return false
		}
	}
	return true
}

// goesOn is the flag that goes on from here, if one does.
func (l *loop) goesOn() string {
	s := l.sources[0]
	version := s.watcher.State().ResourceVersion
	switch {
	case l.saving != nil && l.saving.look(s.watcher) != nil:
		return ""
	case l.saving != nil:
		return "the same --checkpoint"
	case len(l.sources) == 1 && version != "":
		return "--resource-version " + version
	}
	return ""
}
