package stream

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// watch reads one WATCH from the resume point to its end. The returned error
// ends the range; how the stream ended is in the outcome.
func (l *loop) watch(o *outcome) error {
	s := l.session
	if s.position.version == "" && !s.position.unordered {
		// Not reachable; but a watch without a version would replay what
		// exists as news, so it is never sent as a fallback.
		return errors.New("stream: no resume point to watch from")
	}
	return l.read(l.watchRequest(s.position.version, randomTimeout(l.rand, l.watchTimeout)), false, o)
}

// streamList reads a WATCH that begins with what exists. Up to the end marker
// it is a list, and swept like one; then the same stream goes on as a watch.
func (l *loop) streamList(o *outcome) error {
	l.beginRun()
	return l.read(l.streamRequest(randomTimeout(l.rand, l.watchTimeout)), true, o)
}

// reading is one stream while it is read.
type reading struct {
	*connection
	*outcome
	reader *decode.Reader
	// initial: what exists is being sent, and its end has not come.
	initial bool
	left    bool // an initial object was left out as known
}

// errNoObject: an event of an object, and none in it.
var errNoObject = errors.New("stream: event without an object")

// errNoEnd: a server that does not know sendInitialEvents ignores it. It sends
// what exists and goes on with changes, and nothing says where one ends.
var errNoEnd = errors.New("stream: the server sends no end of what exists")

func (l *loop) read(req *request, initial bool, o *outcome) error {
	s := l.session
	s.moved = false
	c, err := l.begin(req, o)
	defer c.close()
	o.exact, o.unordered = s.position.exact, s.position.unordered
	if o.err != nil || err != nil {
		return err
	}
	r := &reading{connection: c, outcome: o, initial: initial}

	r.reader = decode.NewReader(c.body, l.maxFrame)
	for {
		ev, err := r.reader.Next()
		if l.trace.Line != nil && (err == nil || is[*decode.SyntaxError](err) || is[*decode.ShapeError](err)) {
			l.trace.Line(r.reader.Frame())
		}
		if err != nil {
			return l.finish(r, c.failure(err))
		}
		over, err := l.event(r, &ev)
		if err != nil {
			return err
		}
		if over != nil {
			return l.finish(r, over)
		}
	}
}

// finish completes the outcome of a stream that ended with err.
func (l *loop) finish(r *reading, err error) error {
	s := l.session
	if errors.Is(err, errWentBack) {
		err = nil
	}
	r.moved, r.unordered = s.moved, s.position.unordered
	switch {
	case isIdle(err):
		s.silences++
	case r.events+r.bookmarks > 0:
		s.silences = 0
	}
	done := l.end(r.connection, r.outcome, err)
	if isIdle(err) {
		// Over HTTP/2 the next request would be put on the same connection,
		// which may be as dead as the stream on it.
		l.client.CloseIdleConnections()
	}
	return done
}

// event handles one event. over is how the stream ends with it, if it does;
// the other error ends the range.
func (l *loop) event(r *reading, ev *decode.Event) (over, err error) {
	s := l.session
	kind := eventType(ev.Type)
	switch kind {
	case Added, Modified, Deleted:
		r.events++
		if len(ev.Object) == 0 || ev.Object[0] != '{' {
			return &status.End{Kind: status.EndBadFrame, Err: errNoObject}, nil
		}
		if l.policy.OnMissingVersion == StopMissingVersion && len(ev.ResourceVersion) == 0 {
			r.fatal = true
			return &MissingVersionError{kind, string(ev.Namespace), string(ev.Name)}, nil
		}
		if !r.initial {
			return nil, l.change(kind, ev)
		}
		if kind != Added {
			return errNoEnd, nil
		}
		left, err := l.item(&decode.Item{Object: ev.Object, Meta: ev.Meta}, false)
		r.left = r.left || left
		return nil, err
	case Bookmark:
		r.bookmarks++
		s.add(&s.counters.Bookmarks, 1)
		l.listen(r)
		if r.initial {
			return l.initialEnd(r, ev)
		}
		return nil, l.bookmark(ev)
	case typeError:
		// A server has nothing to say after this, and whatever follows in the
		// same bytes is not delivered.
		return status.FromEvent(ev.Object, r.response.Request), nil
	}
	s.add(&s.counters.Unknown, 1)
	if l.policy.OnUnknownEvent == StopUnknownEvent {
		r.fatal = true
		return &UnknownEventError{string(ev.Type)}, nil
	}
	if l.trace.UnknownEvent != nil {
		l.trace.UnknownEvent(string(ev.Type), bytes.Clone(r.reader.Frame()))
	}
	return nil, nil
}

// errWentBack: the end marker is older than the last resume point.
var errWentBack = errors.New("stream: the server went back in time")

// initialEnd handles a bookmark while what exists is being sent: its end, or
// the proof that no end will come, since no bookmark comes before it.
func (l *loop) initialEnd(r *reading, ev *decode.Event) (over, err error) {
	version := string(ev.ResourceVersion)
	if !ev.InitialEventsEnd || !isVersion(version) {
		return errNoEnd, nil
	}
	if r.left && isOlder(version, l.session.position.last) {
		return errWentBack, nil
	}
	if err := l.synced(version); err != nil {
		return nil, err
	}
	r.initial = false // from here on it is a watch, and its end is judged as that of one
	l.listen(r)
	return nil, nil
}

// bookmark moves the resume point. A bookmark means that all events up to its
// version have been sent; its object is a skeleton and no change.
func (l *loop) bookmark(ev *decode.Event) error {
	s := l.session
	version := string(ev.ResourceVersion)
	switch {
	case !isVersion(version):
		return l.done()
	case s.position.unordered && ev.InitialEventsEnd:
		// A server that has the feature marks the end of what existed also
		// for a watch that began without a version.
		return l.deliver(Event{Type: Synced, ResourceVersion: version}, pending{version: version, marker: Synced})
	case l.bookmarks:
		return l.deliver(l.own(Bookmark, &ev.Meta, ev.Object), pending{version: version})
	}
	s.commit(pending{version: version})
	return l.done()
}

// listen adapts the limit of silence, once a stream has shown that it sends
// bookmarks. A server may stop sending them (its cache has no news of etcd), so
// a stream that went silent doubles the patience with the next.
func (l *loop) listen(r *reading) {
	if l.idleTimeout == 0 && !r.initial {
		r.dog.limit = min(bookmarkIdleTimeout<<min(l.session.silences, 8), r.timeout+watchIdleGrace)
	}
}

// isIdle reports whether err is the end of a stream that went silent.
func isIdle(err error) bool {
	end, ok := errors.AsType[*status.End](err)
	return ok && end.Kind == status.EndIdle
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
