package story

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// Trace returns the hooks that tell the story of a watch.
func (s *Story) Trace() *stream.Trace {
	return &stream.Trace{
		Request:  s.onRequest,
		Response: s.onResponse,
		Ended:    s.onEnded,
		Waiting:  s.onWaiting,
		UnknownEvent: func(eventType string, _ []byte) {
			s.Repeat("unknown", "skipped an event of unknown type %q", eventType)
		},
		Duplicate: func(ev stream.Event) {
			s.Detail(2, "left out %s of %s at resourceVersion %s, which was delivered before", ev.Type, object(ev), ev.ResourceVersion)
		},
	}
}

func object(ev stream.Event) string {
	if ev.Namespace == "" {
		return ev.Name
	}
	return ev.Namespace + "/" + ev.Name
}

// Event tells what a marker means. objects is how many there are; negative if
// nobody knows.
func (s *Story) Event(ev stream.Event, objects int) {
	switch ev.Type {
	case stream.Synced:
		text := "synced at resourceVersion " + ev.ResourceVersion
		switch {
		case objects == 1:
			text += ": 1 object"
		case objects >= 0:
			text += fmt.Sprintf(": %d objects", objects)
		}
		s.Repeat("synced", "%s", text)
	case stream.Gap:
		// The cause was told when the request ended; this is the consequence.
		text := "relisting: the history after resourceVersion " + ev.ResourceVersion + " is lost"
		if ev.ResourceVersion == "" {
			text = "relisting: the stream ended before it showed a resourceVersion to go on from"
		}
		if ev.Partial {
			text += "; deletes of objects not shown so far stay unknown"
		}
		s.Repeat("gap", "%s", text)
	case stream.Reset:
		s.Repeat("reset", "reset: nothing is remembered of what was there before; everything comes again")
	}
}

// Left tells that the loop was left, why, and which flag goes on from here
// later; "" if none does.
func (s *Story) Left(why string, events int, flag string) {
	noun := "events"
	if events == 1 {
		noun = "event"
	}
	text := fmt.Sprintf("%s, after %d %s", why, events, noun)
	if flag != "" {
		text += "; " + flag + " goes on from here"
	}
	s.Say("%s", text)
}

// FellBehind tells that an event could not be written for so long.
func (s *Story) FellBehind(d time.Duration) {
	s.Repeat("behind", "falling behind: standard output took no data for %s", Short(d))
}

func (s *Story) onRequest(r stream.Request) {
	s.flush("")
	s.request, s.open = r, false
}

func (s *Story) onResponse(r stream.Response) {
	if r.StatusCode == 0 {
		s.Detail(1, "GET %s: no answer after %s", s.request.URL, Short(r.Took))
		return
	}
	s.Detail(1, "GET %s: %d %s, %s, after %s", s.request.URL, r.StatusCode, http.StatusText(r.StatusCode), r.Proto, Short(r.Took))
	if r.StatusCode/100 != 2 {
		return // told when it has ended, with the server's words
	}
	s.open = true
	switch {
	case !s.connected:
		s.connected = true
		s.write(fmt.Sprintf("connected to %s: watching %s", s.server, s.what)) // names itself
	case !s.downSince.IsZero():
		s.Say("connected again after %s", Short(time.Since(s.downSince)))
	}
	s.downSince = time.Time{}
}

// onEnded keeps the line back until it is known how long the wait is.
func (s *Story) onEnded(e stream.Ended) {
	if e.Err == nil || e.Action == status.Stop.String() {
		return // a page was read; or the error line is about to tell
	}
	// A stream that was open and ended is one thing, a request that got no
	// further than an error another. People ask "since when" of the first, and
	// "why not" of the second.
	text := "cannot " + string(e.Verb) + ": " + cause.Of(e.Err)
	if s.open {
		text = "closed after " + Short(e.Age) + " because " + because(e)
	}
	s.ended = &line{key: string(e.Verb) + " " + e.Row, text: text}
	s.endedAt = time.Now()
	if isNormal(e.Row) {
		s.endedAt = time.Time{}
	}
}

// onWaiting: a pause without a row only spaces requests out.
func (s *Story) onWaiting(w stream.Waiting) {
	if w.Row == "" {
		s.Detail(1, "waiting %s, for the requests come too fast", Short(w.For))
		return
	}
	s.flush("; waiting " + Short(w.For))
}

// flush tells how the last request ended. That the connection is back is worth
// a line only if its loss was, and after a normal end it never is.
func (s *Story) flush(more string) {
	if s.ended == nil {
		return
	}
	l := *s.ended
	s.ended = nil
	l.text += more
	if s.tell(l) && s.downSince.IsZero() {
		s.downSince = s.endedAt
	}
}

// isNormal: watches end like this every few minutes, and nothing is missed.
func isNormal(row string) bool { return row == status.RowTimeoutEnd || row == status.RowQuietEnd }

// because says why an open stream, or the body of a list, is over.
func because(e stream.Ended) string {
	switch {
	case isNormal(e.Row):
		return "its time was up"
	case e.Row == status.RowShortWatch:
		return "the server ended it with nothing in it"
	case e.Row == status.RowIdle:
		return "the server sent nothing for too long"
	case e.Row == status.RowBrokenStream && errors.Is(e.Err, io.EOF):
		return "the server ended it"
	case e.Row == status.RowBrokenStream:
		return "the connection broke: " + cause.Of(e.Err)
	}
	return "of " + cause.Of(e.Err)
}
