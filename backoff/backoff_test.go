package backoff

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// ends draws many delays of the n-th failure and returns the ends of their
// range.
func ends(policy Policy, n int, atLeast time.Duration) (low, high time.Duration) {
	low, high = math.MaxInt64, 0
	for seed := range uint64(500) {
		b := Backoff{Policy: policy, Rand: seeded(seed)}
		for range n - 1 {
			b.Next(0)
		}
		d := b.Next(atLeast)
		low, high = min(low, d), max(high, d)
	}
	return low, high
}

// The table in the package comment is what the code does.
func TestDelaysAreThoseOfTheTable(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	for n, own := range []time.Duration{800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 12800 * ms, 25600 * ms, 30000 * ms} {
		low, high := ends(Policy{}, n+1, 0)
		assert.InDelta(t, own, low, float64(own)/100, "%d", n+1)
		assert.InDelta(t, 2*own, high, float64(own)/100, "%d", n+1)
		assert.GreaterOrEqual(t, low, own)
		assert.Less(t, high, 2*own)
		assert.Contains(t, string(doc), fmt.Sprintf("%4.1f s to %4.1f s", own.Seconds(), 2*own.Seconds()))
	}
	low, high := ends(Policy{}, 100, 0)
	assert.GreaterOrEqual(t, low, 30*time.Second)
	assert.Less(t, high, 60*time.Second)
}

func TestPolicyBounds(t *testing.T) {
	for _, tc := range []struct {
		name     string
		policy   Policy
		min, max time.Duration
	}{
		{"zero", Policy{}, DefaultMin, DefaultMax},
		{"negative", Policy{-1, -1}, DefaultMin, DefaultMax},
		{"min alone", Policy{Min: time.Second}, time.Second, DefaultMax},
		{"min over the default max", Policy{Min: time.Minute}, time.Minute, time.Minute},
		{"max alone", Policy{Max: time.Minute}, DefaultMin, time.Minute},
		{"max under the default min", Policy{Max: 10 * ms}, 10 * ms, 10 * ms},
		{"both", Policy{time.Second, 2 * time.Second}, time.Second, 2 * time.Second},
		{"crossed", Policy{2 * time.Second, time.Second}, 2 * time.Second, 2 * time.Second},
		{"absurd", Policy{math.MaxInt64, math.MaxInt64}, MaxDelay, MaxDelay},
		{"absurd max", Policy{Max: math.MaxInt64}, DefaultMin, MaxDelay},
	} {
		t.Run(tc.name, func(t *testing.T) {
			assert.Equal(t, Policy{tc.min, tc.max}, tc.policy.resolved())
			low, high := ends(tc.policy, 1, 0)
			assert.GreaterOrEqual(t, low, tc.min)
			assert.LessOrEqual(t, high, min(2*tc.min, MaxDelay))
			low, high = ends(tc.policy, 80, 0)
			assert.GreaterOrEqual(t, low, tc.max)
			assert.LessOrEqual(t, high, min(2*tc.max, MaxDelay))
		})
	}
}

func TestHintIsAFloor(t *testing.T) {
	for _, tc := range []struct{ hint, low, high time.Duration }{
		{-1, 800 * ms, 1600 * ms},
		{math.MinInt64, 800 * ms, 1600 * ms},
		{0, 800 * ms, 1600 * ms},
		{100 * ms, 800 * ms, 1600 * ms},
		{3 * time.Second, 3 * time.Second, 6 * time.Second},
		{4 * time.Minute, 4 * time.Minute, 5 * time.Minute},
		{5 * time.Minute, 5 * time.Minute, 5 * time.Minute},
		{math.MaxInt64, 5 * time.Minute, 5 * time.Minute},
	} {
		low, high := ends(Policy{}, 1, tc.hint)
		assert.GreaterOrEqual(t, low, tc.low, tc.hint)
		assert.LessOrEqual(t, high, tc.high, tc.hint)
		assert.InDelta(t, tc.high, high, float64(tc.high)/100, "spread over the whole range: %v", tc.hint)
	}

	b := Backoff{Rand: seeded(1)}
	b.Next(time.Minute)
	assert.Less(t, b.Next(0), 3200*ms, "a hint does not move the own delay")
}

func TestResetStartsOver(t *testing.T) {
	b := Backoff{Rand: seeded(1)}
	for range 10 {
		b.Next(0)
	}
	assert.GreaterOrEqual(t, b.Next(0), DefaultMax)
	b.Reset()
	assert.Less(t, b.Next(0), 2*DefaultMin)
	assert.GreaterOrEqual(t, b.Next(0), 2*DefaultMin)
}

func TestAtCapChangesNothing(t *testing.T) {
	var b Backoff
	for range 100 {
		d := b.AtCap()
		assert.GreaterOrEqual(t, d, DefaultMax)
		assert.Less(t, d, 2*DefaultMax)
	}
	assert.Less(t, b.Next(0), 2*DefaultMin)
	long := Backoff{Policy: Policy{Max: 4 * time.Minute}}
	assert.LessOrEqual(t, long.AtCap(), MaxDelay)
}

func TestSameSeedSameDelays(t *testing.T) {
	draw := func(seed uint64) (all [20]time.Duration) {
		b := Backoff{Rand: seeded(seed)}
		for i := range all {
			all[i] = b.Next(0)
		}
		return all
	}
	assert.Equal(t, draw(7), draw(7))
	assert.NotEqual(t, draw(7), draw(8))
}

// Any policy, any hint, any number of failures: no delay under the floor, none
// over the cap, and own delays that never shrink.
func TestBoundsHoldForAnyPolicy(t *testing.T) {
	r := seeded(42)
	anything := func() time.Duration {
		return time.Duration(r.Uint64() >> r.IntN(64)) // from nanoseconds to beyond all bounds, both signs
	}
	for range 2000 {
		b := Backoff{Policy: Policy{anything(), anything()}, Rand: r}
		p := b.resolved()
		require.Positive(t, p.Min)
		require.LessOrEqual(t, p.Min, p.Max)
		own := time.Duration(0)
		for range r.IntN(100) {
			hint := anything()
			d := b.Next(hint)
			floor := min(max(b.last, hint), MaxDelay)
			switch {
			case b.last < own, b.last < p.Min, b.last > p.Max:
				t.Fatalf("%+v: own delay %v after %v", b.Policy, b.last, own)
			case d < floor, d > MaxDelay, d > 2*floor:
				t.Fatalf("%+v: delay %v, own %v, hint %v", b.Policy, d, b.last, hint)
			}
			own = b.last
		}
	}
}

func TestSpread(t *testing.T) {
	for _, limit := range []time.Duration{0, -1, math.MinInt64} {
		assert.Zero(t, Spread(nil, limit))
		assert.Zero(t, Spread(seeded(1), limit))
	}
	r := seeded(1)
	for _, limit := range []time.Duration{1, 100 * ms, time.Second, math.MaxInt64} {
		low, high := limit, time.Duration(0)
		for range 1000 {
			for _, d := range []time.Duration{Spread(r, limit), Spread(nil, limit)} {
				require.GreaterOrEqual(t, d, time.Duration(0))
				require.Less(t, d, limit)
				low, high = min(low, d), max(high, d)
			}
		}
		assert.LessOrEqual(t, low, limit/50)
		assert.GreaterOrEqual(t, high, limit-limit/50-1)
	}
}

// Two hundred watches lose a server at the same moment and are refused for ten
// seconds: they come back one by one, not in a wave.
func TestFleetDoesNotReturnAtOnce(t *testing.T) {
	const fleet = 200
	back := map[time.Duration]int{} // by 100 ms
	for seed := range uint64(fleet) {
		r := seeded(seed + 1)
		b := Backoff{Rand: r}
		at, tries := Spread(r, time.Second), 1
		for at < 10*time.Second {
			at += b.Next(0)
			tries++
		}
		back[at/(100*ms)]++
		assert.LessOrEqual(t, tries, 12)
	}
	for bucket, n := range back {
		assert.LessOrEqual(t, n, fleet/5, "%v", bucket*100*ms)
	}
	assert.Greater(t, len(back), 20)
}

func TestSleep(t *testing.T) {
	why := errors.New("why")
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		require.NoError(t, Sleep(t.Context(), time.Hour))
		assert.Equal(t, time.Hour, time.Since(start))

		start = time.Now()
		for _, d := range []time.Duration{0, -1, math.MinInt64} {
			require.NoError(t, Sleep(t.Context(), d))
		}
		assert.Zero(t, time.Since(start))

		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		start = time.Now()
		require.Equal(t, why, Sleep(ctx, math.MaxInt64))
		assert.Equal(t, time.Second, time.Since(start), "the cancel is seen at once")
		for _, d := range []time.Duration{-1, 0, time.Hour} {
			require.Equal(t, why, Sleep(ctx, d))
		}
		assert.Equal(t, time.Second, time.Since(start))
	})
}
