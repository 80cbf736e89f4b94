package servers

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// AssetsVariable names the folder of ready-made binaries, as in envtest.
const AssetsVariable = "KUBEBUILDER_ASSETS"

// The names of the binaries, which are those of envtest.
const (
	etcd      = "etcd"
	apiserver = "kube-apiserver"
	kubectl   = "kubectl"
)

// Binaries are the paths of the servers.
type Binaries struct {
	Etcd      string
	APIServer string
}

// Find returns the servers of the folder in [AssetsVariable] or, when it is
// not set, those of the module's own bin folder, built first if they are
// missing or older than go.mod. A first build takes minutes; progress is one
// line per binary, written to progress.
//
// It may be called by several processes at once: one builds, the others wait.
func Find(ctx context.Context, progress io.Writer) (Binaries, error) {
	folder, err := find(ctx, progress, etcd, apiserver)
	return Binaries{Etcd: filepath.Join(folder, etcd), APIServer: filepath.Join(folder, apiserver)}, err
}

// Kubectl returns the path of kubectl, of the version of the servers. It is
// found as [Find] finds them, and built apart from them: a test that talks to
// no real server needs none.
func Kubectl(ctx context.Context, progress io.Writer) (string, error) {
	folder, err := find(ctx, progress, kubectl)
	return filepath.Join(folder, kubectl), err
}

// find returns the folder in which all of these binaries are.
func find(ctx context.Context, progress io.Writer, names ...string) (folder string, err error) {
	if folder := os.Getenv(AssetsVariable); folder != "" {
		for _, name := range names {
			if err := check(filepath.Join(folder, name)); err != nil {
				return "", fmt.Errorf("servers: %s is set: %w", AssetsVariable, err)
			}
		}
		return folder, nil
	}
	if folder, err = build(ctx, progress, names); err != nil {
		return "", fmt.Errorf("servers: %w", err)
	}
	return folder, nil
}

// check reports a path at which no program is.
func check(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is no program", path)
	}
	return nil
}
