package stream

import (
	"errors"
	"net/http"
	"time"

	"example.com/rawwatch/status"
)

// begin sends a request and waits for its headers. A failure is in the
// outcome; the error ends the range. The connection is never nil.
func (l *loop) begin(r *request, o *outcome) (*connection, error) {
	c, err := l.send(r)
	if l.refusesView(err) {
		// Accept has offered the plain object too, which is what a server
		// that knows no views should send; some refuse the whole header.
		// The keeper's settings stay as they are: whose the checkpoint is has
		// not changed.
		plain := *l.settings
		plain.view = Object
		l.settings = &plain
		r.header.Set("Accept", plainAccept)
		c.close()
		c, err = l.send(r)
	}
	o.verb, o.answered, o.timeout = r.verb, err == nil, r.timeout
	if err != nil {
		return c, l.complete(c, o, err)
	}
	return c, nil
}

// refusesView reports whether a server would not send the view it was asked
// for. From then on, in this range, it is asked for the plain object.
func (l *loop) refusesView(err error) bool {
	answer, ok := errors.AsType[*status.Error](err)
	return ok && answer.HTTPStatus == http.StatusNotAcceptable && l.view != Object && l.ctx.Err() == nil
}

// send sends one request, and counts and shows it.
func (l *loop) send(r *request) (*connection, error) {
	s := l.session
	s.mu.Lock()
	s.phase = s.machine.state.phase()
	s.counters.Requests++
	if r.verb == Watch {
		if s.watches++; s.watches > 1 {
			s.counters.Reconnects++
		}
	}
	s.mu.Unlock()
	if l.trace.Request != nil {
		l.trace.Request(Request{Verb: r.verb, URL: r.url.String(), ResourceVersion: r.version, Page: r.page})
	}

	c, err := l.open(l.ctx, r, &s.lastByte)
	s.attempted = c.sent
	if l.trace.Response != nil {
		l.trace.Response(c.describe(r.verb, err))
	}
	return c, err
}

// end closes a request that was answered, and completes its outcome.
func (l *loop) end(c *connection, o *outcome, err error) error {
	c.close()
	return l.complete(c, o, err)
}

func (l *loop) complete(c *connection, o *outcome, err error) error {
	o.err, o.now = err, time.Now()
	o.age = o.now.Sub(c.sent)
	o.waited = c.opened.Sub(c.sent)
	o.bytes = c.bytes()
	l.session.add(&l.session.counters.Bytes, o.bytes)
	return l.done()
}
