package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/test/cluster"
	"example.com/rawwatch/test/proxy"
)

// soakClient is a watch that outlives its processes: each goes on where the
// checkpoint of the one before ended.
type soakClient struct {
	t       testing.TB
	name    string
	ledger  *history.Ledger
	counts  func(namespace string) bool // which objects the ledger is about
	proxy   *proxy.Proxy
	file    string          // of the checkpoint
	log     *os.File        // what all its processes say
	process func() *command // starts one

	life  *command        // the process that runs, or ran last
	kept  []history.Event // what the ones before told, as far as the checkpoint has it
	lives []soakLife      // those that have ended
}

// soakLife is what a process was begun with and told.
type soakLife struct {
	kept   int // events of the lives before that it went on from
	events []history.Event
}

func (c *soakClient) resume() { c.life = c.process() }

// told are the events of the present life that the ledger is about. A line
// that its end has torn was never told.
func (c *soakClient) told() (events []history.Event, at []time.Time) {
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	for _, e := range c.life.events {
		if e.Namespace == "" || c.counts(e.Namespace) {
			events, at = append(events, e.Event), append(at, e.at)
		}
	}
	return events, at
}

// kill ends the process with SIGKILL, and compares what it told with the file
// it leaves. The next process goes on from there.
func (c *soakClient) kill() {
	c.t.Helper()
	if how, over := c.life.over(); over {
		c.t.Fatalf("%s has ended by itself: %s", c.name, how)
	}
	c.life.cmd.Process.Kill()
	c.life.wait()
	c.bury(false)
}

// finish ends it as Ctrl-C does. Then the file knows all.
func (c *soakClient) finish() {
	c.t.Helper()
	c.life.stop()
	c.bury(true)
}

// soonAfter is how long after its last write a checkpoint's file may be dated.
const soonAfter = 2 * time.Second

// bury takes note of a life that is over.
func (c *soakClient) bury(clean bool) {
	c.t.Helper()
	events, at := c.told()
	if n := len(events); n > 0 && !clean && strings.HasPrefix(events[n-1].Type, notJSON) {
		events, at = events[:n-1], at[:n-1]
	}
	all := slices.Concat(c.kept, events)
	file, written, err := c.checkpoint()
	if err != nil {
		c.t.Fatalf("%s: %v", c.name, err)
	}
	n, ok := file.Kept(all)
	// Two events whose second was read well before the file was written: the
	// first had been acknowledged by then.
	due := len(c.kept)
	for i := range max(len(at)-1, 0) {
		if at[i+1].Before(written.Add(-soonAfter)) {
			due = len(c.kept) + i + 1
		}
	}
	switch {
	case !ok:
		c.t.Fatalf("%s: its checkpoint, at %q, agrees with no moment of what it was told; the last was %v, the objects are %v",
			c.name, file.Version, tailOf(all, 20), file.Known)
	case n < due:
		c.t.Errorf("%s: its checkpoint has %d events, written %s, when %d had been acknowledged", c.name, n, written, due)
	case clean && n < len(all):
		c.t.Errorf("%s: ended by SIGINT, and the checkpoint has %d of %d events", c.name, n, len(all))
	}
	c.lives = append(c.lives, soakLife{len(c.kept), events})
	c.kept = all[:n:n]
}

func tailOf[T any](all []T, n int) []T { return all[max(len(all)-n, 0):] }

// checkpoint reads the file, as its format says, and when it was written. One
// that is not there yet is that of a client that knows nothing.
func (c *soakClient) checkpoint() (k history.Checkpoint, written time.Time, err error) {
	k.Known = make(map[history.Key]history.Identity)
	f, err := os.Open(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return k, written, nil
	} else if err != nil {
		return k, written, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return k, written, err
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var head struct{ ResourceVersion string }
		var object [4]string
		switch {
		case json.Unmarshal(lines.Bytes(), &object) == nil:
			if c.counts(object[0]) {
				k.Known[history.Key{Namespace: object[0], Name: object[1]}] = history.Identity{UID: object[2], Version: object[3]}
			}
		case json.Unmarshal(lines.Bytes(), &head) != nil:
			return k, written, fmt.Errorf("checkpoint %s: line %q", c.file, lines.Text())
		case head.ResourceVersion != "":
			k.Version = head.ResourceVersion
		}
	}
	return k, info.ModTime(), lines.Err()
}

// check judges all lives: each with what the file had of those before, and
// the last one with what exists.
func (c *soakClient) check() error {
	var before []history.Event
	for i, life := range c.lives {
		before = slices.Concat(before[:life.kept], life.events)
		check := c.ledger.CheckUnfinished
		if i == len(c.lives)-1 {
			check = c.ledger.Check
		}
		if err := check(nil, before); err != nil {
			return fmt.Errorf("life %d of %d: %w", i+1, len(c.lives), err)
		}
	}
	return nil
}

// tally counts what a client was told, of a type of event; and how many
// events came again after a crash.
func (c *soakClient) tally(kind string) (n, again int) {
	all := 0
	for _, life := range c.lives {
		again += all - life.kept
		all = life.kept + len(life.events)
		for _, e := range life.events {
			if kind == "" || e.Type == kind {
				n++
			}
		}
	}
	return n, again
}

func (c *soakClient) label() string              { return c.name }
func (c *soakClient) position() history.Position { return nil }
func (c *soakClient) over() (string, bool)       { return c.life.over() }
func (c *soakClient) stop()                      { c.life.stop() }

func (c *soakClient) seen() []history.Event {
	events, _ := c.told()
	return slices.Concat(c.kept, events)
}

// story is the end of what its processes said.
func (c *soakClient) story() string {
	content, err := os.ReadFile(c.log.Name())
	if err != nil {
		return err.Error()
	}
	return string(tailOf(content, 16<<10))
}

// printed is how many lines the present process has printed.
func (c *soakClient) printed() int {
	c.life.mu.Lock()
	defer c.life.mu.Unlock()
	return len(c.life.events)
}

// command has the client be processes of the command.
func (c *soakClient) command(s *cluster.Server, in cluster.Collection) {
	args := []string{in.Path(), "-o", "json", "--markers", "--persist", "--checkpoint", c.file, "-v", "1",
		"--chunk-size", "20", "--backoff-min", "50ms", "--backoff-max", "1s", "--timeout", "3h",
		"--idle-timeout", soakSilence.String(), "--watch-timeout", soakWatch.String(),
		"--kubeconfig", s.Via(c.proxy.Address()).Kubeconfig(c.t, s.Admin, "")}
	program := built.path(c.t)
	c.process = func() *command {
		return launch(c.t, exec.Command(program, args...), protocols["HTTP/2.0"], c.log)
	}
}

// library has it be processes of a program that uses the library.
func (c *soakClient) library(s *cluster.Server, in cluster.Collection, streaming bool) {
	order, err := json.Marshal(soakOrder{
		Kubeconfig: s.Via(c.proxy.Address()).Kubeconfig(c.t, s.Admin, ""), In: in, Stream: streaming, Checkpoint: c.file,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	environment := append([]string{soakVariable + "=" + string(order)}, protocols["HTTP/2.0"]...)
	c.process = func() *command { return launch(c.t, exec.Command(os.Args[0]), environment, c.log) }
}

func newSoakClient(t testing.TB, name string, s *cluster.Server, l *history.Ledger, counts func(string) bool) *soakClient {
	c := &soakClient{
		t: t, name: name, ledger: l, counts: counts,
		proxy: proxy.Start(t, s.Address()), file: filepath.Join(t.TempDir(), "checkpoint"),
	}
	var err error
	if c.log, err = os.Create(filepath.Join(t.ArtifactDir(), strings.ReplaceAll(name, " ", "-")+".log")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.life != nil {
			c.life.cmd.Process.Kill()
			c.life.wait()
		}
		if t.Failed() {
			t.Logf("the end of the story of %s:\n%s", name, c.story())
		}
		c.log.Close()
	})
	return c
}
