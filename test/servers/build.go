package servers

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The module whose go.mod pins the binaries, and the version it pins for
// Kubernetes, which they are told to report as their own.
const (
	module     = "example.com/rawwatch/test"
	kubernetes = "k8s.io/kubernetes"
)

// target is one binary and the package it is built from.
type target struct {
	name   string
	source string // import path of its main package
	linker string // -ldflags
}

// build makes these binaries in the module's bin folder, and returns that.
func build(ctx context.Context, progress io.Writer, names []string) (folder string, err error) {
	root, version, err := locate(ctx)
	if err != nil {
		return "", err
	}
	folder = filepath.Join(root, "bin")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(ctx, filepath.Join(folder, ".lock"), progress)
	if err != nil {
		return "", err
	}
	defer unlock()
	for _, t := range targetsFor(version) {
		if !slices.Contains(names, t.name) {
			continue
		}
		if err := t.renew(ctx, root, folder, progress); err != nil {
			return "", err
		}
	}
	return folder, nil
}

// renew builds a binary unless its stamp says that it is up to date.
func (t target) renew(ctx context.Context, root, folder string, progress io.Writer) error {
	want, err := t.stamp(root)
	if err != nil {
		return err
	}
	binary, stamp := filepath.Join(folder, t.name), filepath.Join(folder, "."+t.name+".stamp")
	have, err := os.ReadFile(stamp)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if string(have) == want && check(binary) == nil {
		return nil
	}
	// An interrupted build must not leave the stamp of the one before beside
	// a binary of this one.
	if err := os.RemoveAll(stamp); err != nil {
		return err
	}
	if err := t.build(ctx, root, binary, progress); err != nil {
		return err
	}
	return os.WriteFile(stamp, []byte(want), 0o644)
}

// targetsFor lists what can be built. Without the linker's -X the programs of
// Kubernetes call themselves v0.0.0-master, which no server meets in the wild
// and no client; -s -w leave out the debug tables, a third of the size.
func targetsFor(version string) []target {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	set := func(name, value string) string {
		return " -X k8s.io/component-base/version." + name + "=" + value
	}
	versioned := "-s -w" + set("gitVersion", version) + set("gitMajor", major) + set("gitMinor", minor)
	return []target{
		{etcd, "go.etcd.io/etcd/server/v3", "-s -w"},
		{apiserver, kubernetes + "/cmd/kube-apiserver", versioned},
		{kubectl, kubernetes + "/cmd/kubectl", versioned},
	}
}

func (t target) build(ctx context.Context, root, binary string, progress io.Writer) error {
	fmt.Fprintf(progress, "servers: building %s (minutes, the first time)\n", t.source)
	began := time.Now()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", t.linker, "-o", binary, t.source)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", t.source, err, out)
	}
	fmt.Fprintf(progress, "servers: built %s in %s\n", binary, time.Since(began).Round(time.Second))
	return nil
}

// locate asks the go command where the module lies, from anywhere inside it,
// and which version of Kubernetes it pins.
func locate(ctx context.Context) (root, version string, err error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}\t{{.Version}}", module, kubernetes)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", "", fmt.Errorf("find module %s: %w\n%s", module, err, stderr.Bytes())
	}
	lines := strings.SplitN(string(out), "\n", 3)
	if len(lines) != 3 {
		return "", "", fmt.Errorf("find module %s: go list printed %q", module, out)
	}
	root, _, _ = strings.Cut(lines[0], "\t")
	_, version, _ = strings.Cut(lines[1], "\t")
	if root == "" || version == "" {
		return "", "", fmt.Errorf("find module %s: go list printed %q", module, out)
	}
	return root, version, nil
}

// stamp sums up all that decides what the binary is.
func (t target) stamp(root string) (string, error) {
	h := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return "", err
		}
		h.Write(content)
	}
	fmt.Fprintln(h, runtime.Version(), runtime.GOOS, runtime.GOARCH, t)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// buildWithin bounds the wait for another process that builds: all binaries,
// with nothing in the go command's cache, on a slow machine.
const buildWithin = 30 * time.Minute

// lock waits until no other process builds: go test runs the tests of several
// packages at once, and each of them wants the servers.
func lock(ctx context.Context, path string, progress io.Writer) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, buildWithin)
	defer cancel()
	for told := false; ; told = true {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { f.Close() }, nil // closing unlocks
		}
		if err != syscall.EWOULDBLOCK {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if !told {
			fmt.Fprintf(progress, "servers: waiting for another process to build (it holds %s)\n", path)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("lock %s: another process has held it for %s: %w", path, buildWithin, ctx.Err())
		}
	}
}
