package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/kubeconfig"
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
		if a.isLeft(err) {
			tell.Say("%s, %s", context.Cause(ctx), waitedFor(err, config))
		}
		return a.failed(a.asAsked(err, nil), nil, config)
	}
	l, err := a.prepare(ctx, sources, config, screen.Out(), tell)
	if err != nil {
		return err
	}
	defer l.close()
	hide := screen.Show(a.statusLine(sources, config, screen.Err()))
	ended := l.run(ctx)
	hide()
	err = a.printing.jq.result(l.unsaved(a.asAsked(ended, l)), tell)
	if a.isLeft(ended) {
		tell.Left(ended.Error(), l.shown, l.goesOn())
	}
	return a.failed(err, sources, config)
}

// prepare makes the watches of the sources, and the loop over them.
func (a *ask) prepare(ctx context.Context, sources []*source, config *kubeconfig.Config, out io.Writer, tell *story.Story) (*loop, error) {
	saving := newSaving(a.checkpoint, tell)
	for _, s := range sources {
		a.makeWatch(s, config, tell, saving)
	}
	if a.recording.record != "" && a.printing.format().HasColumns() {
		tell.Say("%s shows NAME and AGE alone: a recording holds the objects, not a table of them", a.printing.format())
	}
	if a.rawNow && a.checkpoint == "" {
		tell.Say("raw starts from now; --start stream shows what exists")
	}
	exporter, closeMetrics, err := a.metrics.serve(sources, tell)
	if err != nil {
		return nil, err
	}
	return &loop{
		sources: sources, printer: a.printer(ctx, sources, out, tell),
		saving: saving, exporter: exporter, goal: a.tracker(sources), missing: a.missing(discoveryOf(config), sources),
		count: int(a.count), once: a.once, inRaw: a.printing.format() == output.Raw,
		began: time.Now(), onTerminal: terminal.Is(out), close: closeMetrics,
	}, nil
}

// printer prints what comes from the sources.
func (a *ask) printer(ctx context.Context, sources []*source, out io.Writer, tell *story.Story) *output.Printer {
	var printed []output.Source
	for _, s := range sources {
		printed = append(printed, s.printed())
	}
	p := output.New(out, a.printing.options(ctx, out, tell), printed...)
	for _, s := range sources {
		p.Listen(s.watcher)
	}
	return p
}

// isLeft: the watch was left, and not ended by what was waited for or by a
// failure.
func (a *ask) isLeft(err error) bool {
	return isInterrupted(err) || errors.Is(err, errTimeout) && !a.ends()
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
