package backoff

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var epoch = time.Date(2026, 11, 30, 19, 0, 0, 0, time.UTC)

// waits takes tokens one after another, waiting each time as told, and
// returns when each could be used.
func waits(b *Bucket, now time.Time, n int) (at []time.Duration) {
	start := now
	for range n {
		now = now.Add(b.Take(now))
		at = append(at, now.Sub(start))
	}
	return at
}

func TestBucket(t *testing.T) {
	s := time.Second
	for _, tc := range []struct {
		name   string
		bucket Bucket
		want   []time.Duration
	}{
		{"zero", Bucket{}, []time.Duration{0, 0, 0, s, 2 * s, 3 * s, 4 * s}},
		{"negative", Bucket{Burst: -1, Every: -1}, []time.Duration{0, 0, 0, s, 2 * s}},
		{"no burst", Bucket{Burst: 1}, []time.Duration{0, s, 2 * s}},
		{"slow", Bucket{Burst: 2, Every: time.Hour}, []time.Duration{0, 0, time.Hour, 2 * time.Hour}},
		{"without end", Bucket{Burst: math.MaxInt, Every: math.MaxInt64 / 8}, []time.Duration{0, 0, 0, 0, 0, 0, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, tc.want, waits(&tc.bucket, epoch, len(tc.want)))
		})
	}
}

func TestBucketRefills(t *testing.T) {
	var b Bucket
	waits(&b, epoch, 3)
	assert.Equal(t, 500*time.Millisecond, b.Take(epoch.Add(500*time.Millisecond)), "half a token is there")

	b = Bucket{}
	waits(&b, epoch, 3)
	assert.Zero(t, b.Take(epoch.Add(time.Second)))
	assert.Equal(t, time.Second, b.Take(epoch.Add(time.Second)))

	later := epoch.Add(time.Hour)
	assert.Equal(t, []time.Duration{0, 0, 0, time.Second}, waits(&b, later, 4), "and not beyond its size")
}

func TestBucketTellsThoseWhoDoNotWaitLongerTimes(t *testing.T) {
	var b Bucket
	for _, want := range []time.Duration{0, 0, 0, 1, 2, 3} {
		assert.Equal(t, want*time.Second, b.Take(epoch))
	}
}

// In no window of n seconds are there more than n + 3 attempts.
func TestBucketBoundsAnyWindow(t *testing.T) {
	r := seeded(5)
	for range 50 {
		var b Bucket
		var at []time.Duration
		now := epoch
		for range 200 {
			now = now.Add(Spread(r, 2*time.Second))
			now = now.Add(b.Take(now))
			at = append(at, now.Sub(epoch))
		}
		for i := range at {
			for j := i; j < len(at); j++ {
				if n := j - i + 1; n > 3+int((at[j]-at[i])/time.Second) {
					t.Fatalf("%d from %v to %v", n, at[i], at[j])
				}
			}
		}
	}
}
