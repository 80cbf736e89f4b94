package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
	"example.com/rawwatch/test/proxy"
)

// One cluster serves all the cases, since each start takes seconds; they do
// not depend on each other's objects.
func TestHistoryIsLost(t *testing.T) {
	t.Parallel()
	c := cluster.Start(t, cluster.Options{})
	t.Run("a version expires", func(t *testing.T) { versionExpires(t, c) })
	t.Run("a continue token expires", func(t *testing.T) { continueTokenExpires(t, c) })
	t.Run("the server goes back", func(t *testing.T) { serverGoesBack(t, c) })
}

// restart makes everything from before it too old.
func restart(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	c.Compact(t)
	c.Kill(t)
	c.Restart(t)
}

func stopExpired(w *stream.Watcher) { w.Policy.OnExpired = stream.StopExpired }

func versionExpires(t *testing.T, c *cluster.Cluster) {
	p := proxy.Start(t, c.Address())
	via := c.Via(p.Address())
	w := newWriter(t, c.Server, configMaps(c.Namespace(t)))
	before, version := w.ledger.Now(), w.client.ResourceVersion(t, w.in)
	w.create("edited", "deleted", "same")

	loop := func(name string, from history.Position, options ...option) *consumer {
		return consume(t, name, newWatcher(t, via, w.in, options...), from, nil)
	}
	command := func(from history.Position, flags ...string) *command {
		args := []string{w.in.Path(), "-o", "json", "--markers", "--backoff-min", "50ms", "--backoff-max", "1s"}
		c := run(t, via, c.Admin, nil, append(args, flags...)...)
		c.from = from
		return c
	}
	live := []observer{
		loop("listed", nil), loop("by stream", nil, start(stream.StartStream)),
		loop("exact", before, exactly(version)),
		loop("cached", nil, func(w *stream.Watcher) { w.CachedList = true }),
		command(nil), command(before, "--resource-version", version),
	}
	retryWatcher := func(w *stream.Watcher) { w.Policy = stream.RetryWatcher() }
	stopping := []*consumer{
		loop("listed, stops", nil, stopExpired),
		loop("exact, stops", before, exactly(version), stopExpired),
		loop("retry watcher", before, exactly(version), retryWatcher),
	}
	untracked := loop("untracked", nil, func(w *stream.Watcher) { w.Untracked = true })
	failing := command(before, "--resource-version", version, "--on-expired", "fail")
	settle(t, w.ledger, live...)
	for _, c := range append(stopping, untracked) {
		settle(t, w.ledger, c)
	}
	settle(t, w.ledger, failing)
	// Two more end before it happens, and leave a checkpoint.
	file := t.TempDir() + "/checkpoint"
	verify(t, w.ledger, loop("old", nil, keptIn(file)), command(nil, "--checkpoint", file+"-of-command"))
	asOfThen := w.ledger.Now()

	p.Refuse()
	p.Cut()
	w.edit("edited")
	w.delete("deleted")
	w.create("new")
	restart(t, c)
	p.Accept(t)

	t.Run("relist", func(t *testing.T) {
		settle(t, w.ledger, live...)
		lost := []string{"GAP", "MODIFIED edited", "ADDED new", "DELETED deleted inferred", "SYNCED"}
		for _, o := range live {
			seen := words(o.seen())
			assert.Equal(t, lost, seen[len(seen)-len(lost):], "%s", o.label())
		}
		for i, partial := range []bool{false, false, true} {
			for _, ev := range live[i].(*consumer).received() {
				if ev.Type == stream.Gap {
					assert.ErrorIs(t, ev.Cause, status.ErrExpired)
					assert.Equal(t, partial, ev.Partial, "%s", live[i].label())
				}
			}
		}
		await(t, untracked, "the second list", func(events []history.Event) bool {
			return strings.Count(strings.Join(words(events), " "), "SYNCED") == 2
		})
		assert.Equal(t, []string{"GAP", "RESET", "ADDED edited", "ADDED new", "ADDED same", "SYNCED"}, words(untracked.seen())[4:])
	})
	t.Run("stop", func(t *testing.T) {
		for _, c := range stopping {
			assert.ErrorIs(t, awaitEnd(t, c), status.ErrExpired, "%s", c.name)
			assert.NotContains(t, words(c.seen()), "GAP")
			for _, err := range c.watcher.Watch(t.Context()) {
				assert.ErrorIs(t, err, status.ErrExpired, "again, and at once")
			}
		}
		assert.Equal(t, 7, failing.exit(), "%s", failing.story())
		assert.Equal(t, []string{"ADDED edited", "ADDED deleted", "ADDED same"}, words(failing.seen()))
	})
	t.Run("expired from the start", func(t *testing.T) {
		again := loop("exact", nil, exactly(version))
		late := command(nil, "--resource-version", version)
		next := []observer{loop("from a checkpoint", asOfThen, keptIn(file)), command(asOfThen, "--checkpoint", file+"-of-command")}
		for _, o := range next {
			settle(t, w.ledger, o)
			assert.Equal(t, []string{"GAP", "MODIFIED edited", "ADDED new", "DELETED deleted inferred", "SYNCED"}, words(o.seen()), "%s", o.label())
		}
		live = append(live, next...)
		for _, o := range []observer{again, late} {
			settle(t, w.ledger, o)
			assert.Equal(t, []string{"GAP", "ADDED edited", "ADDED new", "ADDED same", "SYNCED"}, words(o.seen()), "%s", o.label())
		}
		assert.ErrorIs(t, awaitEnd(t, loop("exact, stops", nil, exactly(version), stopExpired)), status.ErrExpired)
		assert.Equal(t, 7, command(nil, "--resource-version", version, "--on-expired", "fail").exit())
		live = append(live, again, late)
	})
	w.churn(8)
	verify(t, w.ledger, live...)
}

func continueTokenExpires(t *testing.T, c *cluster.Cluster) {
	namespace := c.Namespace(t)
	writers := []*writer{
		newWriter(t, c.Server, configMaps(namespace)),
		newWriter(t, c.Server, widgets(c.CustomResource(t), namespace)),
	}
	for _, w := range writers {
		w.create("a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2")
	}
	// Each loop has the last object of the first page in hand, when the server
	// forgets what the token of the next one stands for.
	var loops []*consumer
	release := make(chan struct{})
	for _, w := range writers {
		for name, option := range map[string]option{"": func(*stream.Watcher) {}, ", stops at a gap": stopExpired} {
			paged := func(w *stream.Watcher) { w.PageSize = 3 }
			hold := func(ev stream.Event) {
				if ev.Name == "a3" {
					<-release
				}
			}
			loop := consume(t, w.in.Resource+name, newWatcher(t, c.Server, w.in, paged, option), nil, hold)
			loops = append(loops, loop)
			await(t, loop, "the first page", has("ADDED", "a3"))
		}
	}
	for _, w := range writers {
		w.edit("a1", "b1")
		w.delete("a2", "b2")
		w.create("a0", "b4")
		w.delete("c1")
		w.create("c1")
	}
	restart(t, c)
	close(release)
	for i, w := range writers {
		w.client.Served(t, w.in)
		for _, loop := range loops[2*i : 2*i+2] {
			settle(t, w.ledger, loop)
			assert.Equal(t, []string{"ADDED a1", "ADDED a2", "ADDED a3",
				"ADDED a0", "MODIFIED a1", "ADDED b1", "ADDED b3", "ADDED b4", "ADDED c1", "ADDED c2",
				"DELETED a2 inferred", "SYNCED"}, words(loop.seen()), "%s", loop.name)
			assert.True(t, loop.has(status.RowExpired))
		}
		w.churn(5)
		verify(t, w.ledger, loops[2*i], loops[2*i+1])
	}
}
