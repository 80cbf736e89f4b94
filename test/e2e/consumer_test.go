package e2e

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

// connect reads a kubeconfig for the user as a program would at its start.
func connect(t testing.TB, s *cluster.Server, u cluster.User) *http.Client {
	t.Helper()
	return load(t, kubeconfig.Options{Path: s.Kubeconfig(t, u, "")})
}

// loading guards the environment while package kubeconfig looks at it.
var loading sync.Mutex

func load(t testing.TB, o kubeconfig.Options, environment ...string) *http.Client {
	t.Helper()
	loading.Lock()
	defer loading.Unlock()
	for _, variable := range environment {
		name, value, _ := strings.Cut(variable, "=")
		require.NoError(t, os.Setenv(name, value))
		defer os.Unsetenv(name)
	}
	config, err := kubeconfig.Load(o)
	require.NoError(t, err)
	require.Empty(t, config.Warnings)
	t.Cleanup(config.Client.CloseIdleConnections)
	return config.Client
}

// fast is a backoff for tests. Its delays are part of no promise.
var fast = backoff.Policy{Min: 50 * time.Millisecond, Max: time.Second}

// option changes a Watcher before it is used.
type option = func(*stream.Watcher)

// Options that several tests use.
func start(how stream.Start) option { return func(w *stream.Watcher) { w.Start = how } }

func exactly(version string) option {
	return func(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, version }
}

func view(v stream.View) option { return func(w *stream.Watcher) { w.View = v } }

func lasting(d time.Duration) option { return func(w *stream.Watcher) { w.WatchTimeout = d } }

func keptIn(file string) option {
	return func(w *stream.Watcher) { w.Checkpoint = stream.CheckpointFile(file) }
}

// newWatcher is the usual Watcher of a collection, with connections of its own.
func newWatcher(t testing.TB, s *cluster.Server, in cluster.Collection, options ...option) *stream.Watcher {
	t.Helper()
	w := &stream.Watcher{
		Server:  s.URL,
		Target:  stream.Target{Group: in.Group, Version: in.Version, Resource: in.Resource, Namespace: in.Namespace},
		Backoff: fast,
	}
	for _, set := range options {
		set(w)
	}
	if w.Client == nil {
		w.Client = connect(t, s, s.Admin)
	}
	return w
}

// consumer ranges over a Watcher and writes down what it is told.
type consumer struct {
	t       testing.TB
	name    string
	watcher *stream.Watcher
	from    history.Position
	cancel  context.CancelFunc
	ended   chan struct{}
	err     error // how the loop ended, once ended is closed

	mu      sync.Mutex
	events  []stream.Event
	foreign map[string]bool // objects that others have made
	log     []string
	sent    []stream.Request
	ends    []stream.Ended
	protos  map[string]bool
}

// consume starts a loop. It ends with the test at the latest. each, if it is
// not nil, runs in the loop's body: while it does, the event is in hand.
func consume(t testing.TB, name string, w *stream.Watcher, from history.Position, each func(stream.Event)) *consumer {
	t.Helper()
	c := &consumer{t: t, name: name, watcher: w, from: from}
	w.Trace = c.trace()
	c.start(w.Watch, each)
	return c
}

// consumeAll starts a loop over several Watchers. The events of each are told
// by [consumer.of].
func consumeAll(t testing.TB, name string, watchers ...*stream.Watcher) *consumer {
	t.Helper()
	c := &consumer{t: t, name: name}
	for _, w := range watchers {
		w.Trace = c.trace()
	}
	c.start(func(ctx context.Context) iter.Seq2[stream.Event, error] { return stream.Merge(ctx, watchers...) }, nil)
	return c
}

func (c *consumer) start(watch func(context.Context) iter.Seq2[stream.Event, error], each func(stream.Event)) {
	ctx, cancel := context.WithCancel(c.t.Context())
	c.cancel, c.ended = cancel, make(chan struct{})
	c.protos, c.foreign = make(map[string]bool), make(map[string]bool)
	go func() {
		defer close(c.ended)
		for ev, err := range watch(ctx) {
			if err != nil {
				c.err = err
				return
			}
			c.add(ev)
			if each != nil {
				each(ev)
			}
		}
	}()
	c.t.Cleanup(func() { end(c.t, c) })
}

func (c *consumer) add(ev stream.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if isForeign(ev.Name) {
		c.foreign[ev.Name] = true
		return
	}
	c.events = append(c.events, ev)
	c.log = append(c.log, brief(ev).String())
}

// brief is the part of an event that a history is about.
func brief(ev stream.Event) history.Event {
	return history.Event{
		Type: string(ev.Type), Namespace: ev.Namespace, Name: ev.Name,
		UID: ev.UID, Version: ev.ResourceVersion, Inferred: ev.Inferred,
	}
}

func (c *consumer) trace() *stream.Trace {
	trace := toldTo(func(line string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.log = append(c.log, line)
	})
	request, response, ended := trace.Request, trace.Response, trace.Ended
	trace.Request = func(r stream.Request) {
		request(r)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.sent = append(c.sent, r)
	}
	trace.Response = func(r stream.Response) {
		response(r)
		c.mu.Lock()
		defer c.mu.Unlock()
		if r.StatusCode != 0 {
			c.protos[r.Proto] = true
		}
	}
	trace.Ended = func(e stream.Ended) {
		ended(e)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.ends = append(c.ends, e)
	}
	return trace
}

// toldTo is a Trace that tells each step as a line.
func toldTo(tell func(line string)) *stream.Trace {
	note := func(format string, args ...any) {
		tell(time.Now().Format("15:04:05.000 ") + fmt.Sprintf(format, args...))
	}
	return &stream.Trace{
		Request: func(r stream.Request) {
			_, query, _ := strings.Cut(r.URL, "?")
			note("-> %s %s", r.Verb, query)
		},
		Response: func(r stream.Response) { note("<- %d %s after %s %v", r.StatusCode, r.Proto, r.Took, short(r.Err)) },
		Ended: func(e stream.Ended) {
			note("end of %s after %s, %d events: %v: %s, %s", e.Verb, e.Age, e.Events, short(e.Err), e.Row, e.Action)
		},
		Waiting: func(w stream.Waiting) { note("waiting %s, %s", w.For, w.Row) },
	}
}

// short leaves the URL out of an error: the request has told it.
func short(err error) error {
	if request := (*url.Error)(nil); errors.As(err, &request) {
		return request.Err
	}
	return err
}

// stop cancels the loop and waits for its end.
func (c *consumer) stop() {
	c.t.Helper()
	c.cancel()
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Errorf("%s: the loop has not ended %s after it was cancelled", c.name, patience)
	}
}

func (c *consumer) label() string              { return c.name }
func (c *consumer) position() history.Position { return c.from }

func (c *consumer) seen() []history.Event { return c.of(nil) }

// of are the events of one of several Watchers; nil is any.
func (c *consumer) of(w *stream.Watcher) (all []history.Event) {
	for _, ev := range c.received() {
		if w == nil || ev.Source == w {
			all = append(all, brief(ev))
		}
	}
	return all
}

func (c *consumer) received() []stream.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.events)
}

// requests are those sent so far.
func (c *consumer) requests() []stream.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.sent)
}

// endings are how the requests ended so far.
func (c *consumer) endings() []stream.Ended {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.ends)
}

// has reports whether a request has come to a row of the verdict table.
func (c *consumer) has(row string) bool {
	return slices.ContainsFunc(c.endings(), func(e stream.Ended) bool { return e.Row == row })
}

// protocols are the versions of HTTP in which the server answered.
func (c *consumer) protocols() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for p := range c.protos {
		all = append(all, p)
	}
	return all
}

func (c *consumer) over() (string, bool) {
	select {
	case <-c.ended:
		return fmt.Sprint(c.err), true
	default:
		return "", false
	}
}

func (c *consumer) story() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.log, "\n")
}
