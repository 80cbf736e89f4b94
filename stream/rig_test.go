package stream_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// path is where the objects of package replay live, and target the same for a
// Watcher.
const path = replay.ConfigMaps

var target = stream.Target{Version: "v1", Resource: "configmaps", Namespace: "t"}

// errScriptOver is the cause of the context once a script has reached stop.
var errScriptOver = errors.New("the script is over")

// errLate is the cause when a script never gets to its stop.
var errLate = errors.New("the script was not played to its end within a day")

// rig runs one Watcher against one script, in virtual time.
type rig struct {
	*testing.T
	srv     *replay.Server
	w       *stream.Watcher
	ctx     context.Context
	cancel  context.CancelCauseFunc
	begun   time.Time
	ended   []stream.Ended
	waiting []stream.Waiting
	err     error // the last pair
}

// bubble runs f in a synctest bubble of its own.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// newRig starts a server that plays script. Write stop() at its end.
func newRig(t *testing.T, script func(r *rig) replay.Script, set ...func(*stream.Watcher)) *rig {
	t.Helper()
	return newRigOn(t, replay.Options{}, script, set...)
}

// newRigOn is newRig over another kind of connection.
func newRigOn(t *testing.T, o replay.Options, script func(r *rig) replay.Script, set ...func(*stream.Watcher)) *rig {
	t.Helper()
	r := &rig{T: t, begun: time.Now()}
	// A loop that cannot get on would spin for ever in virtual time.
	late, cancel := context.WithTimeoutCause(t.Context(), 24*time.Hour, errLate)
	t.Cleanup(cancel)
	r.ctx, r.cancel = context.WithCancelCause(late)
	r.srv = replay.NewServer(t, script(r), o)
	r.w = &stream.Watcher{
		Client: r.srv.Client(),
		Server: r.srv.URL(),
		Target: target,
		Rand:   rand.New(rand.NewPCG(1, 2)),
		Trace: &stream.Trace{
			Ended:   func(e stream.Ended) { r.ended = append(r.ended, e) },
			Waiting: func(w stream.Waiting) { r.waiting = append(r.waiting, w) },
		},
	}
	for _, f := range set {
		f(r.w)
	}
	return r
}

// contextFor is a context that is done after d.
func contextFor(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(t.Context(), d, errScriptOver)
}

// stop is how a script ends: everything before it has been read, and then the
// context is cancelled. No further request is expected.
func (r *rig) stop() []replay.Step {
	return []replay.Step{
		replay.Pause(50 * time.Millisecond),
		replay.Do(func() { r.cancel(errScriptOver) }),
		replay.Hold(),
	}
}

// stream is an answer that sends lines, and then what follows.
func stream200(body string, then ...replay.Step) []replay.Step {
	steps := []replay.Step{replay.Respond(200)}
	if body != "" {
		steps = append(steps, replay.Write(body))
	}
	return append(steps, then...)
}

// all ranges until the last pair and returns the events as lines.
func (r *rig) all() []string { return r.take(-1) }

// take ranges until n events have come, and leaves the loop with a break.
func (r *rig) take(n int) []string {
	var lines []string
	r.err = nil
	for ev, err := range r.w.Watch(r.ctx) {
		if err != nil {
			assert.Zero(r, ev, "an event together with an error")
			r.err = err
			continue // a second pair after the error would be seen
		}
		assert.NoError(r, r.err, "an event after the error")
		lines = append(lines, line(ev))
		if len(lines) == n {
			break
		}
	}
	return lines
}

// line is an event as tests write it: "ADDED a 11", "DELETED b 8 inferred".
func line(ev stream.Event) string {
	words := []string{string(ev.Type), ev.Name, ev.ResourceVersion}
	if ev.Inferred {
		words = append(words, "inferred")
	}
	if ev.Partial {
		words = append(words, "partial")
	}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

// played asserts what a script that was played to its stop has led to.
func (r *rig) played(want ...string) {
	r.Helper()
	got := r.all()
	assert.Equal(r, want, got)
	if !assert.ErrorIs(r, r.err, errScriptOver) {
		for _, e := range r.ended[:min(len(r.ended), 10)] {
			r.Logf("%s: %s, %s: %v", e.Verb, e.Row, e.Action, e.Err)
		}
	}
}

// gaps are the times between one request and the next.
func (r *rig) gaps() []time.Duration {
	var gaps []time.Duration
	seen := r.srv.Requests()
	for i := 1; i < len(seen); i++ {
		gaps = append(gaps, seen[i].Time.Sub(seen[i-1].Time))
	}
	return gaps
}

// Short forms of what scripts are made of.
var (
	ev    = replay.Event
	bm    = replay.Bookmark
	item  = replay.Item
	on    = replay.On
	list  = replay.List(path)
	watch = func(rv string) replay.Request { return replay.Watch(path, rv) }

	gone     = replay.ErrorEvent(410, "Expired")
	end      = replay.End()
	cut      = replay.Cut()
	htmlPage = "<html><body>Bad Gateway</body></html>"
)

// refused answers with an error status and its Status.
func refused(code int, reason string, header ...string) []replay.Step {
	return replay.JSON(code, replay.StatusBody(code, reason), header...)
}

// listOf answers a list request that begins a run.
func listOf(rv string, items ...string) replay.Exchange {
	return on(list, replay.JSON(200, replay.ListBody(rv, items...))...)
}

// watchOf answers a watch request.
func watchOf(rv, body string, then ...replay.Step) replay.Exchange {
	return on(watch(rv), stream200(body, then...)...)
}
