package watch

import (
	"runtime"
	"syscall"
	"time"

	"example.com/rawwatch/test/bench/endless"
	"example.com/rawwatch/test/bench/measure"
)

// The figures.
const (
	speed       = "MB/s"
	cpu         = "CPU µs/event"
	allocations = "allocs/event"
)

// meter measures a contender from its second cycle of events on: by then its
// connection stands and all objects are known to it.
type meter struct {
	events, end int
	began, took time.Duration // of processor time, before and in between
	start       time.Time
	wall        time.Duration
	mallocs     uint64
}

// event counts one event, and reports whether it was the last that is wanted.
func (m *meter) event() (done bool) {
	m.events++
	switch m.events {
	case endless.Cycle:
		m.mallocs = mallocs()
		m.began = processor()
		m.start = time.Now()
	case m.end:
		m.wall = time.Since(m.start)
		m.took = processor() - m.began
		m.mallocs = mallocs() - m.mallocs
	}
	return m.events >= m.end
}

// figures are those of events whose cycle has so many bytes.
func (m *meter) figures(bytes int) measure.Figures {
	n := float64(m.end - endless.Cycle)
	return measure.Figures{
		speed:       n / endless.Cycle * float64(bytes) / 1e6 / m.wall.Seconds(),
		cpu:         float64(m.took.Nanoseconds()) / 1e3 / n,
		allocations: float64(m.mallocs) / n,
	}
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// processor is the time this process has had of the processors.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
