package e2e

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

// A server gives up on a watch that takes no data, and says nothing: it ends
// the stream clean.
func TestSlowConsumerMissesNothing(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	// A type of its own: how many events a server keeps for a slow reader
	// depends on how busy the type has been.
	big := widgets(s.CustomResource(t), "")
	big.patch = func(n int) cluster.Manifest {
		return cluster.Manifest{"spec": cluster.Manifest{"text": strings.Repeat(strconv.Itoa(n%10), 500_000)}}
	}
	for protocol, environment := range protocols {
		w := newWriter(t, s, big)
		w.in.Namespace = s.Namespace(t)
		release := make(chan struct{})
		slow := consume(t, "slow, "+protocol, newWatcher(t, s, w.in, func(w *stream.Watcher) {
			w.Client = load(t, kubeconfig.Options{Path: s.Kubeconfig(t, s.Admin, "")}, environment...)
		}), nil, func(ev stream.Event) {
			if ev.Name == "first" {
				<-release
			}
		})
		awaitSynced(t, slow)
		w.create("first", "big")
		await(t, slow, "its first event", has("ADDED", "first"))
		for range 60 {
			w.edit("big")
		}
		close(release)
		verify(t, w.ledger, slow)
		assert.True(t, slow.has(status.RowBrokenStream), "the server has not given up")
		assert.NotContains(t, words(slow.seen()), "GAP")
	}
}

// A bookmark tells how far the server has come, though nothing was selected.
func TestBookmarksMoveTheResumePoint(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	quiet := newWriter(t, s, configMaps(s.Namespace(t)))
	quiet.create("one")
	other := newWriter(t, s, configMaps(s.Namespace(t)))
	c := consume(t, "library", newWatcher(t, s, quiet.in, func(w *stream.Watcher) {
		w.Bookmarks, w.WatchTimeout = true, 5*watchesFor // one comes 2 s before the end
	}), nil, nil)
	awaitSynced(t, c)
	other.churn(5)
	await(t, c, "a bookmark", has("BOOKMARK", ""))
	await(t, c, "the next watch", func([]history.Event) bool { return len(c.requests()) > 2 })

	events := c.received()
	bookmark := events[len(events)-1]
	assert.Equal(t, stream.Bookmark, bookmark.Type)
	assert.Empty(t, bookmark.Name)
	assert.Equal(t, bookmark.ResourceVersion, c.requests()[2].ResourceVersion)
	assert.Equal(t, "TimeoutEnd", c.endings()[1].Row)
}
