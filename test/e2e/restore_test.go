package e2e

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
	"example.com/rawwatch/test/proxy"
)

// serverGoesBack: etcd is restored from a backup while watches run. Their
// resume points are then in the future, where the server would be silent until
// it gets there; and resourceVersions are used a second time.
func serverGoesBack(t *testing.T, c *cluster.Cluster) {
	namespace := c.Namespace(t)
	writers := []*writer{
		newWriter(t, c.Server, configMaps(namespace)),
		newWriter(t, c.Server, widgets(c.CustomResource(t), namespace)), // the list's version comes last
	}
	type watch struct {
		quiet, held, old *consumer

		file                string           // the checkpoint of old
		atBackup, atOldsEnd history.Position // moments
	}
	watches := map[*writer]*watch{}
	release := make(chan struct{})
	p := proxy.Start(t, c.Address())
	for _, w := range writers {
		w.create("edited", "deleted", "same")
		file := t.TempDir() + "/checkpoint"
		watches[w] = &watch{
			file: file,
			// Notices since its watch, which lasts a while, is silent. Only the
			// first such watch in half an hour makes it look.
			quiet: consume(t, w.in.Resource+", quiet", newWatcher(t, c.Server, w.in, lasting(10*watchesFor)), nil, nil),
			// Notices since it has to list.
			held: consume(t, w.in.Resource+", held", newWatcher(t, c.Via(p.Address()), w.in), nil, func(ev stream.Event) {
				if ev.Type == stream.Gap {
					<-release
				}
			}),
			// Notices at its start.
			old: consume(t, w.in.Resource+", checkpoint", newWatcher(t, c.Server, w.in, keptIn(file)), nil, nil),
		}
		settle(t, w.ledger, watches[w].quiet, watches[w].held, watches[w].old)
	}
	backup := c.Snapshot(t)
	// A server writes some objects of its own at its start. Versions of ours
	// that it has passed by then could not be told from those it had before.
	newWriter(t, c.Server, configMaps(c.Namespace(t))).churn(100)
	for _, w := range writers {
		watches[w].atBackup = w.ledger.Now()
		w.edit("edited")
		w.delete("deleted")
		w.create("made")
		settle(t, w.ledger, watches[w].quiet, watches[w].held, watches[w].old)
		watches[w].old.stop()
		watches[w].atOldsEnd = w.ledger.Now()
	}

	p.Refuse()
	p.Cut()
	for _, w := range writers {
		w.edit("edited") // so that the version of those that are held expires
	}
	restart(t, c)
	p.Accept(t)
	for _, w := range writers {
		await(t, watches[w].held, "GAP", has("GAP", ""))
		settle(t, w.ledger, watches[w].quiet)
	}
	c.Restore(t, backup)
	close(release)

	for _, w := range writers {
		w.ledger.Restore(watches[w].atBackup)
		w.client.Served(t, w.in)
		next := consume(t, w.in.Resource+", from a checkpoint", newWatcher(t, c.Server, w.in, keptIn(watches[w].file)), watches[w].atOldsEnd, nil)
		for _, o := range []*consumer{watches[w].quiet, watches[w].held, next} {
			settle(t, w.ledger, o)
			seen := words(o.seen())
			seen = seen[lastIndex(seen, "GAP"):]
			for _, want := range []string{"GAP", "ADDED deleted", "MODIFIED edited", "MODIFIED same", "DELETED made inferred", "SYNCED"} {
				assert.Contains(t, seen, want, "%s", o.name)
			}
		}
		for _, o := range []*consumer{watches[w].quiet, next} {
			for _, ev := range o.received() {
				if ev.Type == stream.Gap && !errors.Is(ev.Cause, status.ErrExpired) {
					assert.ErrorAs(t, ev.Cause, new(*stream.WentBackError), "%s", o.name)
				}
			}
		}
		w.edit("edited", "same", "deleted") // under versions that have been used before
		verify(t, w.ledger, watches[w].quiet, watches[w].held, next)
	}
}

func lastIndex(all []string, s string) int {
	i := len(all) - 1
	for ; i > 0 && all[i] != s; i-- {
	}
	return i
}
