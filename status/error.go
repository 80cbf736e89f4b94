package status

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// What a caller may branch on. An [Error] matches the one for its answer. The
// last three come with a [Verdict] to stop, since no single answer says them:
// whoever reports the stop joins them to it.
var (
	ErrExpired          = errors.New("status: the resourceVersion is too old, history is lost")
	ErrUnauthorized     = errors.New("status: unauthorized")
	ErrForbidden        = errors.New("status: forbidden")
	ErrNotFound         = errors.New("status: not found")
	ErrMethodNotAllowed = errors.New("status: method not allowed")
	ErrTooManyRequests  = errors.New("status: too many requests")
	ErrUnavailable      = errors.New("status: server unavailable") // 408 and every 5xx
	ErrRedirect         = errors.New("status: redirected")

	ErrInvalidResourceVersion = errors.New("status: the server cannot read this resourceVersion")
	ErrResourceGone           = errors.New("status: the resource type is gone from the server")
	ErrNotStream              = errors.New("status: the answer to a watch is not an event stream")
)

// Body is the shape of what was read, judged by its bytes.
type Body int

const (
	BodyEmpty  Body = iota // nothing but white space
	BodyNull               // null
	BodyStatus             // a Status, with or without its kind
	BodyJSON               // other JSON
	BodyHTML               // a page: the first byte is '<'
	BodyText               // anything else
)

// String returns the shape in words.
func (b Body) String() string {
	switch b {
	case BodyEmpty:
		return "empty body"
	case BodyNull:
		return "null"
	case BodyStatus:
		return "Status"
	case BodyJSON:
		return "JSON that is not a Status"
	case BodyHTML:
		return "HTML page"
	case BodyText:
		return "text"
	}
	return "Body(" + strconv.Itoa(int(b)) + ")"
}

// Error is an answer that is a failure: a response, or an ERROR event.
//
// Of a body that is not a Status only Message is set, and only by plain text
// or by a "message" or "error" member of an object. Credentials of the
// request that the server echoed are cut out of it.
type Error struct {
	Status

	HTTPStatus int  // of the response; 200 for an ERROR event
	Event      bool // it came as an ERROR event
	Body       Body // the shape of what was read
	Size       int  // bytes of body read, or of the event's object
	Cut        bool // the body was longer than what is read of one, or slower

	// RetryAfter is how long the server asks to be left alone: the larger of
	// the Retry-After header and details.retryAfterSeconds, at most 5 min;
	// 0 if it said nothing usable.
	RetryAfter time.Duration

	// Location is the host a 3xx points at. The rest of the target may carry
	// anything, one-time credentials included, and is not kept.
	Location string
}

// EffectiveCode is the code an answer goes by: the status of a response, the
// code of an ERROR event, or the code that belongs to its reason if it has
// none. 0 means that an event named neither.
func (e *Error) EffectiveCode() int {
	switch {
	case !e.Event:
		return e.HTTPStatus
	case e.Code != 0:
		return e.Code
	}
	return CodeOf(e.Reason)
}

// Error says what the server said, in one line of at most 512 bytes without
// control characters.
func (e *Error) Error() string {
	head := "status: "
	if e.Event {
		head += "ERROR event: "
	}
	code := e.EffectiveCode()
	name := line(e.Reason, 64)
	if name == "" {
		name = http.StatusText(code)
	}
	if code != 0 {
		head += strconv.Itoa(code)
		if name != "" {
			head += " "
		}
	}
	head += name
	if code == 0 && name == "" {
		head += "no code and no reason"
	}
	if !e.Event && e.Code != 0 && e.Code != e.HTTPStatus {
		head += fmt.Sprintf(" (code %d inside)", e.Code)
	}
	if text := e.text(); text != "" && text != name {
		head += ": " + text
	}
	return head
}

// text is the part of Error after the code: the server's words, or the shape
// of what it sent when there are none to show.
func (e *Error) text() string {
	switch {
	case e.Location != "":
		return "redirect to " + line(e.Location, 128) + " not followed"
	case e.Body == BodyHTML:
		return fmt.Sprintf("HTML page, %d bytes", e.Size)
	case e.Message != "":
		return line(e.Message, 256)
	case e.Body == BodyJSON:
		return fmt.Sprintf("%v, %d bytes", e.Body, e.Size)
	case e.Body == BodyNull:
		return "null"
	}
	return ""
}

// Is reports whether target is the sentinel for this answer. ErrExpired is
// matched by any field that says so; the others by [Error.EffectiveCode].
func (e *Error) Is(target error) bool {
	code := e.EffectiveCode()
	switch target {
	case ErrExpired:
		return e.expired()
	case ErrUnauthorized:
		return code == http.StatusUnauthorized
	case ErrForbidden:
		return code == http.StatusForbidden
	case ErrNotFound:
		return code == http.StatusNotFound
	case ErrMethodNotAllowed:
		return code == http.StatusMethodNotAllowed
	case ErrTooManyRequests:
		return e.tooMany()
	case ErrUnavailable:
		return code == http.StatusRequestTimeout || code/100 == 5
	case ErrRedirect:
		return e.redirect()
	}
	return false
}
