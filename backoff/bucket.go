package backoff

import "time"

// Defaults of a [Bucket].
const (
	DefaultBurst = 3
	DefaultEvery = time.Second
)

// Bucket limits how fast attempts follow each other: Burst at once, then one
// per Every. The zero value is a full bucket of the default size.
type Bucket struct {
	Burst int           // 0 or less is DefaultBurst
	Every time.Duration // 0 or less is DefaultEvery

	// full is when the bucket will have refilled: each attempt moves it on by
	// Every, and an attempt may be made once it is less than Burst attempts
	// ahead.
	//
	//	       now          full
	//	────────┼────┬────┬──┼──────► time
	//	        │ tokens that are out
	full time.Time
}

// Take takes a token, and returns how long to wait before using it: 0 while
// the burst lasts. The token is gone even if the caller does not wait, so
// calls that do not wait are told ever longer times.
func (b *Bucket) Take(now time.Time) (wait time.Duration) {
	burst, every := b.Burst, b.Every
	if burst <= 0 {
		burst = DefaultBurst
	}
	if every <= 0 {
		every = DefaultEvery
	}
	if b.full.Before(now) {
		b.full = now
	}
	ahead, spare := b.full.Sub(now), time.Duration(burst-1)
	b.full = b.full.Add(every)
	if ahead/every < spare { // asked this way round, since spare*every may not fit
		return 0
	}
	return ahead - spare*every
}
