package e2e

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

func TestStartNowShowsOnlyWhatComes(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, configMaps(s.Namespace(t)))
	w.create("old-1", "old-2")
	from := w.ledger.Now()

	c := consume(t, "library", newWatcher(t, s, w.in, start(stream.StartNow)), from, nil)
	command := run(t, s, s.Admin, nil, "configmaps", "-n", w.in.Namespace, "--watch-only", "-o", "json", "--markers")
	command.from = from
	// It is not told when "now" is over: the watch has to be open.
	await(t, c, "the watch", func([]history.Event) bool { return c.watcher.State().Phase == stream.PhaseWatching })
	await(t, command, "the watch", func([]history.Event) bool { return strings.Contains(command.story(), "connected") })
	w.edit("old-1")
	w.delete("old-2")
	w.churn(8)
	verify(t, w.ledger, c, command)
}

func TestStartExactShowsAllSince(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, pods(s.Namespace(t)))
	w.create("old-1", "old-2")
	w.edit("old-1")
	from, version := w.ledger.Now(), w.client.ResourceVersion(t, w.in)
	w.delete("old-2")
	w.churn(8)

	c := consume(t, "library", newWatcher(t, s, w.in, exactly(version)), from, nil)
	command := run(t, s, s.Admin, nil, "pods", "-n", w.in.Namespace, "--resource-version", version, "-o", "json", "--markers")
	command.from = from
	settle(t, w.ledger, c, command)
	w.churn(8)
	verify(t, w.ledger, c, command)
}

// The server sends what exists and marks its end, asked to do so or not: old
// clients watch without a version, or from "0".
func TestStartByStream(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	definition := s.CustomResource(t)
	for name, how := range map[string]stream.Start{
		"stream": stream.StartStream, "most recent": stream.StartMostRecent, "any": stream.StartAny,
	} {
		t.Run(name, func(t *testing.T) {
			for _, kind := range []kind{configMaps(s.Namespace(t)), widgets(definition, s.Namespace(t))} {
				w := newWriter(t, s, kind)
				w.create("a", "b", "c")
				w.edit("a") // the first by name is the last by version
				var observers []observer
				for v, name := range viewNames {
					// Resumed soon, from the mark.
					observers = append(observers, consume(t, name, newWatcher(t, s, w.in, start(how), view(v), lasting(watchesFor)), nil, nil))
				}
				awaitSynced(t, observers...)
				w.churn(10)
				verify(t, w.ledger, observers...)
				for _, o := range observers {
					assert.Equal(t, stream.Watch, o.(*consumer).requests()[0].Verb, "what exists came without a list")
					assert.NotContains(t, words(o.seen()), "GAP")
				}
			}
		})
	}
}

// A second loop over a Watcher goes on where the first one stopped; what was
// in hand at a break comes again, unless it was acknowledged.
func TestSecondLoopGoesOn(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, pods(s.Namespace(t)))
	w.create("a", "b", "c")
	watcher := newWatcher(t, s, w.in, func(w *stream.Watcher) { w.PageSize = 1 })

	var events []history.Event
	var inHand stream.Event // at a break without a word
	for loops := 0; w.ledger.Unsettled(nil, events) != ""; loops++ {
		require.Less(t, loops, 100, "%v", events)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		for ev, err := range watcher.Watch(ctx) {
			require.NoError(t, err)
			if inHand.Type != "" {
				require.Equal(t, inHand, ev)
			}
			if loops%2 == 0 {
				inHand = ev
				break
			}
			inHand = stream.Event{}
			events = append(events, brief(ev))
			watcher.Ack()
			if ev.Type == stream.Synced {
				w.churn(6)
			}
			break
		}
		cancel()
	}
	assert.NoError(t, w.ledger.Check(nil, events))
	assert.Equal(t, stream.PhaseIdle, watcher.State().Phase)
}

// A new process goes on where the last one ended, and is told of deletes that
// happened in between.
func TestCheckpoint(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, pods(s.Namespace(t)))
	w.create("edited", "deleted", "same")
	folder := t.TempDir()
	command := func(name string, from history.Position, flags ...string) *command {
		args := []string{"pods", "-n", w.in.Namespace, "-o", "json", "--markers", "--checkpoint", folder + "/" + name}
		c := run(t, s, s.Admin, nil, append(args, flags...)...)
		c.from = from
		return c
	}
	loop := func(from history.Position) *consumer {
		return consume(t, "library", newWatcher(t, s, w.in, keptIn(folder+"/library")), from, nil)
	}
	verify(t, w.ledger, loop(nil), command("goes on", nil), command("once", nil))

	from := w.ledger.Now()
	w.edit("edited")
	w.delete("deleted")
	w.create("new")
	next, goesOn := loop(from), command("goes on", from)
	settle(t, w.ledger, next, goesOn)
	once := command("once", from, "--once")
	assert.Zero(t, once.exit(), "%s", once.story())
	assert.Equal(t, []string{"MODIFIED edited", "ADDED new", "DELETED deleted inferred", "SYNCED"}, words(once.seen()))

	w.churn(5)
	verify(t, w.ledger, next, goesOn)
}
