package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// withSignals ends the context at the first SIGINT or SIGTERM, with
// *interruptedError as its cause, and the process at the second: whatever
// hangs by then (a pipe that nobody reads) will not end by itself.
func withSignals(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)

	// Without this a write to a closed pipe kills the process; with it, the
	// write fails with EPIPE. It is not signal.Ignore, which programs started
	// from here (credential plugins) would inherit.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)

	done := make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			cancel(&interruptedError{s})
		case <-done:
			return
		}
		select {
		case s := <-signals:
			os.Exit((&interruptedError{s}).exitCode())
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
