package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Chaos: a live server, objects that change, faults of every kind at random
// places, and a consumer that is slow, leaves, and is killed, in virtual time.
// What the consumer was told is compared with what was done (package history).
//
//	chaos_test.go            what is done to objects and server, and the verdict
//	chaos_faults_test.go     what happens to answers
//	chaos_consumer_test.go   who listens, and how its process ends
//
// A run is its seed: RAWWATCH_CHAOS_SEED=n plays one, RAWWATCH_CHAOS_RUNS=n the
// first n. (What happens to a merged watch also depends on which source is
// scheduled first, so such a run may have to be played a few times.) One run in
// 50 has a network of bytes between client and server, with net/http's own
// errors; the others ask the server directly, which is what makes so many runs
// possible.
func TestChaos(t *testing.T) {
	if seed, err := strconv.ParseUint(os.Getenv("RAWWATCH_CHAOS_SEED"), 10, 64); err == nil {
		synctest.Test(t, func(t *testing.T) { newChaos(t, seed).run() })
		return
	}
	runs := chaosRuns
	if testing.Short() {
		runs /= 10
	}
	if n, err := strconv.Atoi(os.Getenv("RAWWATCH_CHAOS_RUNS")); err == nil {
		runs = n
	}
	var seeds, failed atomic.Int64
	for shard := range runtime.GOMAXPROCS(0) {
		t.Run(fmt.Sprint("shard ", shard), func(t *testing.T) {
			t.Parallel()
			for seed := seeds.Add(1); seed <= int64(runs) && failed.Load() == 0; seed = seeds.Add(1) {
				synctest.Test(t, func(t *testing.T) { newChaos(t, uint64(seed)).run() })
				if t.Failed() {
					failed.Store(seed)
					t.Fatalf("play it again with RAWWATCH_CHAOS_SEED=%d", seed)
				}
			}
		})
	}
}

// chaos is one run.
type chaos struct {
	*testing.T
	seed  uint64
	rand  *rand.Rand // of the goroutine that changes objects
	store *replay.Store
	to    http.RoundTripper // the store
	url   *url.URL
	calm  atomic.Bool // no more faults

	crashes bool   // the consumer's process is killed now and then
	shared  bool   // one checkpoint file for all sources
	folder  string // of the checkpoints, "" for none

	mu      sync.Mutex // of what follows, and of what a source has seen
	sources []*source
	process *process   // that runs
	images  int        // folders made so far
	disk    *rand.Rand // of what happens to files
	backups []backup
	log     []string // what was done, for a run that fails
}

// source is a collection, and what its consumer has been told.
type source struct {
	namespace string
	ledger    history.Ledger
	set       func(*stream.Watcher)
	persists  bool             // Policy.Persist
	from      history.Position // where the consumer starts; nil: with a list

	chance          sync.Mutex // of the three below
	answers, bodies *rand.Rand // of the faults
	last            int        // the last answer that was not the server's

	events []history.Event // that the consumer has acted on
	// passed: the event in the consumer's hand is one it will not act on.
	passed bool
	saved  int // so many of events had been acknowledged when the checkpoint was written
}

// backup is a state of the server that it can be turned back to.
type backup struct {
	version string
	at      []history.Position // of each source
}

func newChaos(t *testing.T, seed uint64) *chaos {
	random := func(what uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, what)) }
	c := &chaos{T: t, seed: seed, rand: random(100), disk: random(101)}
	c.store = &replay.Store{
		Window:           []int{5, 20, 1000}[c.rand.IntN(3)],
		NoStreamingLists: c.rand.IntN(2) == 0,
		Resources: []replay.Resource{{
			Version: "v1", Plural: "configmaps", Kind: "ConfigMap",
			Custom: c.rand.IntN(3) == 0, // the items of a list come before its version
		}},
	}
	c.store.Intercept = c.intercept
	for i := range []uint64{1, 1, 1, 2, 3}[c.rand.IntN(5)] {
		c.sources = append(c.sources, &source{namespace: string('t' + rune(i)), answers: random(3*i + 1), bodies: random(3*i + 2)})
	}
	if c.rand.IntN(4) == 0 {
		c.folder = fastFolder(t)
		c.crashes, c.shared = c.rand.IntN(4) > 0, c.rand.IntN(2) == 0
	}
	return c
}

func (c *chaos) run() {
	for range c.rand.IntN(20) {
		c.change()
	}
	for _, src := range c.sources {
		c.choose(src)
	}
	c.to, c.url = c.store, &url.URL{Scheme: "http", Host: "server"}
	if c.seed%50 == 0 {
		srv := c.store.NewServer(ignoreLeftovers{c.T}, replay.Options{})
		defer srv.Close()
		c.to, c.url = srv.Client().Transport, srv.URL()
	}
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	consumed := make(chan error)
	go func() { consumed <- c.consume(ctx) }()

	for range 40 + c.rand.IntN(120) {
		c.change()
		switch c.rand.IntN(6) {
		case 0:
			c.sleep(90 * time.Second)
		case 1, 2:
			c.sleep(1500 * time.Millisecond)
		}
		if c.rand.IntN(8) == 0 {
			c.disturb()
		}
	}
	c.calm.Store(true)
	c.store.EndWatches(replay.Cut()) // whoever waits for a peer that is gone
	c.settle()
	cancel()
	if err := <-consumed; !errors.Is(err, context.Canceled) {
		c.fail(err)
	}
	for _, src := range c.sources {
		if err := src.ledger.Check(src.from, src.events); err != nil {
			c.fail(err)
		}
	}
}

func (c *chaos) fail(err error) {
	c.Errorf("seed %d: %v\nwhat was done:\n%s", c.seed, err, strings.Join(c.log, "\n"))
}

// note adds to the log. The caller holds mu, if the consumer runs.
func (c *chaos) note(format string, args ...any) {
	c.log = append(c.log, fmt.Sprintf("%s, at %s: ", time.Now().Format("15:04:05"), c.store.ResourceVersion())+fmt.Sprintf(format, args...))
}

// sleep waits for up to d. Never a round time: two things that happen in the
// same nanosecond would happen in any order, and the run would not be its seed.
func (c *chaos) sleep(d time.Duration) { time.Sleep(time.Duration(c.rand.Int64N(int64(d)))) }

// settle waits until the consumer knows what there is, and a little longer.
func (c *chaos) settle() {
	for range 24 * 60 {
		c.sleep(2 * time.Minute)
		if c.settled() {
			break
		}
	}
	c.sleep(10 * time.Minute)
}

func (c *chaos) settled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.process == nil || c.process.dead {
		return false
	}
	for i, src := range c.sources {
		// A watch from a version that the server does not have any more may
		// look settled until the server gets there; so may a consumer that
		// sleeps on what was sent before.
		w := c.process.watchers[i]
		at := w.State().ResourceVersion
		if w.InHand() || at == "" || newer(at, c.store.ResourceVersion()) || src.ledger.Unsettled(src.from, src.events) != "" {
			return false
		}
	}
	return true
}

func newer(a, b string) bool {
	x, _ := strconv.ParseUint(a, 10, 64)
	y, _ := strconv.ParseUint(b, 10, 64)
	return x > y
}

// change does something to an object.
func (c *chaos) change() {
	src := c.sources[c.rand.IntN(len(c.sources))]
	key := history.Key{Namespace: src.namespace, Name: fmt.Sprint("n", c.rand.IntN(8))}
	if uid := src.ledger.UID(key); uid != "" && c.rand.IntN(3) == 0 {
		src.ledger.Gone(key, uid, c.store.Delete("configmaps", key.Namespace, key.Name))
	} else {
		version, err := c.store.Put("configmaps", fmt.Sprintf(`{"metadata":{"name":%q,"namespace":%q},"data":{"k":"%d"}}`, key.Name, key.Namespace, c.rand.Uint32()))
		if err != nil {
			c.Fatal(err)
		}
		src.ledger.Did(key, c.store.UID("configmaps", key.Namespace, key.Name), version)
	}
	if c.rand.IntN(4) == 0 {
		b := backup{version: c.store.ResourceVersion()}
		for _, src := range c.sources {
			b.at = append(b.at, src.ledger.Now())
		}
		c.backups = append(c.backups, b)
	}
}

// disturb does something to the server, or to the consumer's process.
func (c *chaos) disturb() {
	what := c.rand.IntN(10)
	c.mu.Lock()
	c.note("disturbance %d", what)
	c.mu.Unlock()
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
	case 7:
		c.store.Advance(1 + c.rand.IntN(30))
	case 8:
		c.restore()
	case 9:
		if c.crashes {
			c.mu.Lock()
			c.crash(nil)
			c.mu.Unlock()
		}
	}
}

var restored = history.Event{Type: "RESTORED"}

// restore turns the server back, as restoring a backup does. Then nothing
// changes until the consumer has found out: once the server has written as much
// as it has lost, nothing tells its versions from those that are known.
func (c *chaos) restore() {
	if len(c.backups) == 0 {
		return
	}
	b := c.backups[len(c.backups)-1-c.rand.IntN(min(len(c.backups), 4))]
	c.mu.Lock()
	done := c.store.Restore(b.version)
	for i, src := range c.sources {
		if done {
			src.ledger.Restore(b.at[i])
			src.events = append(src.events, restored)
		}
	}
	c.mu.Unlock()
	if done { // or history does not go back that far
		c.backups = nil
		c.settle()
	}
}
