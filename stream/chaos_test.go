package stream_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Chaos: a live server, objects that change, and faults of every kind at
// random places, in virtual time. What the consumer was told is compared with
// what was done (package history).
//
// A run is its seed: RAWWATCH_CHAOS_SEED=n plays one, RAWWATCH_CHAOS_RUNS=n so
// many.
func TestChaos(t *testing.T) {
	first, runs := uint64(1), 200
	if testing.Short() {
		runs = 50
	}
	if n, err := strconv.Atoi(os.Getenv("RAWWATCH_CHAOS_RUNS")); err == nil {
		runs = n
	}
	if n, err := strconv.ParseUint(os.Getenv("RAWWATCH_CHAOS_SEED"), 10, 64); err == nil {
		first, runs = n, 1
	}
	for seed := first; seed < first+uint64(runs); seed++ {
		synctest.Test(t, func(t *testing.T) { newChaos(t, seed).run() })
		if t.Failed() {
			t.Fatalf("play it again with RAWWATCH_CHAOS_SEED=%d", seed)
		}
	}
}

// chaos is one run.
type chaos struct {
	*testing.T
	seed   uint64
	rand   *rand.Rand // of the goroutine that changes objects
	store  *replay.Store
	ledger history.Ledger
	srv    *replay.Server

	calm   atomic.Bool // no more faults
	fates  *rand.Rand  // of the transport, on the consumer's goroutine
	file   string      // of the checkpoint, "" for none
	events []history.Event
	log    []string // what was done, for a run that fails
}

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{T: t, seed: seed, rand: rand.New(rand.NewPCG(seed, 1)), fates: rand.New(rand.NewPCG(seed, 2))}
	c.store = &replay.Store{
		Window:           []int{5, 20, 1000}[c.rand.IntN(3)],
		NoStreamingLists: c.rand.IntN(2) == 0,
	}
	c.store.Intercept = c.intercept()
	if c.rand.IntN(3) == 0 {
		c.file = filepath.Join(t.TempDir(), "checkpoint")
	}
	return c
}

func (c *chaos) run() {
	for range c.rand.IntN(20) {
		c.change()
	}
	c.srv = c.store.NewServer(ignoreLeftovers{c.T}, replay.Options{})
	defer c.srv.Close()

	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	consumed := make(chan error)
	go func() { consumed <- c.consume(ctx) }()

	for range 40 + c.rand.IntN(120) {
		c.change()
		switch c.rand.IntN(6) {
		case 0:
			time.Sleep(time.Duration(c.rand.IntN(90)) * time.Second)
		case 1, 2:
			time.Sleep(time.Duration(c.rand.IntN(1500)) * time.Millisecond)
		}
		if c.rand.IntN(8) == 0 {
			c.disturb()
		}
	}
	c.calm.Store(true)
	c.store.EndWatches(replay.Cut()) // whoever waits for a peer that is gone
	time.Sleep(2 * time.Hour)
	cancel()
	if err := <-consumed; !errors.Is(err, context.Canceled) {
		c.Errorf("seed %d: the watch ended with %v", c.seed, err)
	}
	if err := c.ledger.Check(nil, c.events); err != nil {
		c.Errorf("seed %d: %v\nwhat was done: %v", c.seed, err, c.log)
	}
}

// change does something to an object.
func (c *chaos) change() {
	key := history.Key{Namespace: "t", Name: fmt.Sprint("n", c.rand.IntN(8))}
	if c.ledger.UID(key) != "" && c.rand.IntN(3) == 0 {
		uid := c.ledger.UID(key)
		c.ledger.Gone(key, uid, c.store.Delete("configmaps", key.Namespace, key.Name))
		return
	}
	version := c.store.PutItem(key.Name, fmt.Sprint(c.rand.Uint32()))
	c.ledger.Did(key, c.store.UID("configmaps", key.Namespace, key.Name), version)
}

// disturb does something to the server.
func (c *chaos) disturb() {
	what := c.rand.IntN(7)
	c.log = append(c.log, fmt.Sprintf("at %s: %d", c.store.ResourceVersion(), what))
	switch what {
	case 0:
		c.store.EndWatches(replay.End())
	case 1:
		c.store.EndWatches(replay.Cut())
	case 2:
		c.store.EndWatches(replay.Reset())
	case 3:
		c.store.EndWatches(replay.Write(`{"type":"MODIFIED","object":{"kind":"Conf`), replay.Cut())
	case 4:
		c.store.EndWatches(replay.Write("garbage\n"), replay.End())
	case 5:
		c.store.Compact()
		c.store.EndWatches(replay.End())
	case 6:
		c.store.Bookmark()
	}
}

// intercept answers some requests in the server's place.
func (c *chaos) intercept() func(*http.Request) []replay.Step {
	fates := rand.New(rand.NewPCG(c.seed, 3))
	return func(r *http.Request) []replay.Step {
		if c.calm.Load() || fates.IntN(5) > 0 {
			return nil
		}
		watch := r.URL.Query().Get("watch") == "true"
		switch what := fates.IntN(10); {
		case what == 0:
			return replay.JSON(503, "<html>upstream</html>", "Content-Type: text/html")
		case what == 1:
			return replay.JSON(429, replay.StatusRetry(429, "TooManyRequests", 1))
		case what == 2:
			return replay.JSON(500, replay.StatusBody(500, "InternalError"))
		case what == 3:
			return []replay.Step{replay.Cut()}
		case what == 4:
			return []replay.Step{replay.Reset()}
		case what == 5 && watch:
			return []replay.Step{replay.Respond(200), replay.End()}
		case what == 6 && watch:
			return []replay.Step{replay.Respond(200), replay.Write(replay.ErrorEvent(410, "Expired")), replay.End()}
		case what == 7 && watch:
			return []replay.Step{replay.Respond(200), replay.Write(replay.ErrorEvent(500, "InternalError")), replay.End()}
		case what == 8 && watch:
			return []replay.Step{replay.Respond(200), replay.Hold()}
		case what == 8:
			return replay.JSON(410, replay.StatusBody(410, "Expired"))
		}
		return nil
	}
}

// RoundTrip cuts some bodies at a random byte.
func (c *chaos) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := c.srv.Client().Transport.RoundTrip(r)
	if err == nil && !c.calm.Load() && c.fates.IntN(4) == 0 {
		resp.Body = &cutBody{resp.Body, c.fates.IntN(6000)}
	}
	return resp, err
}

// cutBody breaks after n bytes.
type cutBody struct {
	io.ReadCloser
	n int
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.n <= 0 {
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.n)])
	b.n -= n
	return n, err
}

// consume is a consumer that is slow, leaves its loop now and then, and with a
// checkpoint ends its process.
func (c *chaos) consume(ctx context.Context) error {
	r := rand.New(rand.NewPCG(c.seed, 4))
	process := func() *stream.Watcher {
		w := &stream.Watcher{
			Client: &http.Client{Transport: c}, Server: c.srv.URL(), Target: target,
			PageSize: 3, Rand: rand.New(rand.NewPCG(c.seed, 5)),
			Policy: stream.Policy{DeniedFor: time.Hour},
		}
		if c.seed%2 == 0 {
			w.Start = stream.StartStream
		}
		w.CachedList = c.seed%5 == 0
		if c.file != "" {
			w.Checkpoint = stream.CheckpointFile(c.file)
		}
		return w
	}
	w := process()
	for {
		for ev, err := range w.Watch(ctx) {
			if err != nil {
				return err
			}
			if r.IntN(20) == 0 {
				time.Sleep(time.Duration(r.IntN(30)) * time.Second)
			}
			acted := r.IntN(12) > 0
			if acted {
				c.events = append(c.events, told(ev))
			}
			if !acted {
				break // it comes again
			}
			if r.IntN(25) == 0 {
				w.Ack()
				if c.file != "" {
					w = process()
				}
				break
			}
		}
	}
}
