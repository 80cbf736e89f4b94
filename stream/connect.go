package stream

import (
	"context"
	"iter"
	"sync/atomic"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// Connect ranges over the events of one WATCH from version, without the loop
// around it: no list, no resume, no index, no markers, bookmarks included. It
// uses the fields of w that shape requests and limits, and leaves what a
// running Watch remembers alone.
//
// It calls no Trace, asks no Policy, and sends any version as it is; an event
// of unknown type ends it, and Ack does nothing.
//
// The last pair always carries how the stream ended: *status.Error for an
// answer that is a failure or an ERROR event, *status.End for an open stream
// (status.EndClean is the healthy end, and matches io.EOF), a transport error
// before the headers, or context.Cause(ctx).
func (w *Watcher) Connect(ctx context.Context, version string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		cfg, err := w.resolve()
		if err != nil {
			yield(Event{}, err)
			return
		}
		l := loop{settings: cfg, source: w, session: &session{keeper: new(keeper)}, ctx: ctx, yield: yield}
		if err := l.connect(version); err != errBreak {
			yield(Event{}, err)
		}
	}
}

func (l *loop) connect(version string) error {
	var lastByte atomic.Int64
	c, err := l.open(l.ctx, l.watchRequest(version, randomTimeout(l.rand, l.watchTimeout)), &lastByte)
	defer c.close()
	ended := func(err error) error {
		if done := l.done(); done != nil {
			return done
		}
		return err
	}
	if err != nil {
		return ended(err)
	}
	reader := decode.NewReader(c.body, l.maxFrame)
	for {
		ev, err := reader.Next()
		if err != nil {
			return ended(c.failure(err))
		}
		switch kind := eventType(ev.Type); kind {
		case typeError:
			return ended(status.FromEvent(ev.Object, c.response.Request))
		case "":
			return ended(&UnknownEventError{string(ev.Type)})
		default:
			if err := l.deliver(l.own(kind, &ev.Meta, ev.Object), pending{slot: nowhere}); err != nil {
				return err
			}
		}
	}
}
