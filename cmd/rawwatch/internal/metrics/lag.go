package metrics

import (
	"encoding/json"
	"sync"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/stream"
)

// lag is how far behind the last event was.
type lag struct {
	mu     sync.Mutex // see runs in the loop, last where a page is made
	synced bool
	lost   time.Time // the last Gap or Reset
	known  bool
	value  time.Duration
}

// see looks at an event. Those before Synced tell of objects that may have been
// written years ago.
func (l *lag) see(ev stream.Event, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch ev.Type {
	case stream.Synced:
		l.synced = true
	case stream.Gap, stream.Reset:
		l.synced, l.lost = false, now
	case stream.Added, stream.Modified:
		if written := written(output.ObjectOf(ev)); l.synced && !written.IsZero() {
			l.known, l.value = true, max(0, now.Sub(written))
		}
	}
}

func (l *lag) last() (time.Duration, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value, l.known
}

// lostAt is when the watch last lost what it knew.
func (l *lag) lostAt() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// metadata is what an object says about when it was written
// (kubernetes.io/docs/reference/using-api/server-side-apply, "managedFields":
// each manager's last write has its time).
type metadata struct {
	CreationTimestamp time.Time
	ManagedFields     []struct{ Time time.Time }
}

// written is the latest time that an object says it was written at; zero if it
// says none.
func written(object []byte) time.Time {
	var o struct{ Metadata metadata }
	if json.Unmarshal(object, &o) != nil {
		return time.Time{}
	}
	last := o.Metadata.CreationTimestamp
	for _, f := range o.Metadata.ManagedFields {
		last = latest(last, f.Time)
	}
	return last
}
