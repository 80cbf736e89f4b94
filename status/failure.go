package status

import (
	"errors"
	"io"
	"time"
)

// Verb is what the request wanted, as authorization rules spell it.
type Verb string

const (
	List  Verb = "list"
	Watch Verb = "watch"
)

// Failure is everything the table looks at. An end of a watch is a failure
// too, the healthy ones included.
//
// Whether the caller's context is done is not among it: look at that first,
// since a cancelled request fails in every way there is.
type Failure struct {
	Verb Verb
	Err  error // an *[Error], a [Kinded] error such as *[End], or a transport error

	Worked      bool // this verb has succeeded before on this target
	Contact     bool // some request to this server has succeeded before
	UserVersion bool // the resourceVersion was given by the user and has never worked

	Stream *Stream // of a watch whose 200 came; nil before that and for a LIST
}

// Stream is the life of one watch, from its request to its end.
type Stream struct {
	Age     time.Duration // since the request was sent
	Headers time.Duration // how much of Age went by before the headers came
	Timeout time.Duration // the timeoutSeconds asked for; 0 if none

	Events    int // delivered, bookmarks not counted
	Bookmarks int

	// EmptyInARow is how many streams in a row, this one included, ended
	// clean, before their time, and with nothing on them.
	EmptyInARow int
}

// quiet reports whether nothing at all came.
func (s *Stream) quiet() bool { return s.Events == 0 && s.Bookmarks == 0 }

// lived is how long the stream was open.
func (s *Stream) lived() time.Duration { return s.Age - s.Headers }

// fullLength reports whether the stream ended when it was asked to: within a
// second of timeoutSeconds, counted from the request as servers do. Of very
// short timeouts half must have passed, so that a server which closes a
// one-second watch at once is not mistaken for a punctual one.
func (s *Stream) fullLength() bool {
	if s.Timeout <= 0 {
		return false
	}
	early := min(time.Second, s.Timeout/2)
	return s.Age >= s.Timeout-early && s.lived()-time.Second <= s.Timeout
}

// EndKind names a failure that is neither an answer nor a plain transport
// error.
type EndKind string

const (
	EndClean       EndKind = "clean end"          // the body ended as HTTP ends one, between two events
	EndTorn        EndKind = "torn"               // the body was cut, or ended inside an event
	EndIdle        EndKind = "idle"               // no byte for the idle limit: closed by us
	EndNoHeaders   EndKind = "no headers"         // no headers in time: given up by us
	EndFrameSize   EndKind = "frame size"         // an event or list item is over the size limit
	EndBadFrame    EndKind = "bad frame"          // an event or list that cannot be decoded
	EndListBody    EndKind = "list body"          // 200 with a List, or other JSON, in place of events
	EndHTML        EndKind = "HTML page"          // 200 with a page in place of a list or events
	EndUnknownType EndKind = "unknown event type" // an event of a type that is not known
	EndCredentials EndKind = "credentials"        // credentials could not be had: an exec plugin failed
)

// Kinded is an error that knows its [EndKind]. Packages that must not import this
// one implement it with a method of this name; FailureKind returns the text of
// an EndKind. Texts that are not known fall to the last row of the table.
type Kinded interface {
	error
	FailureKind() string
}

// End is a ready-made [Kinded] error: it gives Err a kind.
type End struct {
	Kind EndKind
	Err  error // nil, or more about it
}

// Error implements error.
func (e *End) Error() string {
	if e.Err == nil {
		return "status: " + string(e.Kind)
	}
	return "status: " + string(e.Kind) + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *End) Unwrap() error { return e.Err }

// FailureKind implements [Kinded].
func (e *End) FailureKind() string { return string(e.Kind) }

// KindOf returns the kind of err, "" if it has none. A bare io.EOF counts as a
// clean end and io.ErrUnexpectedEOF as a torn one only on an open stream:
// before the headers net/http returns the same two for a connection that was
// closed without an answer.
func KindOf(err error, stream *Stream) EndKind {
	if kinded, ok := errors.AsType[Kinded](err); ok {
		return EndKind(kinded.FailureKind())
	}
	if stream == nil {
		return ""
	}
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return EndClean
	case errors.Is(err, io.ErrUnexpectedEOF):
		return EndTorn
	}
	return ""
}
