package cli

import (
	"errors"
	"os"
	"syscall"

	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// The exit codes.
const (
	exitOK        = 0   // ended as asked
	exitError     = 1   // any other error
	exitUsage     = 2   // flags, kubeconfig, a checkpoint that cannot be used
	exitUnmet     = 3   // --timeout passed before what was waited for
	exitDenied    = 4   // 401, 403
	exitNotFound  = 5   // 404, 405, unknown type
	exitTries     = 6   // --max-reconnects used up
	exitExpired   = 7   // history lost under --on-expired fail
	exitHangup    = 129 // SIGHUP
	exitInterrupt = 130 // SIGINT
	exitTerminate = 143 // SIGTERM
)

// exitCode is the code for the error a command ended with.
func exitCode(err error) int {
	var (
		usage       *usageError
		config      *kubeconfig.Error
		watcher     *stream.ConfigError
		checkpoint  *stream.CheckpointError
		told        *toldError
		interrupted *interruptedError
		unknown     *discovery.UnknownTypeError
		ambiguous   *discovery.AmbiguousError
		unwatchable *discovery.NotWatchableError
	)
	is := func(targets ...error) bool {
		for _, target := range targets {
			if errors.Is(err, target) {
				return true
			}
		}
		return false
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &interrupted):
		return interrupted.exitCode()
	case errors.As(err, &told):
		return exitError // something on the side of a watch that went well
	case errors.As(err, &usage), errors.As(err, &watcher), errors.As(err, &checkpoint),
		errors.As(err, &config), is(kubeconfig.ErrNoConfiguration):
		return exitUsage
	case is(errUnmet):
		return exitUnmet
	// These two say more than the answer that is inside them, which may be a
	// 403 or a 404 as well.
	case is(stream.ErrMaxReconnects):
		return exitTries
	case is(status.ErrExpired):
		return exitExpired
	case is(status.ErrUnauthorized, status.ErrForbidden):
		return exitDenied
	case is(status.ErrNotFound, status.ErrMethodNotAllowed, status.ErrResourceGone),
		errors.As(err, &unknown), errors.As(err, &ambiguous), errors.As(err, &unwatchable):
		return exitNotFound
	}
	return exitError
}

// errTimeout is the cause of the context that --timeout ends.
var errTimeout = errors.New("the --timeout is over")

// errUnmet: --timeout passed, and what was waited for had not come.
var errUnmet = errors.New("--timeout passed")

// interruptedError is the cause of the context that a signal ends.
type interruptedError struct{ signal os.Signal }

func (e *interruptedError) Error() string {
	switch e.signal {
	case syscall.SIGHUP:
		return "interrupted by SIGHUP"
	case syscall.SIGTERM:
		return "interrupted by SIGTERM"
	}
	return "interrupted by SIGINT"
}

func isInterrupted(err error) bool {
	interrupted := (*interruptedError)(nil)
	return errors.As(err, &interrupted)
}

func (e *interruptedError) exitCode() int {
	switch e.signal {
	case syscall.SIGHUP:
		return exitHangup
	case syscall.SIGTERM:
		return exitTerminate
	}
	return exitInterrupt
}

// usageError is a mistake in the arguments.
type usageError struct {
	text string
	// pointer shows below the message where the mistake is, in lines of its
	// own.
	pointer string
}

func (e *usageError) Error() string { return e.text }
