package stream_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What one process leaves for the next.

func checkpoint(file string) func(*stream.Watcher) {
	return func(w *stream.Watcher) { w.Checkpoint = stream.CheckpointFile(file) }
}

// left is a checkpoint as a first process leaves it: a and b known, resumable
// from 12.
func left(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "state")
	r := newRig(t, func(r *rig) replay.Script {
		return replay.Script{
			listOf("10", item("a", "3"), item("b", "5")),
			watchOf("10", ev("MODIFIED", "a", "11")+bm("12"), r.stop()...),
		}
	}, checkpoint(file))
	r.played("ADDED a 3", "ADDED b 5", "SYNCED 10", "MODIFIED a 11")
	r.srv.Close()
	return file
}

func TestCheckpoint(t *testing.T) {
	bubble(t, "the next process resumes, after a look at the server", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("15"), watchOf("12", ev("DELETED", "b", "14"), r.stop()...)}
		}, checkpoint(file))
		r.played("DELETED b 14")
		assert.True(t, r.w.State().Synced)
	})
	bubble(t, "deletes made while no process ran are found", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				probe("90"), watchOf("12", gone, end),
				listOf("90", item("a", "11"), item("c", "80")),
				watchOf("90", "", r.stop()...),
			}
		}, checkpoint(file))
		var kinds []string
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil {
				kinds = append(kinds, line(ev)+" "+ev.Kind)
			}
		}
		assert.Equal(t, []string{"GAP 12 ", "ADDED c 80 ConfigMap", "DELETED b 5 inferred ConfigMap", "SYNCED 90 "}, kinds)
	})
	bubble(t, "a probe that fails is an outage", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{on(list, refused(403, "Forbidden")...), watchOf("12", "", r.stop()...)}
		}, checkpoint(file))
		r.played()
	})
	bubble(t, "a server that went back meanwhile", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("7"), listOf("7", item("a", "3")), watchOf("7", "", r.stop()...)}
		}, checkpoint(file))
		r.played("GAP 12", "MODIFIED a 3", "DELETED b 5 inferred", "SYNCED 7")
	})
	bubble(t, "ListFirst: what has changed since, and Synced", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("20", item("a", "11"), item("c", "18")), watchOf("20", "", r.stop()...)}
		}, checkpoint(file), func(w *stream.Watcher) { w.ListFirst = true })
		r.played("ADDED c 18", "DELETED b 5 inferred", "SYNCED 20")
	})
	bubble(t, "a process that ended in the middle of its first list", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10", item("a", "3"), item("b", "5"))}
		}, checkpoint(file))
		assert.Len(t, r.take(2), 2)
		r = newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("12", item("b", "5")), watchOf("12", "", r.stop()...)}
		}, checkpoint(file))
		r.played("ADDED b 5", "DELETED a 3 inferred", "SYNCED 12")
	})
	bubble(t, "a process that ended in the middle of a relist lists again, and says so", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("90"), watchOf("12", gone, end), listOf("90", item("a", "70"), item("c", "80"))}
		}, checkpoint(file))
		assert.Equal(t, []string{"GAP 12", "MODIFIED a 70", "ADDED c 80"}, r.take(3))
		r = newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("95", item("a", "70")), watchOf("95", "", r.stop()...)}
		}, checkpoint(file))
		r.played("GAP 12", "DELETED b 5 inferred", "SYNCED 95")
	})
	bubble(t, "a killed process: what came after the last write comes again, and no more", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		var image []byte // the file as the kill finds it
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "3")),
				on(watch("10"), replay.Respond(200),
					replay.Write(ev("ADDED", "b", "11")), replay.Pause(6*time.Second),
					replay.Write(ev("ADDED", "c", "12")), replay.Pause(time.Second),
					replay.Do(func() { image, _ = os.ReadFile(file) }),
					replay.Pause(time.Second), replay.Do(func() { r.cancel(errScriptOver) }), replay.Hold()),
			}
		}, checkpoint(file))
		r.played("ADDED a 3", "SYNCED 10", "ADDED b 11", "ADDED c 12")
		require.NoError(t, os.WriteFile(file, image, 0o600))
		r = newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("12"), watchOf("11", ev("ADDED", "c", "12"), r.stop()...)}
		}, checkpoint(file))
		r.played("ADDED c 12")
	})
	bubble(t, "under StopExpired no list is asked for, and the file keeps its resume point", func(t *testing.T) {
		file := left(t)
		for range 2 { // the next process is told the same
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{watchOf("12", gone, end)}
			}, checkpoint(file), func(w *stream.Watcher) { w.Policy.OnExpired = stream.StopExpired })
			assert.Empty(t, r.all())
			assert.ErrorIs(t, r.err, status.ErrExpired)
		}
	})
	bubble(t, "the file is written, and the lock given up, before the last pair", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("15"), watchOf("12", ev("ADDED", "c", "14"), r.stop()...)}
		}, checkpoint(file))
		for _, err := range r.w.Watch(r.ctx) {
			if err != nil {
				saved, _ := os.ReadFile(file)
				assert.Contains(t, string(saved), `"resourceVersion":"14"`)
				assert.Equal(t, stream.PhaseIdle, r.w.State().Phase)
			}
		}
	})
	bubble(t, "ListFirst, interrupted, is no loss of history", func(t *testing.T) {
		file := left(t)
		listFirst := func(w *stream.Watcher) { w.ListFirst = true }
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("20", item("a", "15"), item("c", "18"))}
		}, checkpoint(file), listFirst)
		assert.Equal(t, []string{"MODIFIED a 15", "ADDED c 18"}, r.take(2))
		r = newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("20", item("a", "15"), item("c", "18")), watchOf("20", "", r.stop()...)}
		}, checkpoint(file), listFirst)
		r.played("ADDED c 18", "DELETED b 5 inferred", "SYNCED 20")
	})
	bubble(t, "a range after a failed write writes again", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "disk")
		require.NoError(t, os.Mkdir(dir, 0o700))
		file := filepath.Join(dir, "state")
		seen := false
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "3")),
				watchOf("10", ev("ADDED", "b", "11"), replay.Hold()),
				on(watch("10"), replay.Respond(200), replay.Pause(time.Minute),
					replay.Do(func() { _, err := os.Stat(file); seen = err == nil }),
					replay.Do(func() { r.cancel(errScriptOver) }), replay.Hold()),
			}
		}, checkpoint(file))
		for ev := range r.w.Watch(r.ctx) {
			if ev.Name == "b" {
				require.NoError(t, os.RemoveAll(dir))
				break
			}
		}
		require.Error(t, r.w.State().CheckpointError)
		require.NoError(t, os.Mkdir(dir, 0o700))
		r.played()
		assert.True(t, seen, "no file a minute into the second range")
		assert.NoError(t, r.w.State().CheckpointError)
	})
	bubble(t, "the timer, in the moment of the first event", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				on(watch("10"), append([]replay.Step{replay.Respond(200), replay.Pause(5 * time.Second), replay.Write(ev("ADDED", "a", "11"))}, r.stop()...)...),
			}
		}, checkpoint(file))
		r.played("SYNCED 10", "ADDED a 11") // for the race detector
	})
	bubble(t, "two ranges of one Watcher read the file once", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "3")),
				watchOf("10", ev("MODIFIED", "a", "11"), replay.Hold()),
				watchOf("10", ev("MODIFIED", "a", "11"), r.stop()...),
			}
		}, checkpoint(file))
		assert.Len(t, r.take(3), 3)
		r.played("MODIFIED a 11")
	})
}

func TestCheckpointHoldsNoCredentials(t *testing.T) {
	bubble(t, "of the server's URL", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", "", r.stop()...)}
		}, checkpoint(file))
		server := *r.w.Server
		server.User = url.UserPassword("someone", "hunter2")
		r.w.Server = &server
		r.played("SYNCED 10")
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(written), `"server":"`)
		assert.NotContains(t, string(written), "someone")
		assert.NotContains(t, string(written), "hunter2")
	})
}

func TestCheckpointThatCannotBeUsed(t *testing.T) {
	refusedFile := func(t *testing.T, file string, want error, set ...func(*stream.Watcher)) {
		t.Helper()
		before, _ := os.ReadFile(file)
		r := newRig(t, func(r *rig) replay.Script { return nil }, append(set, checkpoint(file))...)
		require.Empty(t, r.all())
		var bad *stream.CheckpointError
		require.ErrorAs(t, r.err, &bad)
		assert.Equal(t, file, bad.Path)
		if want != nil {
			assert.ErrorIs(t, r.err, want)
		}
		assert.NotContains(t, r.err.Error(), "\n")
		after, _ := os.ReadFile(file)
		assert.Equal(t, before, after, "the file is left as it is")
	}
	bubble(t, "cut at every byte", func(t *testing.T) {
		whole, err := os.ReadFile(left(t))
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "cut")
		for n := range len(whole) {
			require.NoError(t, os.WriteFile(file, whole[:n], 0o600))
			refusedFile(t, file, stream.ErrCheckpointCorrupt)
		}
	})
	bubble(t, "one byte changed", func(t *testing.T) {
		whole, err := os.ReadFile(left(t))
		require.NoError(t, err)
		file := filepath.Join(t.TempDir(), "changed")
		text := strings.Replace(string(whole), `"b"`, `"x"`, 1)
		require.NotEqual(t, string(whole), text)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		refusedFile(t, file, stream.ErrCheckpointCorrupt)
		require.NoError(t, os.WriteFile(file, append(whole, "x"...), 0o600))
		refusedFile(t, file, stream.ErrCheckpointCorrupt)
	})
	bubble(t, "of a later version", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "later")
		require.NoError(t, os.WriteFile(file, []byte(`{"rawwatch":"checkpoint","format":3}`+"\n"), 0o600))
		refusedFile(t, file, stream.ErrCheckpointFormat)
	})
	for name, set := range map[string]func(*stream.Watcher){
		"namespace":      func(w *stream.Watcher) { w.Target.Namespace = "other" },
		"resource":       func(w *stream.Watcher) { w.Target.Resource = "pods" },
		"label selector": func(w *stream.Watcher) { w.Target.LabelSelector = "a=b" },
		"view":           func(w *stream.Watcher) { w.View = stream.MetadataOnly },
		"server":         func(w *stream.Watcher) { u := *w.Server; u.Host = "other.test"; w.Server = &u },
		"index":          func(w *stream.Watcher) { w.Untracked = true },
	} {
		bubble(t, "of another watch: "+name, func(t *testing.T) {
			file := left(t)
			refusedFile(t, file, stream.ErrCheckpointOther, set)
			r := newRig(t, func(r *rig) replay.Script { return nil }, checkpoint(file), set)
			r.all()
			assert.ErrorContains(t, r.err, name)
		})
	}
	bubble(t, "in use", func(t *testing.T) {
		file := left(t)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("15"), watchOf("12", ev("ADDED", "c", "14"), replay.Hold())}
		}, checkpoint(file))
		for range r.w.Watch(r.ctx) {
			refusedFile(t, file, stream.ErrCheckpointLocked)
			break
		}
	})
	bubble(t, "no path, a folder, a device", func(t *testing.T) {
		for _, file := range []string{"", t.TempDir()} {
			refusedFile(t, file, nil)
		}
	})
	bubble(t, "in use by way of a link", func(t *testing.T) {
		file := left(t)
		link := file + ".link"
		require.NoError(t, os.Symlink(file, link))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{probe("15"), watchOf("12", ev("ADDED", "c", "14"), replay.Hold())}
		}, checkpoint(link))
		for range r.w.Watch(r.ctx) {
			refusedFile(t, file, stream.ErrCheckpointLocked)
			break
		}
		info, err := os.Lstat(link)
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&os.ModeSymlink, "the link is still one")
	})
	bubble(t, "in a folder that is not there", func(t *testing.T) {
		refusedFile(t, filepath.Join(t.TempDir(), "no", "state"), os.ErrNotExist)
	})
	bubble(t, "a disk that fails later ends nothing, and is said", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "disk")
		require.NoError(t, os.Mkdir(dir, 0o700))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "3")),
				watchOf("10", ev("ADDED", "b", "11"), append([]replay.Step{replay.Pause(20 * time.Second)}, r.stop()...)...),
			}
		}, checkpoint(filepath.Join(dir, "state")))
		var got []string
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil {
				got = append(got, line(ev))
				require.NoError(t, os.RemoveAll(dir))
			}
		}
		assert.Equal(t, []string{"ADDED a 3", "SYNCED 10", "ADDED b 11"}, got)
		assert.ErrorIs(t, r.w.State().CheckpointError, os.ErrNotExist)
	})
}

// A file that somebody has written to between two ranges is read again, even if
// it is as long as before.
func TestCheckpointThatWasTouchedIsReadAgain(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "state")
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10", item("a", "3")), watchOf("10", "", r.stop()...)}
		}, checkpoint(file))
		r.played("ADDED a 3", "SYNCED 10")
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		require.NoError(t, err)
		_, err = f.WriteAt([]byte("#"), 60)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		later := time.Now().AddDate(100, 0, 0)
		require.NoError(t, os.Chtimes(file, later, later))
		for _, err = range r.w.Watch(t.Context()) {
		}
		assert.ErrorAs(t, err, new(*stream.CheckpointError))
	})
}
