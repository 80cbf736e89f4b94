package stream

import (
	"errors"
	"fmt"
)

// ErrInUse: a second loop ranges over a Watcher whose first has not ended.
var ErrInUse = errors.New("stream: this Watcher is already being ranged over; use one Watcher per loop")

// ErrNoResourceVersion: the list has no resourceVersion of its own (some
// aggregated APIs), so no watch can start from it.
var ErrNoResourceVersion = errors.New("list has no resourceVersion, so it cannot be watched")

// ErrMaxReconnects: Policy.MaxReconnects is used up.
var ErrMaxReconnects = errors.New("too many failures in a row")

// ConfigError: a field of a Watcher that cannot be used.
type ConfigError struct {
	Field   string
	Problem string
}

func (e *ConfigError) Error() string { return "stream: " + e.Field + " " + e.Problem }

// Error is why a watch is over: what was asked, and how it failed. Use
// errors.Is with the sentinels of package status, and errors.As with
// *status.Error for the server's own words.
type Error struct {
	Verb   Verb
	Target Target
	Server string // host and port
	Row    string // the row of the verdict table that decided
	Err    error
}

func (e *Error) Error() string {
	// Of what a transport says of a hostile answer there may be megabytes.
	return fmt.Sprintf("stream: %s %s at %s: %.1000s", e.Verb, e.Target, e.Server, e.Err.Error())
}

func (e *Error) Unwrap() error { return e.Err }

// UnknownEventError: an event of a type that Kubernetes does not have, under
// StopUnknownEvent.
type UnknownEventError struct{ Type string }

func (e *UnknownEventError) Error() string {
	return fmt.Sprintf("event of unknown type %q", clip(e.Type))
}

// MissingVersionError: an event without resourceVersion, under
// StopMissingVersion.
type MissingVersionError struct {
	Type            EventType
	Namespace, Name string
}

func (e *MissingVersionError) Error() string {
	return fmt.Sprintf("%s event of %q has no resourceVersion", e.Type, clip(e.Namespace+"/"+e.Name))
}

// clip shortens what a server sent for an error's text; %q does the rest.
func clip(s string) string {
	const most = 128
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
