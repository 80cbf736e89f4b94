package e2e

import (
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"example.com/rawwatch/test/cluster"
)

// patience bounds every wait. A server that was started again takes seconds
// to load what it serves, a watch that was cut waits before it comes back, and
// the machine may be busy.
const patience = 90 * time.Second

// watchesFor is a short length for watches, to see what happens between two.
// The server ends them by itself after one or two times this.
const watchesFor = time.Second

// namePart is an end for names that no two tests may share.
func namePart() string { return strings.ToLower(rand.Text()[:8]) }

func TestMain(m *testing.M) {
	if order := os.Getenv(soakVariable); order != "" {
		os.Exit(beSoakClient(order))
	}
	code := cluster.Main(m)
	if err := built.remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	// Loops that were left or cancelled may leave nothing behind. Connections
	// may stay in a pool, and end with a server that ends.
	if code == 0 && os.Getenv(cluster.KubeconfigVariable) == "" {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, "e2e:", err)
			code = 1
		}
	}
	os.Exit(code)
}
