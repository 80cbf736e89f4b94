package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"example.com/rawwatch/test/servers"
)

// shared is the server of all tests that leave it running. The first of them
// starts it, [Main] stops it.
var shared struct {
	once    sync.Once
	server  *Server
	cluster *Cluster // nil: external, or not started
	folder  string
	err     error
}

// Shared returns the server that the tests of this process share, or the
// cluster that [KubeconfigVariable] names. It needs [Main].
func Shared(t testing.TB) *Server {
	t.Helper()
	shared.once.Do(func() { shared.err = startShared() })
	if shared.err != nil {
		t.Fatalf("cluster: shared server: %v", shared.err)
	}
	if c := shared.cluster; c != nil {
		before := c.logSizes()
		t.Cleanup(func() {
			if t.Failed() {
				c.printLogs(t, before)
			}
		})
	}
	return shared.server
}

// startShared starts it for as long as the process lives, which no test's
// context does.
func startShared() (err error) {
	if path := os.Getenv(KubeconfigVariable); path != "" {
		shared.server, err = external(path)
		return err
	}
	ctx := context.Background()
	b, err := servers.Find(ctx, os.Stderr)
	if err != nil {
		return err
	}
	if shared.folder, err = os.MkdirTemp("", "rawwatch-e2e-"); err != nil {
		return err
	}
	shared.cluster, err = start(ctx, b, shared.folder, shared.folder, Options{})
	shared.server = shared.cluster.Server
	if err != nil {
		// The folder goes in Main, and its logs with it.
		for _, log := range shared.cluster.logs {
			content, _ := tail(log, 0)
			err = fmt.Errorf("%w\n%s:\n%s", err, filepath.Base(log), content)
		}
		return err
	}
	return nil
}

// Main runs the tests of a package, then stops the shared server. Use it as
//
//	func TestMain(m *testing.M) { os.Exit(cluster.Main(m)) }
func Main(m *testing.M) int {
	code := m.Run()
	var err error
	if shared.cluster != nil {
		err = shared.cluster.stop()
	}
	if shared.folder != "" {
		err = errors.Join(err, os.RemoveAll(shared.folder))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster: stop the shared server:", err)
		return max(code, 1)
	}
	return code
}
