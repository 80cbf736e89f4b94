package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// parsed is what a command line asks for.
func parsed(t *testing.T, args ...string) *ask {
	t.Helper()
	f := new(flags)
	root := newRoot(Streams{})
	root.ResetFlags()
	f.add(root)
	require.NoError(t, root.ParseFlags(args))
	a, err := f.parse(root, root.Flags().Args())
	require.NoError(t, err)
	return a
}

// looped is the loop over a path, with srv in the place of a kubeconfig.
func (a *ask) looped(t *testing.T, srv *replay.Server, out, err io.Writer) *loop {
	config := &kubeconfig.Config{Client: srv.Client(), Server: srv.URL()}
	l, failed := a.prepare(t.Context(), []*source{{target: a.target}}, config, out, story.New(err, story.Options{}))
	require.NoError(t, failed)
	return l
}

func TestASlowReaderOfStandardOutputIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := replay.NewServer(t, replay.Script{
			replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200),
				replay.Write(replay.Event("ADDED", "a", "11")), replay.Write(replay.Event("ADDED", "b", "12")), replay.Hold()),
		}, replay.Options{})
		a := parsed(t, replay.ConfigMaps, "--resource-version", "10", "--count", "2")
		var told bytes.Buffer
		slow := []time.Duration{999 * time.Millisecond, 3200 * time.Millisecond}
		out := writerFunc(func(b []byte) (int, error) {
			time.Sleep(slow[0])
			slow = slow[1:]
			return len(b), nil
		})
		l := a.looped(t, srv, out, &told)
		require.NoError(t, l.run(t.Context()))
		assert.Equal(t, 2, l.shown)
		assert.Contains(t, told.String(), "rawwatch: falling behind: it took 3.2s to print an event\n")
		assert.Equal(t, 1, strings.Count(told.String(), "behind"))
	})
}

func TestTheLastEventIsAcknowledged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := replay.NewServer(t, replay.Script{
			replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "a", "11")), replay.Hold()),
		}, replay.Options{})
		a := parsed(t, replay.ConfigMaps, "--resource-version", "10", "--count", "1")
		l := a.looped(t, srv, &bytes.Buffer{}, &bytes.Buffer{})
		require.NoError(t, l.run(t.Context()))
		assert.Equal(t, "11", l.sources[0].watcher.State().ResourceVersion)
	})
}

func TestFlagsBecomeAWatcher(t *testing.T) {
	full := parsed(t, strings.Fields(`/apis/apps/v1/namespaces/t/deployments web -l app=x --field-selector a=b
		--resource-version 7 --chunk-size 20 --persist --on-expired fail --on-unknown-error retry --on-unknown-event fail
		--max-reconnects 4 --backoff-min 1s --backoff-max 2s --watch-timeout 3m --idle-timeout 4m --max-frame 1Mi
		--no-track --bookmarks --metadata-only`)...).watcher()
	assert.Equal(t, stream.Target{Group: "apps", Version: "v1", Resource: "deployments", Namespace: "t", Name: "web", LabelSelector: "app=x", FieldSelector: "a=b"}, full.Target)
	assert.Equal(t, stream.StartExact, full.Start)
	assert.Equal(t, "7", full.ResourceVersion)
	assert.Equal(t, stream.Policy{
		OnExpired: stream.StopExpired, OnErrorEvent: stream.RetryErrorEvent, OnUnknownEvent: stream.StopUnknownEvent,
		OnFirstContact: stream.RetryUnreachable, Persist: true, MaxReconnects: 4,
	}, full.Policy)
	assert.Equal(t, time.Second, full.Backoff.Min)
	assert.Equal(t, 2*time.Second, full.Backoff.Max)
	assert.Equal(t, []time.Duration{3 * time.Minute, 4 * time.Minute}, []time.Duration{full.WatchTimeout, full.IdleTimeout})
	assert.Equal(t, []int{20, 1 << 20}, []int{full.PageSize, full.MaxFrame})
	assert.True(t, full.Untracked)
	assert.True(t, full.Bookmarks)
	assert.Equal(t, stream.MetadataOnly, full.View)

	plain := parsed(t, "pods").watcher()
	assert.Equal(t, stream.Policy{OnFirstContact: stream.StopFirstContact}, plain.Policy)
	assert.Equal(t, stream.StartList, plain.Start)
	assert.False(t, plain.Untracked)
	assert.Equal(t, stream.StartNow, parsed(t, "pods", "--watch-only").watcher().Start)
	assert.Equal(t, stream.StopErrorEvent, parsed(t, "pods", "--on-unknown-error", "fail").watcher().Policy.OnErrorEvent)

	any := parsed(t, "pods", "--resource-version", "0", "--chunk-size", "0").watcher()
	assert.Equal(t, stream.StartAny, any.Start)
	assert.Empty(t, any.ResourceVersion)
	assert.Negative(t, any.PageSize)

	raw := parsed(t, "pods", "-o", "raw").watcher()
	assert.Equal(t, stream.StartNow, raw.Start)
	assert.True(t, raw.Bookmarks, "as received")
	assert.Equal(t, stream.StartStream, parsed(t, "pods", "--start", "stream").watcher().Start)
	assert.True(t, parsed(t, "pods", "--once", "--checkpoint", "x").watcher().ListFirst)
	assert.False(t, parsed(t, "pods", "--checkpoint", "x").watcher().ListFirst)
}
