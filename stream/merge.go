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
// A source that ends ends them all, with its error. Each source has a
// goroutine of its own, which reads no further than the one event it offers;
// all have ended when the range has.
func Merge(ctx context.Context, sources ...*Watcher) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if len(sources) == 0 {
			yield(Event{}, &ConfigError{"Merge", "was given nothing to watch"})
			return
		}
		inner, cancel := context.WithCancelCause(ctx)
		offers := make(chan offer)
		var running sync.WaitGroup
		for _, w := range sources {
			running.Go(func() { w.offer(inner, offers) })
		}
		err := takeOffers(ctx, offers, yield)
		cancel(errMergeOver)
		running.Wait()
		if err != errBreak {
			yield(Event{}, err)
		}
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
// leaves would count as delivered.
func (w *Watcher) offer(ctx context.Context, offers chan<- offer) {
	answer := make(chan bool)
	for ev, err := range w.Watch(ctx) {
		select {
		case offers <- offer{ev, err, answer}:
			if !<-answer {
				return
			}
		case <-ctx.Done():
			// Not acknowledged, since the caller has never seen it.
			return
		}
	}
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
			goOn := yield(o.ev, nil)
			o.answer <- goOn
			if !goOn {
				return errBreak
			}
		}
	}
}
