//go:build unix

package replay_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// cpuTime is what the process has used, in user and in system mode.
func cpuTime(b *testing.B) time.Duration {
	u := rusage(b)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// maxRSS is the most memory the process has had, in bytes.
func maxRSS(b *testing.B) int64 {
	if runtime.GOOS == "darwin" {
		return int64(rusage(b).Maxrss)
	}
	return int64(rusage(b).Maxrss) << 10
}

func rusage(b *testing.B) (u syscall.Rusage) {
	b.Helper()
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return u
}
