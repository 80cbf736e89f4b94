package stream

import (
	"math/rand/v2"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/status"
)

// How long the loop waits is computed here, and the loop sleeps (run.go).
// FLEET.md at the root shows what becomes of it when ten thousand watches lose
// their server at once.

const (
	soon = 100 * time.Millisecond
	// spread is as much as a fleet can be given that has lost its history and
	// yet is back before reflectors are: those resume at once, all of them,
	// and list after 0.8 to 1.6 s.
	spread = 1550 * time.Millisecond
)

// maxShortPages: pages with fewer items than asked for follow each other freely
// up to here. Old servers send some where a selector matches little; a server
// that sends them for ever is not followed as fast as it can.
const maxShortPages = 1000

// pause is the wait that a verdict asks for.
func (s *session) pause(v status.Verdict, r *rand.Rand) time.Duration {
	switch v.Delay {
	case status.DelaySoon:
		return backoff.Spread(r, soon)
	case status.DelaySpread:
		return backoff.Spread(r, spread)
	case status.DelayBackoff:
		if s.machine.failures <= 1 {
			s.backoff.Reset()
		}
		return s.backoff.Next(v.AtLeast)
	}
	return 0
}

// pace is how long the rules that bind every request hold the next one back:
// the policy's least delay, and a bucket of attempts, so that nothing can
// hammer a server that accepts and closes. The pages of one list follow each
// other freely.
func (s *session) pace(now time.Time, least time.Duration) time.Duration {
	at, isList := s.machine.state.(listing)
	if isList && at.token != "" && s.machine.failed == "" && at.short < maxShortPages {
		return 0
	}
	wait := s.bucket.Take(now)
	if !s.attempted.IsZero() {
		wait = max(wait, least-now.Sub(s.attempted))
	}
	return wait
}
