package lists

import (
	"runtime"
	"time"

	"example.com/rawwatch/test/bench/measure"
)

// meter measures a contender that reads a list. Its clock stands still while
// it looks at the memory.
type meter struct {
	server
	before     float64 // what was alive before
	start      time.Time
	paused     time.Duration
	seen       int
	most, last float64 // what was alive beyond that: ever, and at the last item
}

func (s server) meter() *meter {
	m := &meter{server: s, before: alive()}
	m.start = time.Now()
	return m
}

// item counts an item that the contender has in hand.
func (m *meter) item() {
	if m.seen++; m.seen%(m.items/10) != 0 {
		return
	}
	start := time.Now()
	m.last = alive() - m.before
	m.most = max(m.most, m.last)
	m.paused += time.Since(start)
}

func (m *meter) figures() measure.Figures {
	return measure.Figures{
		live:  m.most / 1e6,
		speed: float64(m.bytes) / 1e6 / (time.Since(m.start) - m.paused).Seconds(),
	}
}

// alive is the number of bytes in use, in objects that something points to.
func alive() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
