package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"example.com/rawwatch/test/internal/port"
)

// etcd is the storage of a cluster.
type etcd struct {
	program string
	data    string // folder
	log     string // file
	client  int    // port
	peer    int
	process *process
}

func (e *etcd) url() string { return "http://" + port.Address(e.client) }

func (e *etcd) start(ctx context.Context) error {
	peer := "http://" + port.Address(e.peer)
	p, err := startProcess("etcd", e.log, e.program,
		"--data-dir", e.data,
		"--listen-client-urls", e.url(), "--advertise-client-urls", e.url(),
		// A single member talks to no peer, but listens all the same; the
		// default ports would collide.
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "default="+peer,
		// What has been written survives the end of a process without fsync;
		// only the machine's own would need it.
		"--unsafe-no-fsync",
		"--log-level", "warn")
	if err != nil {
		return err
	}
	e.process = p
	return ready(ctx, p, func(ctx context.Context) error {
		return get(ctx, http.DefaultClient, e.url()+"/health")
	})
}

// callWithin bounds one call of etcd. A compaction of what a test writes takes
// milliseconds.
const callWithin = time.Minute

// call posts to etcd's HTTP gateway.
func (e *etcd) call(ctx context.Context, path string, request, answer any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, callWithin, fmt.Errorf("etcd %s: no answer within %s", path, callWithin))
	defer cancel()
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url()+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd %s: status %d: %s", path, resp.StatusCode, content)
	}
	return json.Unmarshal(content, answer)
}

// compact drops the history before the current revision, which it returns.
func (e *etcd) compact(ctx context.Context) (revision string, err error) {
	var current struct {
		Header struct{ Revision string }
	}
	// Any key will do: the header of the answer tells the revision.
	anyKey := map[string]any{"key": []byte("/"), "count_only": true}
	if err := e.call(ctx, "/v3/kv/range", anyKey, &current); err != nil {
		return "", err
	}
	revision = current.Header.Revision
	compaction := map[string]any{"revision": revision, "physical": true}
	return revision, e.call(ctx, "/v3/kv/compaction", compaction, new(struct{}))
}

// snapshot copies the data folder into another. etcd is stopped in its tracks
// meanwhile, so the copy is what a crash at that moment would leave, which is
// what its log is made to survive.
func (e *etcd) snapshot(to string) (err error) {
	if err := e.process.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.process.signal(syscall.SIGCONT)) }()
	return os.CopyFS(to, os.DirFS(e.data))
}

// restore puts a snapshot in place of the data. etcd must not be running.
func (e *etcd) restore(from string) error {
	if err := os.RemoveAll(e.data); err != nil {
		return err
	}
	if err := os.CopyFS(e.data, os.DirFS(from)); err != nil {
		return err
	}
	// etcd refuses a data folder that others may read.
	return filepath.WalkDir(e.data, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
}

// readyWithin bounds how long a server may take from its start to being
// ready. Seconds are usual; the machine may be busy.
const readyWithin = 90 * time.Second

// askedWithin bounds one question to a server that starts. One that it has
// accepted and never answers must not keep the next ones from being asked.
const askedWithin = 10 * time.Second

// ready polls a server until check finds it ready. A server that ends is not
// waited for any longer.
func ready(ctx context.Context, p *process, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	last := errors.New("not asked yet")
	for {
		select {
		case <-p.done:
			return fmt.Errorf("%s ended before it was ready: %w", p.name, p.failure())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready after %s: %w; the last answer: %w", p.name, readyWithin, ctx.Err(), last)
		case <-tick.C:
		}
		asked, cancel := context.WithTimeout(ctx, askedWithin)
		err := check(asked)
		if cancel(); err == nil {
			return nil
		} else if ctx.Err() == nil {
			last = err
		}
	}
}

// get asks for a URL that answers 200 when all is well.
func get(ctx context.Context, c *http.Client, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := c.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d: %s", resp.StatusCode, content)
	}
	return nil
}
