package cluster

import (
	"testing"
	"time"
)

// Wait polls until a condition holds, and fails the test when it does not
// within the limit. The condition runs on the caller's goroutine, so it may
// fail the test itself.
func Wait(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	limit := time.NewTimer(within)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-limit.C:
			t.Fatalf("cluster: waited %s in vain for %s", within, what)
		}
	}
}
