package stream

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/status"
)

// Watch ranges over the events. See the package documentation for the
// contract of the loop. A second range over the same Watcher goes on where the
// first stopped; two at once are refused with [ErrInUse].
//
// The error of the last pair is *[Error] when the watch cannot go on, with the
// server's answer inside; *[ConfigError] when it could not begin;
// context.Cause(ctx) once ctx is done.
func (w *Watcher) Watch(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		settings, err := w.resolve()
		if err == nil {
			err = w.session.enter(&settings)
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		defer w.session.leave()
		l := loop{settings: settings, source: w, session: &w.session, ctx: ctx, yield: yield}
		if err := l.run(); err != errBreak {
			yield(Event{}, err)
		}
	}
}

// loop is one range over a Watcher.
type loop struct {
	settings
	source   *Watcher
	session  *session
	ctx      context.Context
	yield    func(Event, error) bool
	resetDue bool // a Reset goes before the next object of the list
}

// run makes request after request until something ends the range, and returns
// what: errBreak, the cause of ctx, or a verdict to stop.
func (l *loop) run() error {
	s := l.session
	for {
		if err := l.lost(); err != nil {
			return err
		}
		if err := l.pace(); err != nil {
			return err
		}
		var o outcome
		var err error
		switch at := s.machine.state.(type) {
		case listing:
			o, err = l.list(at)
		case locating:
			o, err = l.locate()
		case probing:
			o, err = l.probe()
		case streaming:
			o, err = l.streamList()
		case watching:
			o, err = l.watch()
		}
		if err != nil {
			return err
		}
		m, st := next(s.machine, o)
		s.machine = m
		l.report(o, st)
		if st.stop != nil {
			return l.stop(o, st)
		}
		if st.gap != nil {
			s.lose(st.gap)
		}
		if o.err != nil && st.verdict.Row != "" {
			if err := l.wait(st.verdict); err != nil {
				return err
			}
		}
	}
}

// done is the cause of ctx once it is done. Every path looks here before it
// looks at any other error, and before it yields.
func (l *loop) done() error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	return nil
}

// lost delivers the Gap that is due. It comes before the list that follows.
func (l *loop) lost() error {
	g := l.session.gap
	if g == nil {
		return l.done()
	}
	return l.deliver(Event{
		Type:            Gap,
		ResourceVersion: g.after,
		Cause:           g.cause,
		Partial:         l.tracked && !l.session.index.complete,
	}, pending{marker: Gap})
}

// pace holds the next request back until the rules that bind every request
// allow it: the policy's least delay, and a bucket of attempts, so that
// nothing can hammer a server that accepts and closes. The pages of one list
// follow each other freely.
func (l *loop) pace() error {
	s := l.session
	if at, ok := s.machine.state.(listing); ok && at.token != "" && s.machine.failed == "" {
		return nil
	}
	now := time.Now()
	wait := s.bucket.Take(now)
	if !s.attempted.IsZero() {
		wait = max(wait, l.policy.MinDelay-now.Sub(s.attempted))
	}
	return l.sleep(wait, "")
}

// wait is the pause that a verdict asks for.
func (l *loop) wait(v status.Verdict) error {
	s := l.session
	var d time.Duration
	switch v.Delay {
	case status.DelaySoon:
		d = backoff.Spread(l.rand, soon)
	case status.DelaySpread:
		d = backoff.Spread(l.rand, spread)
	case status.DelayBackoff:
		d = s.backoff.Next(v.AtLeast)
	}
	return l.sleep(d, v.Row)
}

const (
	soon   = 100 * time.Millisecond
	spread = time.Second
)

func (l *loop) sleep(d time.Duration, row string) error {
	if d <= 0 {
		return l.done()
	}
	s := l.session
	s.mu.Lock()
	s.phase = PhaseWaiting
	s.mu.Unlock()
	if l.trace.Waiting != nil {
		w := Waiting{For: d, Row: row, Attempt: s.machine.failures, Next: Watch}
		if s.machine.state.phase() == PhaseListing {
			w.Next = List
		}
		l.trace.Waiting(w)
	}
	return backoff.Sleep(l.ctx, d)
}

// report tells Trace and State how a request ended.
func (l *loop) report(o outcome, st step) {
	s := l.session
	if s.machine.failures == 0 {
		s.backoff.Reset()
	}
	s.mu.Lock()
	s.failures = s.machine.failures
	if o.err != nil {
		s.lastErr = o.err
	}
	s.mu.Unlock()
	if l.trace.Ended == nil {
		return
	}
	ended := Ended{Verb: o.verb, Err: o.err, Age: o.age, Events: o.events + o.bookmarks, Bytes: o.bytes}
	if o.err != nil {
		ended.Row, ended.Action = st.verdict.Row, st.verdict.Action.String()
	}
	l.trace.Ended(ended)
}

// stop is the last error of a watch. An expiry is final, since the resume
// point is gone; after any other stop a new range may try again.
func (l *loop) stop(o outcome, st step) error {
	err := &Error{Verb: o.verb, Target: l.target, Server: l.server.Host, Row: st.verdict.Row, Err: st.stop}
	if errors.Is(err, status.ErrExpired) {
		l.session.final = err
	}
	return err
}

// enter begins a range, the first or a later one.
func (s *session) enter(cfg *settings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running {
		return ErrInUse
	}
	if s.final != nil {
		return s.final
	}
	if !s.started {
		s.begin(cfg)
	}
	if err := s.openCheckpoint(cfg); err != nil {
		return err
	}
	s.running, s.started = true, true
	return nil
}

// begin sets up the first range.
func (s *session) begin(cfg *settings) {
	s.machine.policy = cfg.policy
	s.machine.atCap = cmp.Or(max(cfg.backoff.Max, 0), backoff.DefaultMax)
	s.backoff = backoff.Backoff{Policy: cfg.backoff, Rand: cfg.rand}
	s.machine.state = watching{}
	switch cfg.start {
	case StartList:
		s.machine.state = listing{}
	case StartStream:
		s.machine.stream, s.machine.state = true, streaming{}
	case StartNow:
		s.machine.state = locating{}
	case StartExact:
		s.position = position{version: cfg.version, last: cfg.version, exact: true}
	case StartMostRecent:
		s.position = position{unordered: true}
	case StartAny:
		s.position = position{version: "0", unordered: true}
	}
	s.dirty = cfg.start != StartList && cfg.start != StartStream
}

func (s *session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closeCheckpoint()
	s.running, s.hand = false, pending{}
}
