package cli

import (
	"context"
	"errors"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
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
	tell := story.New(streams.Err, int(a.verbosity))
	connection := a.connection
	connection.UserAgent, connection.Stderr = userAgent, streams.Err
	config, err := kubeconfig.Load(connection)
	if err != nil {
		return err
	}
	for _, warning := range config.Warnings {
		tell.Say("warning: %s", warning)
	}
	found, err := a.locate(ctx, config, tell)
	if err == nil {
		err = a.watch(ctx, found, config, streams, tell)
	}
	switch { // a timeout may have come before there was anything to watch
	case errors.Is(err, errTimeout) && a.once:
		return errUnmet
	case errors.Is(err, errTimeout), isClosedPipe(err):
		return nil
	}
	return a.failed(err, found, config)
}

// watch prints what happens to a collection.
func (a *ask) watch(ctx context.Context, found located, config *kubeconfig.Config, streams Streams, tell *story.Story) error {
	w := a.watcher()
	w.Client, w.Server, w.Target = config.Client, config.Server, found.target
	w.Trace = tell.Trace()
	tell.Watching(found.what(), config.Server.Host)
	p := output.New(streams.Out, output.Options{
		Format:    output.Format(a.output.value),
		Markers:   a.markers,
		NoHeaders: a.noHeaders,
		Group:     found.target.Group,
		Kind:      found.kindIn(w.View),
		Resource:  found.target.Resource,
		Namespace: found.target.Namespace,
	})
	shown, err := a.loop(ctx, w, p, tell)
	interrupted := (*interruptedError)(nil)
	switch {
	case errors.Is(err, errTimeout) && a.once:
		return unmet(w.State().LastError)
	case errors.Is(err, errTimeout), errors.As(err, &interrupted):
		tell.Left(err.Error(), shown, w.State().ResourceVersion)
	}
	return err
}

// behind is how long a write may take before it is worth a word. By then the
// server, which waits a fraction of that for a slow reader, may have closed
// the watch.
const behind = time.Second

// loop prints events until ctx, an error, or a limit ends it. shown is how
// many there were.
func (a *ask) loop(ctx context.Context, w *stream.Watcher, p *output.Printer, tell *story.Story) (shown int, err error) {
	for ev, err := range w.Watch(ctx) {
		if err != nil {
			return shown, err
		}
		// Only the index knows how many there are; without it nobody does.
		objects := -1
		if ev.Type == stream.Synced && !w.Untracked {
			objects = w.State().Objects
		}
		tell.Event(ev, objects)

		began := time.Now()
		printed, err := p.Print(ev)
		if took := time.Since(began); took >= behind {
			tell.FellBehind(took)
		}
		if err != nil {
			return shown, err
		}
		if printed {
			shown++
		}
		if a.once && ev.Type == stream.Synced || a.count > 0 && shown == int(a.count) {
			w.Ack() // it has been shown: a loop that is left gives it back otherwise
			return shown, nil
		}
	}
	return shown, nil
}
