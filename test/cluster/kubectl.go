package cluster

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/rawwatch/test/servers"
)

// Kubectl runs kubectl to its end and returns what it printed on stdout. It
// reads the kubeconfig of that path, as [Server.Kubeconfig] writes one. An
// exit code other than 0 fails the test, with what is on stderr.
func Kubectl(t testing.TB, kubeconfig string, args ...string) string {
	t.Helper()
	cmd := KubectlCommand(t.Context(), t, kubeconfig, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("cluster: kubectl %q: %v\n%s%s", args, err, stdout.Bytes(), stderr.Bytes())
	}
	return stdout.String()
}

// KubectlCommand is the same command before it starts, for what does not end
// by itself (get -w), or ends as a test wants it to. It is killed when ctx is
// done.
//
// What the user who runs the tests has in the home folder does not matter to
// it: its preferences and its cache of discovery are the test's own.
func KubectlCommand(ctx context.Context, t testing.TB, kubeconfig string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := servers.Kubectl(ctx, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(),
		"HOME="+home, "KUBECACHEDIR="+filepath.Join(home, "cache"), "KUBECTL_KUBERC=false", "KUBECONFIG="+kubeconfig)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
