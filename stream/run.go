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
		cfg, err := w.resolve()
		if err == nil {
			err = w.session.enter(cfg)
		}
		if err != nil {
			yield(Event{}, err)
			return
		}
		l := loop{settings: cfg, source: w, session: &w.session, ctx: ctx, yield: yield}
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
	*settings
	source  *Watcher
	session *session
	ctx     context.Context
	yield   func(Event, error) bool
}

// run makes request after request until something ends the range, and returns
// what: errBreak, the cause of ctx, or a verdict to stop.
//
// A watch spends nearly all its life in a Read below ask, with the frames of all
// that called it on its stack. Stacks come in powers of two, and the collector
// halves one only while less than a quarter is in use: with 5 KB of frames it
// stayed at 16 KB. So what comes before and after a request is called and not
// written here, where its variables would be held with it.
func (l *loop) run() error {
	for {
		if err := l.prepare(); err != nil {
			return err
		}
		at := l.session.machine.state // the end of a list moves it on
		var o outcome
		if err := l.ask(at, &o); err != nil {
			return err
		}
		if err := l.judge(at, &o); err != nil {
			return err
		}
	}
}

// prepare does what has to come before the next request.
func (l *loop) prepare() error {
	if err := l.lost(); err != nil {
		return err
	}
	return l.sleep(l.session.pace(time.Now(), l.policy.MinDelay), "")
}

// ask makes the request of a state.
func (l *loop) ask(at state, o *outcome) error {
	switch at := at.(type) {
	case listing:
		return l.list(at, o)
	case locating:
		return l.locate(o)
	case probing:
		return l.probe(o)
	case streaming:
		return l.streamList(o)
	default:
		return l.watch(o)
	}
}

// judge decides what an outcome leads to, and waits as long as that says.
func (l *loop) judge(at state, o *outcome) error {
	s := l.session
	var st step
	s.machine, st = next(s.machine, *o)
	if _, ok := at.(listing); ok && o.err == nil {
		s.skip = 0 // only now that the page has been left behind
	}
	l.report(o, &st)
	if st.stop != nil {
		return l.stop(o.verb, &st)
	}
	if st.gap != nil {
		s.lose(st.gap)
	}
	if o.err != nil && st.verdict.Row != "" {
		return l.sleep(s.pause(st.verdict, l.rand), st.verdict.Row)
	}
	return nil
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
