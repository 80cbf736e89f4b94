package cluster

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// parentVariable makes the test binary the parent of a process that outlasts
// every test, and says how the parent ends: see death_linux_test.go.
const parentVariable = "RAWWATCH_TEST_PARENT"

func TestMain(m *testing.M) {
	if how := os.Getenv(parentVariable); how != "" {
		beParent(how)
	}
	os.Exit(Main(m))
}

// beParent starts a process, prints its id, and dies without any cleanup.
func beParent(how string) {
	p, err := startProcess("child", filepath.Join(os.Getenv("TMPDIR"), "log"), "/bin/sleep", "600")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(p.os.Pid)
	if how == "panic" {
		panic("on purpose")
	}
	<-p.done // until the parent is killed
}
