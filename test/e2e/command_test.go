package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/test/cluster"
)

// built is the command, built when the first test needs it.
var built binary

type binary struct {
	once   sync.Once
	folder string
	err    error
}

// buildWithin bounds that, with nothing in the go command's cache.
const buildWithin = 10 * time.Minute

// path builds the command as its users do, from the root module; with the race
// detector if the tests have it.
func (b *binary) path(t testing.TB) string {
	t.Helper()
	b.once.Do(func() {
		if b.folder, b.err = os.MkdirTemp("", "rawwatch-command-"); b.err != nil {
			return
		}
		args := []string{"build", "-C", filepath.Join("..", ".."), "-o", b.program()}
		if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
			args = append(args, "-race")
		}
		ctx, cancel := context.WithTimeout(context.Background(), buildWithin)
		defer cancel()
		out, err := exec.CommandContext(ctx, "go", append(args, "./cmd/rawwatch")...).CombinedOutput()
		if err != nil {
			b.err = fmt.Errorf("build the command: %w\n%s", err, out)
		}
	})
	require.NoError(t, b.err)
	return b.program()
}

func (b *binary) program() string { return filepath.Join(b.folder, "rawwatch") }

func (b *binary) remove() error {
	if b.folder == "" {
		return nil
	}
	return os.RemoveAll(b.folder)
}

// command is a running rawwatch.
type command struct {
	t     testing.TB
	name  string
	from  history.Position
	cmd   *exec.Cmd
	ended chan struct{}

	mu     sync.Mutex
	out    []string // lines
	events []printed
	err    bytes.Buffer
}

// printed is an event of -o json. Of a watch over several collections, the
// markers name theirs.
type printed struct {
	history.Event
	resource, namespace string
	at                  time.Time // when it was read here
}

// run starts a watch of the command as a user. It ends with the test at the
// latest, and by itself should the test process die.
func run(t testing.TB, s *cluster.Server, u cluster.User, environment []string, args ...string) *command {
	t.Helper()
	args = append(slices.Clone(args), "--kubeconfig", s.Kubeconfig(t, u, ""))
	if !slices.Contains(args, "--timeout") {
		args = append(args, "--timeout", "10m")
	}
	return execute(t, environment, args...)
}

func execute(t testing.TB, environment []string, args ...string) *command {
	t.Helper()
	c := launch(t, exec.Command(built.path(t), args...), environment, nil)
	t.Cleanup(func() { end(t, c) })
	return c
}

// launch starts a program that prints events as the command does. What it
// writes to standard error is its story, unless it goes to a file.
func launch(t testing.TB, cmd *exec.Cmd, environment []string, log *os.File) *command {
	t.Helper()
	name := filepath.Base(cmd.Path) + " " + strings.Join(cmd.Args[1:], " ")
	c := &command{t: t, name: name, cmd: cmd, ended: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), environment...)
	if log != nil {
		c.cmd.Stderr = log
	} else {
		c.cmd.Stderr = writerFunc(func(p []byte) (int, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.err.Write(p)
		})
	}
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.cmd.Start())
	go func() {
		defer close(c.ended)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			c.line(lines.Text())
		}
		c.cmd.Wait()
	}()
	return c
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// notJSON begins the type of what is no event.
const notJSON = "not JSON: "

// line takes a line of standard output. Under -o json each is an event.
func (c *command) line(text string) {
	var ev struct {
		Type            string
		Object          json.RawMessage
		Inferred        bool
		ResourceVersion string
		Resource        string
		Namespace       string
	}
	event := printed{Event: history.Event{Type: notJSON + text}, at: time.Now()}
	if err := json.Unmarshal([]byte(text), &ev); err == nil {
		event.Event = history.Event{Type: ev.Type, Version: ev.ResourceVersion, Inferred: ev.Inferred}
		event.resource, event.namespace = ev.Resource, ev.Namespace
		if o, err := cluster.ParseObject(ev.Object); err == nil {
			event.Namespace, event.Name, event.UID, event.Version = o.Namespace, o.Name, o.UID, o.ResourceVersion
		}
	}
	if isForeign(event.Name) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = append(c.out, text)
	c.events = append(c.events, event)
}

// stop ends the command as Ctrl-C does.
func (c *command) stop() {
	c.t.Helper()
	c.cmd.Process.Signal(syscall.SIGINT)
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Errorf("%s: still running %s after SIGINT", c.name, patience)
		c.cmd.Process.Kill()
		c.wait()
	}
	if strings.Contains(c.story(), "DATA RACE") {
		c.t.Errorf("%s:\n%s", c.name, c.story())
	}
}

// wait waits for the end of a command that was killed.
func (c *command) wait() {
	c.t.Helper()
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Errorf("%s: still there %s after SIGKILL", c.name, patience)
	}
}

// exit waits until the command ends by itself, and returns its exit code.
func (c *command) exit() int {
	c.t.Helper()
	cluster.Wait(c.t, patience, "the end of "+c.name, func() bool {
		_, over := c.over()
		return over
	})
	return c.cmd.ProcessState.ExitCode()
}

func (c *command) label() string              { return c.name }
func (c *command) position() history.Position { return c.from }

func (c *command) seen() (all []history.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		all = append(all, e.Event)
	}
	return all
}

// of are the events of one of several collections, which alone has objects in
// its namespace.
func (c *command) of(in cluster.Collection) (all []history.Event) {
	resource := in.Resource
	if in.Group != "" {
		resource += "." + in.Group
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.events {
		if e.Namespace == in.Namespace || e.resource == resource && e.namespace == in.Namespace {
			all = append(all, e.Event)
		}
	}
	return all
}

func (c *command) lines() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clip(c.out)
}

func (c *command) over() (string, bool) {
	select {
	case <-c.ended:
		return c.cmd.ProcessState.String() + ": " + c.story(), true
	default:
		return "", false
	}
}

// story is what the command wrote to standard error.
func (c *command) story() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err.String()
}
