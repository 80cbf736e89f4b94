package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"example.com/rawwatch/test/internal/port"
	"example.com/rawwatch/test/servers"
)

// Options are how a Cluster differs from the usual one.
type Options struct {
	// Flags are given to kube-apiserver after those of this package, and so
	// override them.
	Flags []string
}

// Cluster is a Server started here. Its owner may do to it what a cluster's
// operator, or bad luck, does. Its methods are not safe for concurrent use.
type Cluster struct {
	*Server
	etcd      etcd
	apiserver apiserver
	logs      []string
}

// Start starts a cluster of the test's own and waits until it is ready. It is
// stopped, and its folder removed, when the test ends.
//
// Under [KubeconfigVariable] nothing is built: only with ready-made servers
// (see package servers) can the test run then, and without them it is skipped.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	if os.Getenv(KubeconfigVariable) != "" && os.Getenv(servers.AssetsVariable) == "" {
		t.Skipf("%s is set: that cluster is not this test's to restart; set %s too, for servers that are",
			KubeconfigVariable, servers.AssetsVariable)
	}
	ctx := t.Context()
	b, err := servers.Find(ctx, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	logs, err := os.MkdirTemp(t.ArtifactDir(), "cluster-")
	if err != nil {
		t.Fatal(err)
	}
	c, err := start(ctx, b, t.TempDir(), logs, o)
	// Even a start that failed may have left a process.
	t.Cleanup(func() {
		if err := c.stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			c.printLogs(t, make([]int64, len(c.logs)))
		}
	})
	if err != nil {
		t.Fatalf("cluster: %v", err)
	}
	return c
}

// start returns a cluster even with an error, to be stopped.
func start(ctx context.Context, b servers.Binaries, folder, logs string, o Options) (*Cluster, error) {
	c := &Cluster{
		Server: &Server{
			Admin: User{Name: "admin", Token: rand.Text()},
			accounts: accounts{
				denied: User{Name: "denied", Token: rand.Text()},
			},
		},
		etcd: etcd{
			program: b.Etcd,
			data:    filepath.Join(folder, "etcd"),
			log:     filepath.Join(logs, "etcd.log"),
		},
		apiserver: apiserver{
			program: b.APIServer,
			folder:  folder,
			log:     filepath.Join(logs, "kube-apiserver.log"),
			flags:   o.Flags,
		},
	}
	c.logs = []string{c.etcd.log, c.apiserver.log}
	if err := c.writeFiles(); err != nil {
		return c, err
	}
	// A port is not reserved between the moment it was found free and the
	// moment the server listens on it.
	var err error
	for range 3 {
		if err = c.listen(ctx); err == nil {
			return c, nil
		}
		if stopErr := c.stop(); stopErr != nil {
			return c, errors.Join(err, stopErr)
		}
		if !portTaken(c.etcd.log) && !portTaken(c.apiserver.log) {
			break
		}
	}
	return c, err
}

func (c *Cluster) writeFiles() (err error) {
	a := &c.apiserver
	if a.pki, err = newPKI(a.folder); err != nil {
		return err
	}
	if err := a.writeTokens(c.Admin, c.accounts.denied); err != nil {
		return err
	}
	c.CA, err = os.ReadFile(a.pki.ca)
	c.accounts.certificate = User{Name: "admin-by-certificate", Cert: a.pki.adminCert, Key: a.pki.adminKey}
	return err
}

// listen chooses ports and starts both servers on them.
func (c *Cluster) listen(ctx context.Context) (err error) {
	for _, p := range []*int{&c.etcd.client, &c.etcd.peer, &c.apiserver.port} {
		if *p, err = port.Free(); err != nil {
			return err
		}
	}
	if c.URL, err = url.Parse(c.apiserver.url()); err != nil {
		return err
	}
	if err := os.RemoveAll(c.etcd.data); err != nil {
		return err
	}
	if err := c.etcd.start(ctx); err != nil {
		return err
	}
	return c.startAPIServer(ctx)
}

func (c *Cluster) startAPIServer(ctx context.Context) error {
	tls, err := c.tls(c.Admin)
	if err != nil {
		return err
	}
	// No connection is kept: it would be that of the server before.
	tr := &http.Transport{TLSClientConfig: tls, DisableKeepAlives: true}
	return c.apiserver.start(ctx, c.etcd.url(), &http.Client{Transport: bearer{c.Admin.Token, tr}})
}

func (c *Cluster) stop() error {
	return errors.Join(
		c.apiserver.process.end(syscall.SIGKILL, time.Minute),
		c.etcd.process.end(syscall.SIGKILL, time.Minute),
	)
}

// terminateWithin bounds a graceful end: the grace period for watches, and
// the minute for which the API server waits for other requests.
const terminateWithin = 80 * time.Second

// Terminate ends the API server as an operator does, with SIGTERM: it stops
// listening, ends its watches clean, and exits. Terminate returns when it has.
func (c *Cluster) Terminate(t testing.TB) {
	t.Helper()
	c.mustRun(t)
	if err := c.apiserver.process.end(syscall.SIGTERM, terminateWithin); err != nil {
		t.Fatalf("cluster: %v", err)
	}
}

// Kill ends the API server as a crash does, with SIGKILL: connections are torn.
func (c *Cluster) Kill(t testing.TB) {
	t.Helper()
	c.mustRun(t)
	if err := c.apiserver.process.end(syscall.SIGKILL, time.Minute); err != nil {
		t.Fatalf("cluster: %v", err)
	}
}

// Restart starts the API server again after Terminate or Kill, on the same
// port and the same storage, and waits until it is ready.
func (c *Cluster) Restart(t testing.TB) {
	t.Helper()
	if c.apiserver.process.running() {
		t.Fatal("cluster: Restart of an API server that is running; Terminate or Kill it first")
	}
	if err := c.startAPIServer(t.Context()); err != nil {
		t.Fatalf("cluster: %v", err)
	}
}

// Compact drops etcd's history before its current revision, and returns that.
// The API server's own cache still has it: only a restart makes older
// resourceVersions expire.
func (c *Cluster) Compact(t testing.TB) (revision string) {
	t.Helper()
	revision, err := c.etcd.compact(t.Context())
	if err != nil {
		t.Fatalf("cluster: %v", err)
	}
	return revision
}

// Snapshot is a copy of the storage at one moment.
type Snapshot struct{ folder string }

// Remove frees the room a copy takes before the test ends.
func (s Snapshot) Remove(t testing.TB) {
	t.Helper()
	if err := os.RemoveAll(s.folder); err != nil {
		t.Fatalf("cluster: %v", err)
	}
}

// Snapshot copies the storage. Nobody notices, but for a pause of etcd.
func (c *Cluster) Snapshot(t testing.TB) Snapshot {
	t.Helper()
	s := Snapshot{folder: t.TempDir()}
	if err := c.etcd.snapshot(s.folder); err != nil {
		t.Fatalf("cluster: %v", err)
	}
	return s
}

// Restore turns the storage back to a snapshot, as an operator does from a
// backup: both servers are killed and start again, on the same ports.
func (c *Cluster) Restore(t testing.TB, s Snapshot) {
	t.Helper()
	err := c.stop()
	if err == nil {
		err = c.etcd.restore(s.folder)
	}
	if err == nil {
		err = c.etcd.start(t.Context())
	}
	if err == nil {
		err = c.startAPIServer(t.Context())
	}
	if err != nil {
		t.Fatalf("cluster: restore: %v", err)
	}
}

func (c *Cluster) mustRun(t testing.TB) {
	t.Helper()
	if !c.apiserver.process.running() {
		t.Fatal("cluster: the API server is not running")
	}
}
