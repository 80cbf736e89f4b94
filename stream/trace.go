package stream

import (
	"time"

	"example.com/rawwatch/status"
)

// Trace is a set of hooks that show what the loop does between events, in the
// manner of net/http/httptrace. Any may be nil. They run on the goroutine of
// the loop (of each loop, where watches are merged), so they must not block;
// what they are given is theirs. A request that the caller leaves or cancels
// has no Ended.
type Trace struct {
	// Request: a request is about to be sent.
	Request func(Request)
	// Response: its headers have come, or it failed without any.
	Response func(Response)
	// Ended: a request is over; for a watch, when its stream is.
	Ended func(Ended)
	// Waiting: nothing is sent for a while.
	Waiting func(Waiting)
	// Line: a watch sent a line, whatever it is: a bookmark, an ERROR, an
	// event that is left out, garbage. It comes before anything is decided
	// about it. The bytes are lent until the hook returns.
	Line func(line []byte)
	// Item: a list showed an object, known or not. Of a Table it is a Table of
	// one row; the first of each page, as the first line of each watch, has
	// the columns. The bytes are lent until the hook returns.
	Item func(object []byte)
	// UnknownEvent: an event of unknown type was skipped.
	UnknownEvent func(eventType string, line []byte)
	// Duplicate: an event was left out, since it had been delivered before.
	Duplicate func(Event)
}

// Add has the hooks of also run behind those of t.
func (t *Trace) Add(also Trace) {
	t.Request = both(t.Request, also.Request)
	t.Response = both(t.Response, also.Response)
	t.Ended = both(t.Ended, also.Ended)
	t.Waiting = both(t.Waiting, also.Waiting)
	t.Line = both(t.Line, also.Line)
	t.Item = both(t.Item, also.Item)
	t.Duplicate = both(t.Duplicate, also.Duplicate)
	switch first, second := t.UnknownEvent, also.UnknownEvent; {
	case first == nil:
		t.UnknownEvent = second
	case second != nil:
		t.UnknownEvent = func(eventType string, line []byte) {
			first(eventType, line)
			second(eventType, line)
		}
	}
}

// both is one hook after the other; either may be nil.
func both[T any](first, second func(T)) func(T) {
	switch {
	case first == nil:
		return second
	case second == nil:
		return first
	}
	return func(v T) {
		first(v)
		second(v)
	}
}

// Verb is what a request is for.
type Verb = status.Verb

const (
	List  = status.List
	Watch = status.Watch
)

// Request describes a request about to be sent. It holds no header, so no
// credentials.
type Request struct {
	Verb            Verb
	URL             string // with its query, without user info
	ResourceVersion string // of a watch: where it starts
	Page            int    // of a list: 0 is the first
}

// Response describes how a request was answered.
type Response struct {
	Verb       Verb
	StatusCode int           // 0: no answer came
	Proto      string        // "HTTP/1.1", "HTTP/2.0"
	Took       time.Duration // from the request to the headers
	Err        error         // when no answer came
}

// Ended describes how a request, or the stream it opened, came to its end.
type Ended struct {
	Verb   Verb
	Err    error         // nil: a list page was read whole
	Row    string        // the row of the verdict table that decided; "" for nil Err
	Action string        // what follows: "resume", "relist", "stop"
	Age    time.Duration // since the request was sent
	Events int           // of a watch: events read, bookmarks included; of a list: items
	Bytes  int64
}

// Waiting describes a pause before the next request.
type Waiting struct {
	For     time.Duration
	Row     string // why, as in Ended
	Attempt int    // failures in a row so far
	Next    Verb   // what comes after
}

// Counters count from the first range over the Watcher.
type Counters struct {
	Requests   int64 // sent, lists and watches
	Reconnects int64 // watches after the first
	Relists    int64 // lists begun because history was lost, each after a Gap
	Added      int64 // events delivered, by type
	Modified   int64
	Deleted    int64
	Inferred   int64 // of the Deleted: found by a relist
	Bookmarks  int64 // read, delivered or not
	Duplicates int64 // left out
	Unknown    int64 // events of unknown type
	Bytes      int64 // of bodies; of a compressed watch as they come, of a list after http.Transport has decompressed it
}

// Ending is a way in which a request can end that calls for a verdict: the row
// of the verdict table ("expired"), and what followed ("relist").
type Ending struct {
	Row    string
	Action string
}

// Phase is what the loop is doing.
type Phase string

const (
	PhaseIdle     Phase = "idle" // no range is running
	PhaseListing  Phase = "listing"
	PhaseWatching Phase = "watching"
	PhaseWaiting  Phase = "waiting"
)

// State is a snapshot of a Watcher.
type State struct {
	Phase           Phase
	ResourceVersion string    // the resume point; "" while there is none
	Synced          bool      // all that existed has been delivered, and no relist is going on
	LastByte        time.Time // when the server last sent anything of a list or a watch, refusals left out; zero: never
	Objects         int       // in the index
	Failures        int       // in a row, that had to back off
	NextRequest     time.Time // while the Phase is PhaseWaiting: when it ends
	LastError       error     // how the last request failed; nil once the watch has made progress
	CheckpointError error     // of the last write of the checkpoint; the next is tried within 5 s
	Counters        Counters
	// Endings counts how requests ended, lists read whole left out. It is the
	// caller's own.
	Endings map[Ending]int64
}
