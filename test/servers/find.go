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

// Binaries are the paths of the servers.
type Binaries struct {
	Etcd      string
	APIServer string
}

// in names the binaries of a folder, whether they are there or not.
func in(folder string) Binaries {
	return Binaries{
		Etcd:      filepath.Join(folder, "etcd"),
		APIServer: filepath.Join(folder, "kube-apiserver"),
	}
}

// check reports the first binary that cannot be run.
func (b Binaries) check() error {
	for _, path := range []string{b.Etcd, b.APIServer} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
			return fmt.Errorf("%s is no program", path)
		}
	}
	return nil
}

// Find returns the binaries of the folder in [AssetsVariable] or, when it is
// not set, those of the module's own bin folder, built first if they are
// missing or older than go.mod. A first build takes minutes; progress is one
// line per binary, written to progress.
//
// It may be called by several processes at once: one builds, the others wait.
func Find(ctx context.Context, progress io.Writer) (Binaries, error) {
	if folder := os.Getenv(AssetsVariable); folder != "" {
		b := in(folder)
		if err := b.check(); err != nil {
			return Binaries{}, fmt.Errorf("servers: %s is set: %w", AssetsVariable, err)
		}
		return b, nil
	}
	b, err := build(ctx, progress)
	if err != nil {
		return Binaries{}, fmt.Errorf("servers: %w", err)
	}
	return b, nil
}
