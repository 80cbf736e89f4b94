package e2e

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/rawwatch/test/cluster"
)

// patience bounds every wait. A server that was started again takes seconds
// to load what it serves, a watch that was cut waits before it comes back, and
// the machine may be busy.
const patience = 90 * time.Second

func TestMain(m *testing.M) {
	code := cluster.Main(m)
	if err := built.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	// Loops that were left or cancelled may leave nothing behind.
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			code = 1
		}
	}
	os.Exit(code)
}
