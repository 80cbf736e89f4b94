package playback

import (
	"context"
	"errors"
	"iter"
	"math"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Options are what a playback has in common with a watch, and its speed.
type Options struct {
	// Speed 1 keeps the pauses of the recording, 10 makes them a tenth, and 0
	// leaves them out.
	Speed     float64
	Bookmarks bool
	MaxFrame  int
	// Listen may add to the Trace of each Watcher before it begins.
	Listen func(*stream.Watcher)
}

// Play ranges over the events of all tracks, in the order of the recording, as
// Watchers deliver them: Event.Source is that of the track. r is the recording
// again, from its beginning. After the last event the range ends without an
// error.
//
// Each track has a Watcher on a goroutine of its own, and they take turns. A
// step is given to its track; when that asks for another, every event of this
// one has been delivered, and the next record is read.
func (rec *Recording) Play(ctx context.Context, r *replay.Reader, o Options) iter.Seq2[stream.Event, error] {
	return func(yield func(stream.Event, error) bool) {
		p := &play{events: make(chan stream.Event), taken: make(chan struct{}), yield: yield}
		p.ctx, p.end = context.WithCancelCause(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer p.end(nil)
		for _, t := range rec.Tracks {
			hurried := p.prepare(t, o)
			running.Go(func() { p.watch(hurried, t) })
		}
		if err := p.run(rec, r, o); err != nil && err != errLeft {
			yield(stream.Event{}, err)
		}
	}
}

// play is one range.
type play struct {
	ctx    context.Context
	end    context.CancelCauseFunc // with the error that ends the range
	events chan stream.Event       // of the track whose turn it is
	taken  chan struct{}           // the caller has come back for more
	yield  func(stream.Event, error) bool
}

// errLeft: the caller has left the loop.
var errLeft = errors.New("playback: the caller has left")

// run gives one step after the other to its track.
func (p *play) run(rec *Recording, r *replay.Reader, o Options) error {
	for _, t := range rec.Tracks {
		if err := p.deliver(t); err != nil {
			return err
		}
	}
	began := time.Now()
	var script *script
	script = newScript(o.MaxFrame, func(s step) error {
		if o.Speed > 0 {
			due := began.Add(time.Duration(float64(script.Now) / o.Speed))
			if err := backoff.Sleep(p.ctx, time.Until(due)); err != nil {
				return err
			}
		}
		t := rec.find(s.question)
		if t == nil {
			return errors.New("playback: the recording has changed")
		}
		select {
		case t.server.steps <- s:
			return p.deliver(t)
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	})
	return script.All(r)
}

// deliver passes on the events of t until it asks for its next step.
func (p *play) deliver(t *Track) error {
	for {
		select {
		case <-t.server.asks:
			return nil
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		case ev := <-p.events:
			if !p.yield(ev, nil) {
				return errLeft
			}
			select {
			case p.taken <- struct{}{}:
			case <-p.ctx.Done():
				return context.Cause(p.ctx)
			}
		}
	}
}

// watch is the goroutine of a track.
func (p *play) watch(ctx context.Context, t *Track) {
	for ev, err := range t.Watcher.Watch(ctx) {
		if err != nil {
			p.end(err)
			return
		}
		select {
		case p.events <- ev:
		case <-p.ctx.Done():
			return
		}
		select {
		case <-p.taken:
		case <-p.ctx.Done():
			return
		}
	}
}

// prepare makes the Watcher of a track, and the context for it.
func (p *play) prepare(t *Track, o Options) context.Context {
	hurried := &hurried{Context: p.ctx}
	t.server = &server{asks: make(chan struct{}), steps: make(chan step)}
	t.Watcher = stream.Watcher{
		Client: &http.Client{Transport: t.server}, Server: &address,
		Target: t.Target, View: t.View, Start: t.start, ResourceVersion: t.version,
		MaxFrame: o.MaxFrame, Bookmarks: o.Bookmarks,
		// Silence is a part of the recording, however long it is.
		IdleTimeout: forever, HeaderTimeout: forever,
		Trace: &stream.Trace{
			Waiting: func(stream.Waiting) { hurried.hurry.Store(true) },
			Request: func(stream.Request) { hurried.hurry.Store(false) },
			Ended: func(e stream.Ended) {
				if unexpected(e.Err) {
					p.end(e.Err)
				}
			},
		},
	}
	if o.Listen != nil {
		o.Listen(&t.Watcher)
	}
	return hurried
}

// address is where the requests of a playback go; no host of this name exists.
var address = url.URL{Scheme: "http", Host: "recording.invalid"}

const forever = time.Duration(math.MaxInt64 / 4)

// unexpected reports whether a request ended in a way that no track has: the
// Watcher does not agree with the script on what was recorded.
func unexpected(err error) bool {
	if end, ok := errors.AsType[*status.End](err); ok {
		return end.Kind != status.EndClean
	}
	answer, ok := errors.AsType[*status.Error](err)
	return err != nil && !(ok && answer.Event)
}

// hurried is a context in which a Watcher does not wait between its requests:
// it keeps a distance between them to spare a server, and here there is none.
//
// While the Watcher waits, Done returns a channel that is closed, and Err says
// all the same that nothing is the matter. A wait selects on the one and then
// looks at the other, so it is over at once and nothing else is. Contexts that
// are derived for requests are made while hurry is false, and work as usual.
type hurried struct {
	context.Context
	hurry atomic.Bool
}

func (c *hurried) Done() <-chan struct{} {
	if c.hurry.Load() {
		return closed
	}
	return c.Context.Done()
}

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()
