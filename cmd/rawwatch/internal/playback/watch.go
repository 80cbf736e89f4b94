package playback

import (
	"context"
	"errors"
	"iter"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Options are what a playback has in common with a watch.
type Options struct {
	Bookmarks bool
	MaxFrame  int
	// Listen may add to the Trace of the Watcher before it begins.
	Listen func(*stream.Watcher)
}

// errPlayed is the cause of the context that ends with the track.
var errPlayed = errors.New("playback: the recording is over")

// Watch ranges over the events of a track, as a Watcher delivers them. After
// the last one the range ends without an error.
func (t *Track) Watch(ctx context.Context, o Options) iter.Seq2[stream.Event, error] {
	return func(yield func(stream.Event, error) bool) {
		transport, err := replay.NewTransport(t.script, replay.Options{})
		if err != nil {
			yield(stream.Event{}, err)
			return
		}
		defer transport.Close() // its error is about exchanges that a caller who leaves has not seen
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		hurried := &hurried{Context: inner}
		p := &player{Transport: transport, left: len(t.script), over: func() { cancel(errPlayed) }}
		var broken error
		t.Watcher = stream.Watcher{
			Client: &http.Client{Transport: p}, Server: &server,
			Target: t.Target, View: t.View, Start: t.start, ResourceVersion: t.version,
			MaxFrame: o.MaxFrame, Bookmarks: o.Bookmarks,
			// Silence is a part of the recording, however long it is.
			IdleTimeout: forever, HeaderTimeout: forever,
			Trace: &stream.Trace{
				Waiting: func(stream.Waiting) { hurried.hurry.Store(true) },
				Request: func(stream.Request) { hurried.hurry.Store(false) },
				Ended:   func(e stream.Ended) { broken = unexpected(e) },
			},
		}
		if o.Listen != nil {
			o.Listen(&t.Watcher)
		}
		for ev, err := range t.Watcher.Watch(hurried) {
			switch {
			case errors.Is(err, errPlayed) && broken == nil:
				return
			case errors.Is(err, errPlayed):
				err = broken
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

const forever = time.Duration(math.MaxInt64 / 4)

// unexpected is the error of a request that ended in a way that no track has:
// the script and the Watcher do not agree on what was recorded.
func unexpected(e stream.Ended) error {
	var (
		end    *status.End
		answer *status.Error
	)
	switch {
	case e.Err == nil, errors.As(e.Err, &end) && end.Kind == status.EndClean,
		errors.As(e.Err, &answer) && answer.Event:
		return nil
	}
	return e.Err
}

// player ends the playback with the first request that the recording has no
// answer to. By then every event before it has been delivered.
type player struct {
	*replay.Transport
	left int
	over func()
}

func (p *player) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.left == 0 {
		p.over()
		return nil, errPlayed
	}
	p.left--
	return p.Transport.RoundTrip(r)
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
