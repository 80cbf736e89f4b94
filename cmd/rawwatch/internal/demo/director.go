package demo

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/rawwatch/stream/replay"
)

// director is the server's side: it changes pods, and goes through the scenes.
type director struct {
	store  *replay.Store
	ledger *ledger
	tell   *narrator
	scenes []scene
	scene  time.Duration // the length of one
	tick   time.Duration // from one change to the next
	idle   time.Duration // the client's limit of silence

	rand  *rand.Rand
	pods  map[string]*pod
	named int // pods so far

	mu      sync.Mutex
	answers [][]replay.Step // to the next watches, in place of the store's
}

// pod is what the server knows of one.
type pod struct {
	phase   int // in phases
	version int
}

// phases is the life of a pod; after the last one it is deleted.
var phases = []string{"Pending", "Running", "Succeeded"}

// leastScene is how long a scene has to be for the client to come through it:
// it attempts no more than about one connection a second.
const leastScene = 2200 * time.Millisecond

// newDirector has as many scenes as fit into the duration, and at least one.
func newDirector(duration time.Duration) *director {
	d := &director{ledger: newLedger(), pods: map[string]*pod{}, rand: rand.New(rand.NewPCG(7, 11))}
	n := min(max(int(duration/leastScene), 1), len(scenes))
	d.scenes = scenes[:n]
	d.scene = max(2*duration/time.Duration(2*n+1), leastScene/2)
	d.tick = d.scene / 5
	d.idle = 3 * d.tick
	d.store = newStore(d.intercept)
	return d
}

// intercept gives the answer that a scene has prepared to a watch.
func (d *director) intercept(r *http.Request) []replay.Step {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.answers) == 0 || r.URL.Query().Get("watch") != "true" {
		return nil
	}
	answer := d.answers[0]
	d.answers = d.answers[1:]
	return answer
}

// answer makes steps the answer to the next watch.
func (d *director) answer(steps []replay.Step) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answers = append(d.answers, steps)
}

// prepare makes what exists before anybody looks.
func (d *director) prepare() {
	for range 3 {
		d.put(d.newName(), 1)
	}
}

// direct goes through all scenes, or until ctx is done.
func (d *director) direct(ctx context.Context) {
	if !d.live(ctx, d.scene/2) {
		return
	}
	for i, s := range d.scenes {
		end := time.Now().Add(d.scene)
		d.tell.scene(i+1, s)
		d.tell.server("%s", s.server)
		if s.next != nil {
			d.answer(s.next)
		}
		if !d.breakOff(ctx, s.ending) {
			return
		}
		// What happens while nobody watches is the point of it all.
		d.tell.server("meanwhile %s", d.change(s.gone))
		if !d.caughtUp(ctx) || !d.live(ctx, max(time.Until(end), d.tick)) || !d.caughtUp(ctx) {
			return
		}
	}
}

// breakOff ends the watch, and waits until that has begun: what is changed
// before would still be sent.
func (d *director) breakOff(ctx context.Context, ending []replay.Step) bool {
	begun := make(chan struct{})
	d.store.EndWatches(append([]replay.Step{replay.Do(sync.OnceFunc(func() { close(begun) }))}, ending...)...)
	select {
	case <-begun:
		return true
	case <-ctx.Done():
		return false
	}
}

// live lets pods live for a while.
func (d *director) live(ctx context.Context, length time.Duration) bool {
	for end := time.Now().Add(length); time.Until(end) > 0; {
		if !sleep(ctx, min(d.tick, time.Until(end))) {
			return false
		}
		d.step()
	}
	return ctx.Err() == nil
}

// patience is how long the client may take to catch up before the demo counts
// it as lost. It knows of no delay that comes near.
const patience = 30 * time.Second

// caughtUp waits until the client has seen all that was done so far.
func (d *director) caughtUp(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return d.ledger.await(ctx, number(d.store.ResourceVersion()))
}

// step is the next thing in the life of some pod.
func (d *director) step() {
	names := slices.Sorted(maps.Keys(d.pods))
	if len(names) < 4 || len(names) < 6 && d.rand.IntN(3) == 0 {
		d.put(d.newName(), 0)
		return
	}
	name := names[d.rand.IntN(len(names))]
	if p := d.pods[name]; p.phase+1 < len(phases) {
		d.put(name, p.phase+1)
	} else {
		d.delete(name)
	}
}

// change does several things at once, and says which. With gone, one of them is
// a deletion, and another a pod that comes and goes.
func (d *director) change(gone bool) string {
	created := d.newName()
	d.put(created, 0)
	if !gone {
		d.put(created, 1)
		return fmt.Sprintf("creates %s and starts it", created)
	}
	oldest := slices.Sorted(maps.Keys(d.pods))[0]
	d.delete(oldest)
	brief := d.newName()
	d.put(brief, 0)
	d.delete(brief)
	return fmt.Sprintf("deletes %s, creates %s, and has %s come and go", oldest, created, brief)
}

func (d *director) newName() string {
	d.named++
	return fmt.Sprintf("web-%02d", d.named)
}

func (d *director) put(name string, phase int) {
	rv, err := d.store.Put("pods", fmt.Sprintf(
		`{"metadata":{"name":%q,"namespace":%q,"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web:1"}]},"status":{"phase":%q}}`,
		name, namespace, phases[phase]))
	if err != nil {
		return // it would be missing in the proof
	}
	op := modified
	if d.pods[name] == nil {
		op = created
	}
	d.pods[name] = &pod{phase, number(rv)}
	d.ledger.did(op, name, number(rv))
}

func (d *director) delete(name string) {
	rv := d.store.Delete("pods", namespace, name)
	delete(d.pods, name)
	d.ledger.did(deleted, name, number(rv))
}

// state is what exists, by name, with the versions.
func (d *director) state() map[string]int {
	state := map[string]int{}
	for name, p := range d.pods {
		state[name] = p.version
	}
	return state
}

// number is a resourceVersion of our own server as a number. Clients may not
// do that; it is the server's right.
func number(rv string) int {
	n, _ := strconv.Atoi(rv)
	return n
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
