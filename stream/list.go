package stream

import (
	"io"
	"time"

	"example.com/rawwatch/decode"
)

// list reads one page and delivers what is new in it. The returned error ends
// the range (the caller left, or ctx is done); how the request went is in the
// outcome.
func (l *loop) list(at listing) (outcome, error) {
	s := l.session
	if at.token == "" {
		l.beginRun()
	}
	c, o, err := l.begin(l.listRequest(l.limit(at), at.token, l.notOlder(at), at.page))
	defer c.close()
	if o.err != nil || err != nil {
		return o, err
	}

	reader := decode.NewListReader(c.body, l.maxFrame)
	skip, left := s.skip, false
	for n := 0; ; n++ {
		item, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return l.end(c, o, c.failure(err))
		}
		o.events++
		if !l.tracked && n < skip {
			continue
		}
		full := at.full || isOlder(reader.Header().ResourceVersion, s.position.last)
		known, err := l.item(&item, full)
		if err != nil {
			return o, err
		}
		left = left || known && !full
	}
	s.skip = 0

	// Only here does the page count: a server can append a Status to a body
	// it could not finish, so a list that stops early says nothing about what
	// is not in it.
	o.header = reader.Header()
	if at.version == "" {
		at.version = o.header.ResourceVersion
	}
	o.header.ResourceVersion = at.version
	o.wentBack = left && isOlder(at.version, s.position.last)
	if o.header.Continue == "" && !o.wentBack {
		if err := l.synced(at.version); err != nil {
			return o, err
		}
	}
	return l.end(c, o, nil)
}

// beginRun prepares for page one, read for the first time or again. A page
// that is asked for again without a token is another snapshot, so neither the
// marks nor the count of the last attempt say anything about it:
//
//  1. page one is cut after a, b and c were marked;
//  2. b is deleted; page one is read again, as a and c;
//  3. if the marks of 1 still counted, b would never be reported.
func (l *loop) beginRun() {
	l.session.index.begin()
	l.session.skip = 0
	l.resetDue = !l.tracked && l.session.dirty
}

// limit is the limit of a page; 0 asks for all in one.
func (l *loop) limit(at listing) int {
	if at.lost >= maxLost {
		return 0
	}
	return l.pageSize
}

// notOlder is the version a list may not be older than; "" is the server's
// latest. A cache is asked for "0", any state, only at the very first start:
// later that could be older than what the caller has seen.
func (l *loop) notOlder(at listing) string {
	switch last := l.session.position.last; {
	case !l.cachedList || at.full:
		return ""
	case last == "" && !l.session.dirty:
		return "0"
	default:
		return last
	}
}

// locate asks for the collection's resourceVersion and delivers nothing.
func (l *loop) locate() (outcome, error) {
	o, err := l.head()
	if err == nil && o.err == nil && isVersion(o.header.ResourceVersion) {
		l.session.commit(pending{version: o.header.ResourceVersion})
	}
	return o, err
}

// probe compares the collection's resourceVersion with the resume point.
func (l *loop) probe() (outcome, error) {
	o, err := l.head()
	o.had = l.session.position.version
	o.wentBack = o.err == nil && isOlder(o.header.ResourceVersion, o.had)
	return o, err
}

// head reads the cheapest list there is, for its header.
func (l *loop) head() (outcome, error) {
	c, o, err := l.begin(l.listRequest(1, "", "", 0))
	defer c.close()
	if o.err != nil || err != nil {
		return o, err
	}
	reader := decode.NewListReader(c.body, l.maxFrame)
	for {
		if _, err := reader.Next(); err == io.EOF {
			break
		} else if err != nil {
			return l.end(c, o, c.failure(err))
		}
	}
	o.header = reader.Header()
	return l.end(c, o, nil)
}

// begin sends a request and waits for its headers. A failure is in the
// outcome; the error ends the range. The connection is never nil.
func (l *loop) begin(r request) (*connection, outcome, error) {
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
	o := outcome{verb: r.verb, answered: err == nil, timeout: r.timeout}
	if err != nil {
		return c, l.outcome(c, o, err), l.done()
	}
	return c, o, nil
}

// end closes a request that was answered, and completes its outcome.
func (l *loop) end(c *connection, o outcome, err error) (outcome, error) {
	c.close()
	return l.outcome(c, o, err), l.done()
}

func (l *loop) outcome(c *connection, o outcome, err error) outcome {
	o.err, o.now = err, time.Now()
	o.age = o.now.Sub(c.sent)
	o.waited = c.opened.Sub(c.sent)
	o.bytes = c.bytes()
	l.session.add(&l.session.counters.Bytes, o.bytes)
	return o
}
