package stream

import (
	"math/rand/v2"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// watch reads one WATCH to its end. The returned error ends the range; how
// the stream ended is in the outcome.
func (l *loop) watch() (outcome, error) {
	s := l.session
	s.moved = false
	c, o, err := l.begin(l.watchRequest(s.position.version, randomTimeout(l.rand, l.watchTimeout)))
	defer c.close()
	o.exact, o.unordered = s.position.exact, s.position.unordered
	if o.err != nil || err != nil {
		return o, err
	}

	reader := decode.NewReader(c.body, l.maxFrame)
	finish := func(err error) (outcome, error) {
		o.moved, o.unordered = s.moved, s.position.unordered
		return l.end(c, o, err)
	}
	for {
		ev, err := reader.Next()
		if err != nil {
			return finish(c.failure(err))
		}
		switch kind := eventType(ev.Type); kind {
		case Added, Modified, Deleted:
			o.events++
			if l.policy.OnMissingVersion == StopMissingVersion && len(ev.ResourceVersion) == 0 {
				o.fatal = true
				return finish(&MissingVersionError{kind, string(ev.Namespace), string(ev.Name)})
			}
			if err := l.change(kind, &ev); err != nil {
				return o, err
			}
		case Bookmark:
			o.bookmarks++
			if err := l.bookmark(&ev); err != nil {
				return o, err
			}
		case typeError:
			// A server has nothing to say after this, and whatever follows
			// in the same bytes is not delivered.
			return finish(status.FromEvent(ev.Object))
		default:
			s.add(&s.counters.Unknown, 1)
			if l.policy.OnUnknownEvent == StopUnknownEvent {
				o.fatal = true
				return finish(&UnknownEventError{string(ev.Type)})
			}
			if l.trace.UnknownEvent != nil {
				l.trace.UnknownEvent(string(ev.Type), reader.Frame())
			}
		}
	}
}

// bookmark moves the resume point. A bookmark means that all events up to its
// version have been sent; its object is a skeleton and no change.
func (l *loop) bookmark(ev *decode.Event) error {
	s := l.session
	s.add(&s.counters.Bookmarks, 1)
	version := string(ev.ResourceVersion)
	if version == "" {
		return l.done()
	}
	if s.position.unordered && ev.InitialEventsEnd {
		// A server that has the feature marks the end of what existed also
		// for a watch that began without a version.
		return l.deliver(Event{Type: Synced, ResourceVersion: version}, pending{version: version, marker: Synced})
	}
	if l.bookmarks {
		return l.deliver(l.own(Bookmark, &ev.Meta, ev.Object), pending{version: version})
	}
	s.commit(pending{version: version})
	return l.done()
}

// randomTimeout is a whole number of seconds in [t, 2t): watches that began
// together must not end together.
func randomTimeout(r *rand.Rand, t time.Duration) time.Duration {
	return (t + time.Duration(r.Int64N(int64(t)))).Truncate(time.Second)
}

// eventType is the constant for what a server wrote, "" for what is none of
// them: made of constants, it costs no allocation.
func eventType(b []byte) EventType {
	switch EventType(b) {
	case Added:
		return Added
	case Modified:
		return Modified
	case Deleted:
		return Deleted
	case Bookmark:
		return Bookmark
	case typeError:
		return typeError
	}
	return ""
}
