//go:build !unix

package replay_test

import (
	"testing"
	"time"
)

func cpuTime(b *testing.B) time.Duration {
	b.Skip("the process's own CPU time is asked for with getrusage")
	return 0
}

func maxRSS(b *testing.B) int64 {
	b.Skip("the process's size is asked for with getrusage")
	return 0
}
