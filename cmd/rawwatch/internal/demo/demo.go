package demo

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Options of a demo. Out gets the events, Err the story around them.
type Options struct {
	Duration   time.Duration // about
	Out, Err   io.Writer
	ColourOut  terminal.Colours
	ColourErr  terminal.Colours
	onLoopback bool // say the address; a test has none
}

// namespace of the pods.
const namespace = "shop"

// errOver is the cause of the context that the director ends.
var errOver = errors.New("demo: the last scene is over")

// Run runs a demo on loopback. Its error is what ended the watch before the
// demo was over, or a *Disagreement.
func Run(ctx context.Context, o Options) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d := newDirector(o.Duration)
	// The server breaks connections under the hands of net/http, which would
	// log that.
	web := &http.Server{Handler: d.store, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() { defer close(served); web.Serve(listener) }()
	defer func() { web.Close(); <-served }()

	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	o.onLoopback = true
	return run(ctx, o, d, &http.Client{Transport: transport}, &url.URL{Scheme: "http", Host: listener.Addr().String()})
}

// run runs a demo against the store of d, wherever it is served.
func run(ctx context.Context, o Options, d *director, client *http.Client, server *url.URL) error {
	ctx, cancel := context.WithCancelCause(ctx)
	n := newNarrator(o, d)
	n.intro(server, o.onLoopback)
	w := &stream.Watcher{
		Client: client, Server: server,
		Target:      stream.Target{Version: "v1", Resource: "pods", Namespace: namespace},
		IdleTimeout: d.idle, // the silence in the demo need not be a minute long
		Trace:       n.trace(),
	}
	d.tell = n
	d.prepare()
	directed := make(chan struct{})
	go func() {
		defer close(directed)
		d.direct(ctx)
		cancel(errOver)
	}()
	err := watch(ctx, w, n, d.ledger)
	cancel(err)
	<-directed
	if !errors.Is(err, errOver) {
		return err
	}
	return n.proof(d.ledger.prove(d.state()), len(d.scenes), w.State().Counters)
}

// watch is the loop that any program would have.
func watch(ctx context.Context, w *stream.Watcher, n *narrator, l *ledger) error {
	for ev, err := range w.Watch(ctx) {
		if err != nil {
			return err
		}
		if err := n.event(ev); err != nil {
			return err
		}
		l.see(ev)
	}
	return nil
}

// store is the server: one that forgets what it is told to, and answers what
// the scene wants.
func newStore(intercept func(*http.Request) []replay.Step) *replay.Store {
	return &replay.Store{
		Resources: []replay.Resource{{Version: "v1", Plural: "pods", Kind: "Pod", ShortNames: []string{"po"}}},
		Intercept: intercept,
	}
}
