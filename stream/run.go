package stream

import (
	"context"
	"iter"
	"time"

	"example.com/rawwatch/backoff"
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
		l := loop{settings: settings, source: w, session: &w.session, ctx: ctx, yield: yield}
		err = func() error {
			// Before the last pair: the caller may end the process there.
			defer w.session.leave()
			return l.run()
		}()
		if err != errBreak {
			yield(Event{}, err)
		}
	}
}

// loop is one range over a Watcher.
type loop struct {
	settings
	source  *Watcher
	session *session
	ctx     context.Context
	yield   func(Event, error) bool
}

// run makes request after request until something ends the range, and returns
// what: errBreak, the cause of ctx, or a verdict to stop.
func (l *loop) run() error {
	s := l.session
	for {
		if err := l.lost(); err != nil {
			return err
		}
		if err := l.sleep(s.pace(time.Now(), l.policy.MinDelay), ""); err != nil {
			return err
		}
		var o outcome
		var err error
		at := s.machine.state
		switch at := at.(type) {
		case listing:
			err = l.list(at, &o)
		case locating:
			err = l.locate(&o)
		case probing:
			err = l.probe(&o)
		case streaming:
			err = l.streamList(&o)
		case watching:
			err = l.watch(&o)
		}
		if err != nil {
			return err
		}
		var st step
		s.machine, st = next(s.machine, o)
		if _, ok := at.(listing); ok && o.err == nil {
			s.skip = 0 // only now that the page has been left behind
		}
		l.report(&o, &st)
		if st.stop != nil {
			return l.stop(o.verb, &st)
		}
		if st.gap != nil {
			s.lose(st.gap)
		}
		if o.err != nil && st.verdict.Row != "" {
			if err := l.sleep(s.pause(st.verdict, l.rand), st.verdict.Row); err != nil {
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
	if l.policy.OnExpired == StopExpired {
		return l.stop(Watch, &step{gap: g.cause, stop: expired(g.cause)})
	}
	return l.deliver(Event{
		Type:            Gap,
		ResourceVersion: g.after,
		Cause:           g.cause,
		Partial:         l.tracked && !l.session.index.complete,
	}, pending{marker: Gap})
}

func (l *loop) sleep(d time.Duration, row string) error {
	if d <= 0 {
		return l.done()
	}
	s := l.session
	s.mu.Lock()
	s.phase, s.next = PhaseWaiting, time.Now().Add(d)
	s.mu.Unlock()
	if l.trace.Waiting != nil {
		l.trace.Waiting(Waiting{For: d, Row: row, Attempt: s.machine.failures, Next: s.machine.state.verb()})
	}
	return backoff.Sleep(l.ctx, d)
}

// report tells Trace and State how a request ended.
func (l *loop) report(o *outcome, st *step) {
	s := l.session
	s.mu.Lock()
	s.failures = s.machine.failures
	ended := Ended{Verb: o.verb, Err: o.err, Age: o.age, Events: o.events + o.bookmarks, Bytes: o.bytes}
	if o.err != nil {
		ended.Row, ended.Action = st.verdict.Row, st.verdict.Action.String()
		s.lastErr = o.err
		if s.endings == nil {
			s.endings = map[Ending]int64{}
		}
		s.endings[Ending{ended.Row, ended.Action}]++
	}
	s.mu.Unlock()
	if l.trace.Ended != nil {
		l.trace.Ended(ended)
	}
}

// stop is the last error of a watch. A loss of history is final, since there
// is nothing to go on from; after any other stop a new range may try again.
func (l *loop) stop(verb Verb, st *step) error {
	err := &Error{Verb: verb, Target: l.target, Server: l.server.Host, Row: st.verdict.Row, Err: st.stop}
	if st.gap != nil {
		l.session.final = err
	}
	return err
}
