package cli

import (
	"context"
	"errors"
	"io"
	"iter"
	"syscall"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/goal"
	"example.com/rawwatch/cmd/rawwatch/internal/metrics"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
)

// run is the main job: find the server and the type, and watch until
// something ends it. The error is nil if it ended as asked.
func (a *ask) run(ctx context.Context, streams Streams) error {
	if a.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(a.timeout), errTimeout)
		defer cancel()
	}
	// What ends the command from outside ends its context, with the reason as
	// the cause: --timeout, a reader that leaves, and (in Run) a signal. So
	// there is one way out, whatever it is doing.
	ctx, stop := withReader(ctx, streams.Out)
	defer stop()
	screen := terminal.NewScreen(streams.Out, streams.Err)
	tell := story.New(screen.Err(), story.Options{Verbosity: int(a.verbosity), JSON: a.logFormat.value == logJSON})
	config, err := a.connect(ctx, streams.Err, tell)
	if err != nil {
		return a.asAsked(err, nil)
	}
	if a.dry {
		return a.dryRun(config, streams.Out, tell)
	}
	showTraffic(config.Client, tell, int(a.verbosity))
	if a.recording.to == "" && goesNowhere(streams.Out) {
		tell.Say("warning: standard output is closed: no event will be shown")
	}
	recording, err := a.recording.begin(config.Client, tell)
	if err != nil {
		return err
	}
	return report(tell, recording.end(a.follow(ctx, config, screen, tell)))
}

// follow finds the type on the server, and watches it.
func (a *ask) follow(ctx context.Context, config *kubeconfig.Config, screen *terminal.Screen, tell *story.Story) error {
	sources, err := a.locate(ctx, config, tell)
	if err != nil {
		// What ends it may come before there is anything to watch.
		if isInterrupted(err) || errors.Is(err, errTimeout) && !a.ends() {
			tell.Say("%s, %s", context.Cause(ctx), waitedFor(err, config))
		}
		return a.failed(a.asAsked(err, nil), sources, config)
	}
	saving := newSaving(a.checkpoint, tell)
	for _, s := range sources {
		a.prepare(s, config, tell, saving)
	}
	if a.recording.record != "" && a.printing.format().HasColumns() {
		tell.Say("%s shows NAME and AGE alone: a recording holds the objects, not a table of them", a.printing.format())
	}
	if a.rawNow && a.checkpoint == "" {
		tell.Say("raw starts from now; --start stream shows what exists")
	}
	l := a.newLoop(ctx, sources, screen.Out(), tell)
	l.saving = saving
	exporter, stop, err := a.metrics.serve(sources, tell)
	if err != nil {
		return err
	}
	defer stop()
	l.exporter, l.goal, l.missing = exporter, a.tracker(sources), a.missing(discoveryOf(config), sources)
	hide := screen.Show(a.statusLine(sources, config, screen.Err()))
	ended := l.run(ctx)
	hide()
	err = a.printing.jq.result(l.unsaved(a.asAsked(ended, l)), tell)
	if isInterrupted(ended) || errors.Is(ended, errTimeout) && !a.ends() {
		tell.Left(ended.Error(), l.shown, l.goesOn())
	}
	return a.failed(err, sources, config)
}

// ends: something was to be waited for, and a --timeout before it is a failure.
func (a *ask) ends() bool { return a.once || a.goal.Asked() }

// asAsked takes what is no failure out of the errors that end a watch. l is nil
// if it has not begun.
func (a *ask) asAsked(err error, l *loop) error {
	switch {
	case errors.Is(err, errTimeout) && a.ends():
		return unmet(l)
	case errors.Is(err, errTimeout), isClosedPipe(err):
		return nil
	}
	return err
}

// behind is how long a write may take before it is worth a word. By then the
// server, which waits a fraction of that for a slow reader, may have closed
// the watch.
const behind = time.Second

// loop prints what happens to the sources.
type loop struct {
	sources  []*source
	saving   *saving
	exporter *metrics.Exporter // nil: there are no metrics
	printer  *output.Printer
	raw      *rawLines // nil: events are printed
	count    int       // 0 is no limit
	once     bool
	goal     *goal.Tracker // nil: there is none
	began    time.Time
	missing  *missing

	onTerminal bool

	shown int // events printed
}

func (a *ask) newLoop(ctx context.Context, sources []*source, out io.Writer, tell *story.Story) *loop {
	l := &loop{sources: sources, count: int(a.count), once: a.once, began: time.Now(), onTerminal: terminal.Is(out)}
	var printed []output.Source
	for _, s := range sources {
		printed = append(printed, s.printed())
	}
	l.printer = output.New(out, a.printing.options(ctx, out, tell), printed...)
	for _, s := range sources {
		l.printer.Listen(s.watcher)
	}
	if a.printing.format() == output.Raw {
		l.raw = &rawLines{printer: l.printer, limit: l.count}
	}
	return l
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
	if l.raw == nil {
		return l.print(ctx)
	}
	ctx, l.raw.end = context.WithCancelCause(ctx)
	defer l.raw.end(nil)
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
