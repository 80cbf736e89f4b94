package e2e

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/test/cluster"
)

// observer is a watch under test: a loop over a Watcher, or the command.
type observer interface {
	label() string
	position() history.Position // what it starts from: see history.Check
	seen() []history.Event
	over() (how string, is bool)
	story() string // for people
	stop()
}

// isForeign: a controller of a whole cluster puts this ConfigMap into each
// namespace, which is no business of the tests.
func isForeign(name string) bool { return name == "kube-root-ca.crt" }

// end is for the cleanup of an observer's test.
func end(t testing.TB, o observer) {
	t.Helper()
	o.stop()
	if t.Failed() {
		t.Logf("the story of %s:\n%s", o.label(), o.story())
	}
}

// await waits until an observer's events hold, and fails when it ends instead.
func await(t testing.TB, o observer, what string, holds func([]history.Event) bool) {
	t.Helper()
	cluster.Wait(t, patience, what+" at "+o.label(), func() bool {
		how, over := o.over() // before the events: the last come before the end
		if holds(o.seen()) {
			return true
		}
		if over {
			t.Fatalf("%s ended before %s: %s", o.label(), what, how)
		}
		return false
	})
}

// settle waits until each observer knows what exists.
func settle(t testing.TB, l *history.Ledger, observers ...observer) {
	t.Helper()
	for _, o := range observers {
		settled := false
		t.Cleanup(func() {
			if !settled {
				t.Logf("%s: %s", o.label(), l.Unsettled(o.position(), o.seen()))
			}
		})
		await(t, o, "what exists", func(events []history.Event) bool {
			return l.Unsettled(o.position(), events) == ""
		})
		settled = true
	}
}

// verify waits until each observer knows what exists, ends it, and checks all
// that it was told on the way.
func verify(t testing.TB, l *history.Ledger, observers ...observer) {
	t.Helper()
	settle(t, l, observers...)
	for _, o := range observers {
		o.stop()
		assert.NoError(t, l.Check(o.position(), o.seen()), "%s", o.label())
	}
}

// has makes a condition of an event: its type, and its name if that is given.
func has(kind, name string) func([]history.Event) bool {
	return func(events []history.Event) bool {
		return slices.ContainsFunc(events, func(e history.Event) bool {
			return e.Type == kind && (name == "" || e.Name == name)
		})
	}
}

// awaitSynced waits for the end of the first list.
func awaitSynced(t testing.TB, observers ...observer) {
	t.Helper()
	for _, o := range observers {
		await(t, o, "SYNCED", has("SYNCED", ""))
	}
}

// words are events as text, without what no test can know: versions.
func words(events []history.Event) (all []string) {
	for _, e := range events {
		e.Version = ""
		all = append(all, e.String())
	}
	return all
}
