package stream

import (
	"math/rand/v2"
	"testing"
	"time"

	"example.com/rawwatch/status"
)

// world is the rest of the watch, as far as next can tell: it plays a sequence
// of outcomes and holds every promise that next makes about requests.
type world struct {
	t     testing.TB
	m     machine
	now   time.Time
	alive bool // the resume point is not known to be lost
}

// request makes one, with the outcome that b chooses. It reports whether the
// watch goes on.
func (w *world) request(b byte) bool {
	before := w.m.state
	_, isWatch := before.(watching)
	_, isProbe := before.(probing)
	if (isWatch || isProbe) && !w.alive {
		w.t.Fatalf("a request from a resume point that is known to be lost: %#v", before)
	}

	o := w.outcome(b, before)
	w.now = w.now.Add(o.age)
	o.now = w.now
	var st step
	w.m, st = next(w.m, o)
	if why := broken(before, o, w.m, st); why != "" {
		w.t.Fatal(why)
	}
	if st.stop != nil {
		return false
	}
	_, toWatch := w.m.state.(watching)
	if st.gap != nil {
		w.alive = false
	}
	if !isWatch && !isProbe && toWatch {
		w.alive = true
	}
	if o.err != nil && st.verdict.Row != "" {
		if st.verdict.Delay == status.DelayBackoff {
			w.now = w.now.Add(time.Second)
		}
	}
	return true
}

// outcome turns a byte into what a server may do to a request.
func (w *world) outcome(b byte, s state) outcome {
	verb := List
	switch s.(type) {
	case watching, streaming:
		verb = Watch
	}
	if b >= 0xe0 && verb == List {
		o := outcome{verb: List, answered: true, age: 10 * time.Millisecond, header: header("10", "")}
		if _, ok := s.(listing); ok && b&1 == 1 {
			o.header.Continue = "next"
		}
		switch s := s.(type) {
		case listing:
			o.wentBack = b&2 == 2
			if o.header.Continue == "" && (!o.wentBack || s.full) {
				w.m.state = watching{} // Synced was acknowledged
				w.alive = true
			}
		case probing:
			if b&2 == 2 {
				o.had = "20"
			}
		}
		return o
	}
	names := []string{"410", "storage read", "429", "403", "400", "500", "503", "refused", "broken", "no headers",
		"idle", "bad frame", "frame size", "not a stream", "clean end", "torn", "missing 404", "nothing at all"}
	o := outcomes(verb)[names[int(b&0x1f)%len(names)]]
	if verb == Watch && o.answered {
		if b&0x20 != 0 {
			o.events, o.moved = 1, true
		}
		if b&0x40 != 0 {
			o.age = 7 * time.Minute
		}
		if _, ok := s.(streaming); ok && o.moved {
			// The end of what exists came: from there on it is a watch.
			w.m.state = watching{}
			w.alive = true
		}
	}
	return o
}

func newWorld(t testing.TB, seed byte) *world {
	states := []state{listing{}, streaming{}, locating{}, watching{}, probing{}}
	m := machine{state: states[int(seed)%len(states)], atCap: time.Minute, contact: true, listed: true, watched: true}
	m.stream = m.state == streaming{} || seed&0x80 != 0
	m.policy.Persist = seed&0x40 != 0
	if seed&0x20 != 0 {
		m.policy.OnExpired = StopExpired
	}
	_, isWatch := m.state.(watching)
	_, isProbe := m.state.(probing)
	return &world{t: t, m: m, now: time.Unix(1e9, 0), alive: isWatch || isProbe}
}

func FuzzNext(f *testing.F) {
	f.Add([]byte{3, 0, 0xe0, 0, 0xe1, 0xe0})
	f.Add([]byte{3, 14, 14, 14, 0xe0, 14, 0xe0, 14})
	f.Add([]byte{1, 4, 0xe0, 8, 8})
	f.Add([]byte{0x44, 3, 3, 3, 0xe2})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		w := newWorld(t, data[0])
		for _, b := range data[1:] {
			if !w.request(b) {
				return
			}
		}
	})
}

// The same with seeds, in every run of the tests.
func TestNextKeepsItsPromises(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 0))
		w := newWorld(t, byte(r.Uint32()))
		for range 60 {
			if !w.request(byte(r.Uint32())) {
				break
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
