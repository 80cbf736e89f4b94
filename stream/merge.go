package stream

import (
	"context"
	"errors"
	"iter"
	"sync"
)

// errMergeOver is the cause the sources of a merged watch are stopped with.
var errMergeOver = errors.New("stream: merged watch is over")

// Merge ranges over several watches as if they were one: several types, or
// several namespaces. Event.Source tells which one an event came from, markers
// included; each source comes to its own Synced.
//
// The contract of the loop is that of [Watcher.Watch]: the next call is the
// acknowledgement, for the source of the event in hand alone; call Ack on
// ev.Source. The order of events is that of each source; between sources it is
// that of arrival, and none is served twice while another waits.
//
// Sources may share one Checkpoint, and then one file holds them all: those it
// was written for, no more and no fewer, or it is refused. A Watcher that has
// shared one goes on with it in a range of its own, too.
//
// A source that ends ends them all, with its error. Each source has a
// goroutine of its own, which reads no further than the one event it offers;
// all have ended when the range has.
func Merge(ctx context.Context, sources ...*Watcher) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if len(sources) == 0 {
			yield(Event{}, &ConfigError{"Merge", "was given nothing to watch"})
			return
		}
		shared, err := openShared(sources)
		if err != nil {
			yield(Event{}, err)
			return
		}
		inner, cancel := context.WithCancelCause(ctx)
		offers, left := make(chan offer), make(chan struct{})
		var running sync.WaitGroup
		for _, w := range sources {
			running.Go(func() { w.offer(inner, offers, left) })
		}
		err = func() error {
			// Deferred, so that a caller who panics leaves nothing running.
			defer closeShared(shared)
			defer running.Wait()
			defer cancel(errMergeOver)
			defer close(left)
			return takeOffers(ctx, offers, yield)
		}()
		if err != errBreak {
			yield(Event{}, err)
		}
	}
}

// openShared opens the checkpoints that are shared. They stay open until all
// sources have ended: a source that ends while another has yet to begin would
// give up the lock in between.
func openShared(sources []*Watcher) ([]*keeper, error) {
	shared, err := shareKeeper(sources)
	for i, k := range shared {
		k.disk.Lock()
		err = k.open()
		k.disk.Unlock()
		if err != nil {
			closeShared(shared[:i])
			return nil, err
		}
	}
	return shared, err
}

func closeShared(shared []*keeper) {
	for _, k := range shared {
		k.disk.Lock()
		k.close()
		k.disk.Unlock()
	}
}

// offer is one pair of a source. The source waits until it is answered, with
// whether to go on.
type offer struct {
	ev     Event
	err    error
	answer chan<- bool
}

// offer hands the events of one source to the merged loop, one by one.
//
// Not a channel with room in it: an event that sits there when the caller
// leaves would count as delivered. And while it is offered it is in nobody's
// hand, so an Ack of this source does not mean it.
func (w *Watcher) offer(ctx context.Context, offers chan<- offer, left <-chan struct{}) {
	s := &w.session
	answer := make(chan bool, 1)
	s.offered(true)
	defer s.offered(false)
	for ev, err := range w.Watch(ctx) {
		select {
		case offers <- offer{ev, err, answer}:
		case <-left:
			return
		}
		// Not ctx: an event that was acknowledged in the moment of a cancel
		// would come again. And the answer before left, for the same reason:
		//
		//	1. the caller comes back for the next event: the answer is there;
		//	2. ctx is done, the range is over, left is closed;
		//	3. only now this goroutine wakes, and both are ready.
		goOn := false
		select {
		case goOn = <-answer:
		case <-left:
			select {
			case goOn = <-answer:
			default:
			}
		}
		if !goOn {
			return
		}
		s.offered(true)
	}
}

// offered says whether the event in hand is still on its way to the caller.
func (s *session) offered(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hand.offered = yes
}

// takeOffers passes offers on until one is an error or the caller leaves. The
// senders of a channel wait in line, so none is overtaken for ever.
func takeOffers(ctx context.Context, offers <-chan offer, yield func(Event, error) bool) error {
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case o := <-offers:
			switch {
			case ctx.Err() != nil:
				o.answer <- false
				return context.Cause(ctx)
			case o.err != nil:
				o.answer <- false
				return o.err
			}
			if o.ev.Source != nil {
				o.ev.Source.session.offered(false)
			}
			goOn := yield(o.ev, nil)
			o.answer <- goOn
			if !goOn {
				return errBreak
			}
		}
	}
}
