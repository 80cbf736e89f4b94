package cli

import (
	"context"
	"errors"
	"io"
)

// errClosedPipe is the cause of a context that ends because nobody reads
// standard output any more.
var errClosedPipe = errors.New("nobody reads standard output any more")

// withReader ends the context when out is a pipe and its reader has left. A
// write would notice too, but only the next one:
//
//  1. rawwatch pods | grep -q Running
//  2. grep has seen enough, and exits
//  3. no pod changes for an hour, and the shell waits for it
//
// Where the system cannot tell (see pipe_other.go) it stays like that.
func withReader(ctx context.Context, out io.Writer) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	forget := onClosedPipe(out, func() { cancel(errClosedPipe) })
	return ctx, func() {
		forget()
		cancel(nil)
	}
}

// isClosedPipe reports whether err is about a standard output without reader.
func isClosedPipe(err error) bool {
	if errors.Is(err, errClosedPipe) || errors.Is(err, io.ErrClosedPipe) {
		return true
	}
	for _, errno := range nobodyReads {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
