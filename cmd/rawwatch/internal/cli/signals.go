package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// hangs is how long the end may take after the first signal: a checkpoint is
// written, and a recording closed.
const hangs = 5 * time.Second

// withSignals ends the context at the first SIGINT, SIGTERM or SIGHUP (the
// terminal is gone; unless that is ignored, as under nohup), with
// *interruptedError as its cause, and the process at the second, or when it
// has not ended some seconds after the first: whatever hangs by then (a pipe
// that nobody reads, a disk that is away) will not end by itself.
func withSignals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}

	// Without this a write to a closed pipe kills the process; with it, the
	// write fails with EPIPE. It is not signal.Ignore, which programs started
	// from here (credential plugins) would inherit.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)

	done := make(chan struct{})
	go func() {
		var first *interruptedError
		select {
		case s := <-signals:
			first = &interruptedError{s}
			cancel(first)
		case <-done:
			return
		}
		late := time.NewTimer(hangs)
		defer late.Stop()
		select {
		case s := <-signals:
			os.Exit((&interruptedError{s}).exitCode())
		case <-late.C:
			os.Exit(first.exitCode())
		case <-done:
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
		close(done)
		cancel(nil)
	}
}
