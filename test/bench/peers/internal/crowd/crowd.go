// Package crowd is what peers are told that watch many collections at once: the
// configmaps of the namespaces n-0, n-1, ... They say how long it took until
// each had seen what exists, wait for a while, and say what they weigh and how
// late events came. It imports little, for what it imports is in every peer.
package crowd

import (
	"bytes"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/rawwatch/test/bench/peers/internal/self"
)

// Crowd is the flags of a peer.
type Crowd struct {
	Server, CA, Token string        // the URL, a file, a bearer token
	Life              time.Duration // of a stream, as the peer may ask for it
	watches           int
	wait              time.Duration

	start  time.Time
	before float64 // resident, before the first watch
	synced sync.WaitGroup

	mu   sync.Mutex
	late []float64 // ms
}

// Flags registers the flags and parses them.
func Flags() *Crowd {
	c := new(Crowd)
	flag.StringVar(&c.Server, "server", "", "URL of the API server")
	flag.StringVar(&c.CA, "ca", "", "file of its certificate authority")
	flag.StringVar(&c.Token, "token", "", "bearer token")
	flag.IntVar(&c.watches, "watches", 1, "watches at once")
	flag.DurationVar(&c.Life, "life", 0, "how long a stream lives")
	flag.DurationVar(&c.wait, "wait", 0, "how long to wait once all are synced")
	flag.Parse()
	return c
}

// Run begins a watch for each namespace, waits, and ends the process. What one
// needs that all share has to be made before.
func (c *Crowd) Run(begin func(namespace string, synced func())) {
	c.start, c.before = time.Now(), resident()
	c.synced.Add(c.watches)
	for i := range c.watches {
		begin("n-"+strconv.Itoa(i), sync.OnceFunc(c.synced.Done))
	}
	c.synced.Wait()
	took := time.Since(c.start)
	time.Sleep(c.wait)

	now := resident()
	figures := map[string]float64{
		"synced ms":       float64(took) / float64(time.Millisecond),
		"goroutines each": float64(runtime.NumGoroutine()) / float64(c.watches),
		"KB each":         (now - c.before) / 1000 / float64(c.watches),
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.late) > 0 {
		slices.Sort(c.late)
		figures["p50 ms"], figures["p99 ms"] = c.late[len(c.late)/2], c.late[len(c.late)*99/100]
		figures["events"] = float64(len(c.late))
	}
	self.Report(figures)
}

// resident is the memory that the process has, without what is garbage, as it
// is when it has lived for a while: each run of the collector halves the stack
// of a goroutine that needs less than a quarter of it.
func resident() float64 {
	for range 5 {
		debug.FreeOSMemory()
	}
	_, now, err := self.Memory()
	if err != nil {
		self.Fail(err)
	}
	return now
}

var mark = []byte(`"sent":"`)

// Event counts how late the event with this object is, if it says when it was
// sent.
func (c *Crowd) Event(object []byte) {
	now := time.Now()
	_, rest, found := bytes.Cut(object, mark)
	if !found {
		return
	}
	digits, _, _ := bytes.Cut(rest, []byte(`"`))
	c.Sent(string(digits), now)
}

// Sent counts how late an event is that was sent at a time, in nanoseconds
// since 1970, and came at another.
func (c *Crowd) Sent(nanoseconds string, came time.Time) {
	sent, err := strconv.ParseInt(nanoseconds, 10, 64)
	if err != nil {
		self.Fail(fmt.Errorf("crowd: sent at %q: %w", nanoseconds, err))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, float64(came.UnixNano()-sent)/1e6)
}
