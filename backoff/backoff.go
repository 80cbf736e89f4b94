package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Defaults of a [Policy], and the cap of all delays.
const (
	DefaultMin = 800 * time.Millisecond
	DefaultMax = 30 * time.Second
	MaxDelay   = 5 * time.Minute
)

// Policy bounds the own delay, before jitter.
type Policy struct {
	Min time.Duration // after the first failure; 0 or less is DefaultMin
	Max time.Duration // the cap of the doubling; 0 or less is DefaultMax
}

// resolved returns the bounds to use, 0 < Min <= Max <= MaxDelay. Where a
// default and a given bound cross, the given one is kept; of two given ones,
// Min is.
func (p Policy) resolved() Policy {
	switch {
	case p.Min <= 0 && p.Max <= 0:
		p = Policy{DefaultMin, DefaultMax}
	case p.Min <= 0:
		p.Min = min(DefaultMin, p.Max)
	case p.Max <= 0:
		p.Max = DefaultMax
	}
	p.Min = min(p.Min, MaxDelay)
	p.Max = min(max(p.Min, p.Max), MaxDelay)
	return p
}

// Backoff gives the delays between tries. The zero value is ready to use.
type Backoff struct {
	Policy
	Rand *rand.Rand // nil: the global, randomly seeded source

	last time.Duration // the own delay of the last try, 0 after progress
}

// Next returns the delay after one more failure: the larger of the own delay
// and atLeast, plus a random part of up to as much again. It is never less
// than atLeast, unless that is over MaxDelay.
func (b *Backoff) Next(atLeast time.Duration) time.Duration {
	p := b.resolved()
	switch {
	case b.last <= 0:
		b.last = p.Min
	case b.last >= p.Max/2: // twice that would pass the cap, or an int64
		b.last = p.Max
	default:
		b.last *= 2
	}
	return b.jittered(max(b.last, atLeast))
}

// Reset starts over: there was progress.
func (b *Backoff) Reset() { b.last = 0 }

// AtCap returns the delay for waiting that is not expected to help soon: that
// of the cap, jittered. It changes nothing.
func (b *Backoff) AtCap() time.Duration { return b.jittered(b.resolved().Max) }

// jittered returns a random delay in [d, 2d), cut off at MaxDelay. Near it the
// range is squeezed, not clamped: clamping would put most of a fleet at one
// and the same instant.
func (b *Backoff) jittered(d time.Duration) time.Duration {
	d = min(d, MaxDelay)
	return d + Spread(b.Rand, min(d, MaxDelay-d))
}

// Spread returns a random delay in [0, limit), 0 if limit is 0 or less. A nil
// source is the global one.
func Spread(r *rand.Rand, limit time.Duration) time.Duration {
	switch {
	case limit <= 0:
		return 0
	case r == nil:
		return rand.N(limit)
	}
	return time.Duration(r.Int64N(int64(limit)))
}

// Sleep waits for d, or until ctx is done: then it returns context.Cause at
// once. A context that is done wins over a wait that is over or is none.
func Sleep(ctx context.Context, d time.Duration) error {
	if d > 0 && ctx.Err() == nil {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}
