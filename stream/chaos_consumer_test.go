package stream_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
)

// process is the program that a consumer runs in, from its start to the kill.
type process struct {
	watchers []*stream.Watcher // of each source
	cancel   context.CancelFunc
	dead     bool // killed: whatever its goroutines still do, nobody sees
}

// choose decides how the consumer watches a source.
func (c *chaos) choose(src *source) {
	src.last = -1
	src.persists = c.rand.IntN(2) == 0
	view := stream.View(c.rand.IntN(3))
	start := []stream.Start{stream.StartList, stream.StartStream, stream.StartExact}[min(c.rand.IntN(5)/2, 2)]
	version := ""
	if start == stream.StartExact {
		src.from, version = src.ledger.Now(), c.store.ResourceVersion()
	}
	cached, pageSize := c.rand.IntN(5) == 0, []int{1, 3, 500}[c.rand.IntN(3)]
	src.set = func(w *stream.Watcher) {
		w.Target = stream.Target{Version: "v1", Resource: "configmaps", Namespace: src.namespace}
		w.Start, w.ResourceVersion, w.View, w.CachedList, w.PageSize = start, version, view, cached, pageSize
		w.Policy.Persist = src.persists
	}
}

// start starts a process on the checkpoints of the one before.
func (c *chaos) start(ctx context.Context, r *rand.Rand) (context.Context, *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := &process{}
	ctx, p.cancel = context.WithCancel(ctx)
	shared := stream.CheckpointFile(filepath.Join(c.folder, "all"))
	shared.OnWrite(func(path string, write func(string) error) error {
		return c.save(p, c.sources, path, write)
	})
	for _, src := range c.sources {
		w := &stream.Watcher{
			Client: &http.Client{Transport: network{c, src}}, Server: c.url,
			Rand: rand.New(rand.NewPCG(c.seed, r.Uint64())),
		}
		src.set(w)
		if c.folder != "" {
			w.Checkpoint = shared
			if !c.shared {
				w.Checkpoint = stream.CheckpointFile(c.file(src))
				w.Checkpoint.OnWrite(func(path string, write func(string) error) error {
					return c.save(p, []*source{src}, path, write)
				})
			}
			if _, err := os.Stat(c.file(src)); err == nil && r.IntN(4) == 0 {
				// It compares without a word, so what was missed comes
				// collapsed, as after a Gap.
				w.ListFirst = true
				whole := src.from == nil || slices.ContainsFunc(src.events, func(e history.Event) bool { return e.Type == "SYNCED" })
				src.events = append(src.events, history.Event{Type: "GAP", Partial: !whole})
			}
		}
		p.watchers = append(p.watchers, w)
	}
	c.process = p
	return ctx, p
}

// file is the checkpoint that a source is in.
func (c *chaos) file(src *source) string {
	if c.shared {
		return filepath.Join(c.folder, "all")
	}
	return filepath.Join(c.folder, src.namespace)
}

// errLeft is the cause when the consumer cancels a range.
var errLeft = errors.New("the consumer has left")

// consume is the consumer: process after process, and in each, range after
// range. It returns the error that ended the last.
func (c *chaos) consume(ctx context.Context) error {
	r := rand.New(rand.NewPCG(c.seed, 1<<32))
	for {
		ctx, p := c.start(ctx, r)
		for {
			err := c.iterate(ctx, p, r)
			c.mu.Lock()
			dead := p.dead
			c.mu.Unlock()
			if dead {
				break
			}
			if err != nil && err != errLeft {
				p.cancel()
				return err
			}
		}
	}
}

// iterate is one range. nil: the consumer broke the loop.
func (c *chaos) iterate(ctx context.Context, p *process, r *rand.Rand) error {
	if r.IntN(4) == 0 && !c.calm.Load() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(r.Int64N(int64(3*time.Minute))), errLeft)
		defer cancel()
	}
	events := p.watchers[0].Watch(ctx)
	if len(p.watchers) > 1 {
		events = stream.Merge(ctx, p.watchers...)
	}
	for ev, err := range events {
		if err != nil {
			return err
		}
		act := r.IntN(12) > 0
		if !c.see(p, ev, act) {
			return nil
		}
		if r.IntN(20) == 0 {
			time.Sleep(time.Duration(r.Int64N(int64(30 * time.Second))))
		}
		switch {
		case !act:
			return nil // it comes again
		case r.IntN(25) == 0:
			ev.Source.Ack()
			return nil
		}
	}
	return nil
}

// see takes note of an event. It reports whether the process is alive.
func (c *chaos) see(p *process, ev stream.Event, act bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.dead {
		return false
	}
	for i, w := range p.watchers {
		if w != ev.Source {
			continue
		}
		src := c.sources[i]
		if src.passed = !act; act {
			src.events = append(src.events, told(ev))
		}
	}
	return true
}

// save is a write of the checkpoint of some sources. The disk may be full, and the process may be
// killed in the middle of it.
func (c *chaos) save(p *process, of []*source, path string, write func(string) error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p.dead {
		return nil
	}
	r, calm := c.disk, c.calm.Load()
	if !calm && r.IntN(20) == 0 {
		return syscall.ENOSPC
	}
	if !calm && c.crashes && r.IntN(20) == 0 {
		// The temporary file is there, up to any byte.
		whole := path + ".whole"
		if err := write(whole); err != nil {
			return err
		}
		text, err := os.ReadFile(whole)
		os.Remove(whole)
		if err == nil {
			c.crash(func(folder string) error {
				return os.WriteFile(filepath.Join(folder, filepath.Base(path)+".tmp"), text[:r.IntN(len(text)+1)], 0o600)
			})
		}
		return err
	}
	err := write(path)
	if err == nil {
		for i, w := range p.watchers {
			if src := c.sources[i]; slices.Contains(of, src) {
				src.note(w)
			}
		}
		if !calm && c.crashes && r.IntN(20) == 0 {
			c.crash(nil)
		}
	}
	return err
}

// note: the checkpoint has been written.
func (src *source) note(w *stream.Watcher) {
	src.saved = len(src.events)
	last := src.saved - 1
	for last >= 0 && src.events[last] == restored {
		last--
	}
	if last < 0 || src.passed {
		return
	}
	e := src.events[last]
	if w.Holds(stream.EventType(e.Type), e.Namespace, e.Name, e.Version) {
		src.saved = last // it is not acknowledged
	}
}

// crash kills the process, as kill -9 does at any instruction: the next one
// finds the disk as it is now, and change, if not nil, is what else is on it.
// What came after the last write of a checkpoint may come again. So the
// consumer forgets it, and from then on nothing may come again, nor be missing.
// The caller holds mu.
func (c *chaos) crash(change func(folder string) error) {
	p := c.process
	if p == nil || p.dead {
		return
	}
	p.dead = true
	p.cancel()
	c.images++
	image := filepath.Join(filepath.Dir(c.folder), "image "+string(rune('a'+c.images%26)))
	os.RemoveAll(image)
	err := os.CopyFS(image, os.DirFS(c.folder))
	if err == nil && change != nil {
		err = change(image)
	}
	if err != nil {
		c.Error(err)
	}
	c.folder = image
	for _, src := range c.sources {
		if _, err := os.Stat(c.file(src)); err != nil {
			src.saved = 0 // never written
		}
		c.note("killed: %s forgets %d of %d events", src.namespace, len(src.events)-src.saved, len(src.events))
		var kept []history.Event
		for i, e := range src.events {
			if i < src.saved || e == restored {
				kept = append(kept, e)
			}
		}
		src.events = kept
	}
}

// fastFolder is a folder for checkpoints, in memory where the system has one:
// on a disk the test would wait for nothing but fsync.
func fastFolder(t *testing.T) string {
	folder, err := os.MkdirTemp("/dev/shm", "rawwatch")
	if err != nil {
		folder = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	folder = filepath.Join(folder, "0")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return folder
}
