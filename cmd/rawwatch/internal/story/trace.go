package story

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/human"
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
			s.Detail(2, "left out %s of %s at resourceVersion %s, which was delivered before", ev.Type, human.Name(ev.Namespace, ev.Name), ev.ResourceVersion)
		},
	}
}

// Event tells what a marker means. objects is how many there are; negative if
// nobody knows.
func (s *Story) Event(ev stream.Event, objects int) {
	switch ev.Type {
	case stream.Synced:
		s.ordinary("synced", s.synced(ev.ResourceVersion, objects))
	case stream.Gap:
		// The cause comes first, and this is the consequence. A Gap comes after
		// the wait, so an end that is still kept back was followed by none.
		s.flush(0)
		text := "relisting: the history after resourceVersion " + ev.ResourceVersion + " is lost"
		if ev.ResourceVersion == "" {
			text = "relisting: the stream ended before it showed a resourceVersion to go on from"
		}
		if ev.Partial {
			text += "; deletes of objects not shown so far stay unknown"
		}
		s.ordinary("gap", text)
	case stream.Reset:
		s.ordinary("reset", "reset: nothing is remembered of what was there before; everything comes again")
	}
}

// synced says what a Synced means. In a stream of what exists everything was
// shown, even where lists are not.
func (s *Story) synced(version string, objects int) string {
	count := ""
	if objects >= 0 {
		count = human.Count(objects, "object")
	}
	if version == "" {
		return "listed " + cmp.Or(count, "what exists") + "; the list has no resourceVersion"
	}
	if s.traits.ListsHidden && s.request.Verb == stream.List {
		if count == "" {
			count = "all objects"
		}
		return "listed " + count + " at resourceVersion " + version + ", not shown in raw: what changed in between is in none of these lines"
	}
	if count != "" {
		count = ": " + count
		if objects == 0 && s.traits.Named {
			count += " (no such object yet)"
		}
	}
	return "synced at resourceVersion " + version + count
}

// Left tells that the loop was left, why, and which flag goes on from here
// later; "" if none does.
func (s *Story) Left(why string, events int, flag string) {
	text := why + ", after " + human.Count(events, "event")
	if flag != "" {
		text += "; " + flag + " goes on from here"
	}
	s.Say("%s", text)
}

// FellBehind tells that an event took so long to be shown, by a reader of
// standard output that does not read or by a query that does not end.
func (s *Story) FellBehind(d time.Duration) {
	s.Repeat("behind", "falling behind: it took %s to print an event", human.Short(d))
}

func (s *Story) onRequest(r stream.Request) {
	s.flush(0)
	s.request, s.open = r, false
}

func (s *Story) onResponse(r stream.Response) {
	if r.StatusCode == 0 {
		s.Detail(1, "GET %s: no answer after %s", s.request.URL, human.Short(r.Took))
		return
	}
	s.Detail(1, "GET %s: %d %s, %s, after %s", s.request.URL, r.StatusCode, http.StatusText(r.StatusCode), r.Proto, human.Short(r.Took))
	if r.StatusCode/100 != 2 {
		return // told when it has ended, with the server's words
	}
	s.open = true
	if !s.connected {
		s.connected = true
		name := s.name
		if !s.w.json {
			name = "" // what it watches is in the words
		}
		s.write(name, fmt.Sprintf("connected to %s: watching %s", s.server, s.what))
		s.Over() // said in other words
	}
	s.works()
}

// ended is the end of a request, until it is known how long the wait is.
type ended struct {
	stream.Ended
	open bool
	at   time.Time
}

// onEnded keeps the end back: the wait that follows is in the same line.
func (s *Story) onEnded(e stream.Ended) {
	if e.Err == nil || e.Action == status.Stop.String() {
		return // a page was read; or the error line is about to tell
	}
	// A stream that was open and ended is one thing, a request that got no
	// further than an error another. People ask "since when" of the first, and
	// "why not" of the second.
	s.ended = &ended{Ended: e, open: s.open, at: time.Now()}
}

// onWaiting: a pause without a row only spaces requests out.
func (s *Story) onWaiting(w stream.Waiting) {
	if w.Row == "" {
		s.Detail(1, "waiting %s, for the requests come too fast", human.Short(w.For))
		return
	}
	s.flush(w.For)
}

// flush tells how the last request ended.
func (s *Story) flush(wait time.Duration) {
	e := s.ended
	if e == nil {
		return
	}
	s.ended = nil
	if !e.open {
		s.Failing("cannot "+string(e.Verb), cause.Of(e.Err), e.Row, wait)
		return
	}
	// Behind load balancers watches are cut all the time, so that the server
	// ended one is no more remarkable than that its time was up.
	why := because(e.Ended)
	l := line{
		key:      string(e.Verb) + " closed " + e.Row,
		text:     "closed after " + human.Short(e.Age) + " because " + why,
		ordinary: isNormal(e.Row) || why == becauseEnded,
		wait:     wait,
		row:      e.Row,
	}
	if l.ordinary {
		l.key += " well"
	}
	told := s.tell(l)
	if isNormal(e.Row) {
		return
	}
	if s.trouble.since.IsZero() {
		s.trouble.since = e.at
	}
	s.trouble.told = s.trouble.told || told
}

const becauseEnded = "the server ended it"

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
		return becauseEnded
	case e.Row == status.RowBrokenStream:
		return "the connection broke: " + cause.Of(e.Err)
	}
	if _, ok := errors.AsType[*status.Error](e.Err); ok {
		return "of " + cause.Of(e.Err)
	}
	return "it cannot be read: " + cause.Of(e.Err)
}
