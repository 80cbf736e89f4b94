package stream_test

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMergeWithOneCheckpoint(t *testing.T) {
	// pair are two sources that share the file, in the order given.
	pair := func(t *testing.T, file string, a, b replay.Script) []*stream.Watcher {
		all := sources(t, a, b)
		kept := stream.CheckpointFile(file)
		for _, w := range all {
			w.Checkpoint = kept
		}
		return all
	}
	hold := replay.Hold()
	// left is a file as a first process leaves it: a known to source 0,
	// resumable from 11; b known to source 1, from 22.
	left := func(t *testing.T) string {
		file := filepath.Join(t.TempDir(), "state")
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		all := pair(t, file,
			replay.Script{listOf("10", item("a", "1")), watchOf("10", ev("MODIFIED", "a", "11"), hold)},
			replay.Script{listOf("20", item("b", "2")), watchOf("20", bm("22"), hold)},
		)
		assert.Len(t, lines(t, stream.Merge(ctx, all...)), 5)
		for _, w := range all {
			assert.NoError(t, w.State().CheckpointError)
		}
		return file
	}
	bubble(t, "each goes on where it was, and deletes made meanwhile are found", func(t *testing.T) {
		file := left(t)
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		all := pair(t, file,
			replay.Script{probe("30"), watchOf("11", ev("ADDED", "c", "12"), hold)},
			replay.Script{probe("30"), watchOf("22", gone, end), listOf("40"), watchOf("40", "", hold)},
		)
		slices.Reverse(all) // the order of the sources is not part of the file
		assert.ElementsMatch(t,
			[]string{"ADDED c 12", "GAP 22", "DELETED b 2 inferred", "SYNCED 40"},
			lines(t, stream.Merge(ctx, all...)))
	})
	bubble(t, "one range after another reads the file once", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		again := watchOf("20", "", hold)
		all := pair(t, file,
			replay.Script{listOf("10", item("a", "1")),
				watchOf("10", "", replay.Pause(time.Second), replay.Write(ev("ADDED", "x", "12")), hold),
				watchOf("10", ev("ADDED", "x", "12"), hold), watchOf("12", "", hold)},
			replay.Script{listOf("20"), again, again},
		)
		for ev := range stream.Merge(ctx, all...) {
			if ev.Name == "x" {
				break
			}
		}
		require.FileExists(t, file)
		var got []string
		for ev := range stream.Merge(ctx, all...) {
			got = append(got, line(ev))
			time.Sleep(time.Millisecond)
			ev.Source.Ack()
			break
		}
		assert.Equal(t, []string{"ADDED x 12"}, got)
		// And one of them alone: the file still is of both.
		short, stop := contextFor(t, time.Second)
		defer stop()
		assert.Empty(t, lines(t, all[0].Watch(short)))
		assert.NoError(t, all[0].State().CheckpointError)
		saved, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(saved), `"resourceVersion":"12"`)
		assert.Contains(t, string(saved), `"resourceVersion":"20"`)
	})
	bubble(t, "a killed process: what came after the last write comes again, and no more", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		var image []byte
		all := pair(t, file,
			replay.Script{listOf("10"), watchOf("10", ev("ADDED", "a", "11"), replay.Pause(6*time.Second), replay.Write(ev("ADDED", "b", "12")), hold)},
			replay.Script{listOf("20"), watchOf("20", ev("ADDED", "c", "21"), hold)},
		)
		shown := 0
		for ev, err := range stream.Merge(ctx, all...) {
			if err == nil {
				shown++
			}
			if ev.Name == "b" {
				image, _ = os.ReadFile(file) // as a kill in this moment leaves it
			}
		}
		assert.Equal(t, 5, shown)
		require.NoError(t, os.WriteFile(file, image, 0o600))
		ctx, cancel = contextFor(t, time.Minute)
		defer cancel()
		all = pair(t, file,
			replay.Script{probe("12"), watchOf("11", ev("ADDED", "b", "12"), hold)},
			replay.Script{probe("21"), watchOf("21", "", hold)},
		)
		assert.Equal(t, []string{"ADDED b 12"}, lines(t, stream.Merge(ctx, all...)))
	})
	bubble(t, "cut at every byte", func(t *testing.T) {
		file := left(t)
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		for n := range len(whole) {
			require.NoError(t, os.WriteFile(file, whole[:n], 0o600))
			assert.ErrorIs(t, failure(t, stream.Merge(ctx, pair(t, file, nil, nil)...)), stream.ErrCheckpointCorrupt)
		}
	})
	bubble(t, "a file of more, of fewer, or of others is refused", func(t *testing.T) {
		file := left(t)
		before, err := os.ReadFile(file)
		require.NoError(t, err)
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		for want, watchers := range map[string][]*stream.Watcher{
			"holds configmaps source-1 in namespace t too": pair(t, file, nil, nil)[:1],
			"has nothing of configmaps x":                  append(pair(t, file, nil, nil), &stream.Watcher{}),
			`its view is "object", not "metadata only"`:    pair(t, file, nil, nil),
		} {
			switch {
			case len(watchers) == 3:
				watchers[2].Server, watchers[2].Target, watchers[2].Checkpoint = watchers[0].Server, watchers[0].Target, watchers[0].Checkpoint
				watchers[2].Target.Name = "x"
			case len(watchers) == 2:
				watchers[0].View = stream.MetadataOnly
			}
			err := failure(t, stream.Merge(ctx, watchers...))
			assert.ErrorIs(t, err, stream.ErrCheckpointOther)
			assert.ErrorContains(t, err, want)
		}
		after, _ := os.ReadFile(file)
		assert.Equal(t, before, after, "the file is left as it is")
	})
	bubble(t, "in use", func(t *testing.T) {
		file := left(t)
		ctx, cancel := contextFor(t, time.Minute)
		defer cancel()
		all := pair(t, file, replay.Script{probe("15"), watchOf("11", ev("ADDED", "c", "14"), hold)}, replay.Script{probe("30"), watchOf("22", "", hold)})
		for range stream.Merge(ctx, all...) {
			assert.ErrorIs(t, failure(t, stream.Merge(ctx, pair(t, file, nil, nil)...)), stream.ErrCheckpointLocked)
			assert.ErrorIs(t, failure(t, stream.Merge(ctx, all...)), stream.ErrInUse)
			time.Sleep(time.Millisecond)
			break
		}
	})
	bubble(t, "the same watch twice", func(t *testing.T) {
		all := pair(t, filepath.Join(t.TempDir(), "state"), nil, nil)
		all[1].Target = all[0].Target
		var bad *stream.ConfigError
		assert.ErrorAs(t, failure(t, stream.Merge(t.Context(), all...)), &bad)
	})
}

// lines are the events until the script is over.
func lines(t *testing.T, events iter.Seq2[stream.Event, error]) (got []string) {
	t.Helper()
	for ev, err := range events {
		if err != nil {
			assert.ErrorIs(t, err, errScriptOver)
			continue
		}
		got = append(got, line(ev))
	}
	return got
}

// failure is the error of a range that shows no event.
func failure(t *testing.T, events iter.Seq2[stream.Event, error]) (failed error) {
	t.Helper()
	for ev, err := range events {
		assert.Error(t, err, line(ev))
		failed = err
	}
	return failed
}
