//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/cmd/rawwatch/internal/terminal/screentest"
	"example.com/rawwatch/stream/replay"
)

// session is the command on a terminal of its own.
type session struct {
	*screentest.Screen
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	read   chan struct{} // closed when the command has let go of the terminal
}

// onTerminal starts the command as the foreground process of a terminal that is
// so wide.
func onTerminal(t *testing.T, columns int, name string, args ...string) *session {
	t.Helper()
	s := &session{Screen: screentest.New(columns), t: t, cmd: exec.Command(name, args...), read: make(chan struct{})}
	s.cmd.Env = append(os.Environ(), "TERM=xterm", "NO_COLOR=")
	master, err := pty.StartWithSize(s.cmd, size(columns))
	require.NoError(t, err)
	s.master = master
	go func() {
		defer close(s.read)
		io.Copy(s.Screen, master) // until EIO, on Linux
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		master.Close()
		<-s.read
	})
	return s
}

func size(columns int) *pty.Winsize { return &pty.Winsize{Rows: 24, Cols: uint16(columns)} }

func (s *session) resize(columns int) {
	s.t.Helper()
	s.Resize(columns)
	require.NoError(s.t, pty.Setsize(s.master, size(columns)))
}

// shows waits until the screen has text on it.
func (s *session) shows(text string) {
	s.t.Helper()
	s.showsMatch(regexp.QuoteMeta(text))
}

func (s *session) showsMatch(pattern string) {
	s.t.Helper()
	want := regexp.MustCompile(pattern)
	for end := time.Now().Add(10 * time.Second); !want.MatchString(s.Text()); {
		if time.Now().After(end) {
			s.t.Fatalf("%s never came:\n%s", pattern, s.Text())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// exits waits for the end, and returns what is left on the screen.
func (s *session) exits(code int) string {
	s.t.Helper()
	s.cmd.Wait()
	<-s.read
	assert.Equal(s.t, code, s.cmd.ProcessState.ExitCode(), s.Text())
	assert.Empty(s.t, s.Problem(), s.Text())
	return s.Text()
}

// cluster is a server with one list, and a watch that says what it is given
// and then stays open.
func cluster(t *testing.T, list, watch string) *replay.Server {
	return replay.NewServer(t, replay.Script{
		replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, list)...),
		replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(watch), replay.Hold()),
	}, replay.Options{TCP: true})
}

func TestAStatusBelowTheEvents(t *testing.T) {
	srv := cluster(t, replay.ListBody("10", replay.Item("a", "8")), replay.Event("MODIFIED", "a", "11"))
	s := onTerminal(t, 100, "rawwatch", replay.ConfigMaps, "-s", srv.URL().String())
	s.showsMatch(`\n watching · 1 object · 2 events · last byte \d+s ago · rv 11$`)
	lines := strings.Split(s.Text(), "\n")
	require.Len(t, lines, 6)
	assert.Equal(t, []string{
		"rawwatch: connected to " + srv.URL().Host + ": watching configmaps in namespace t",
		"EVENT      NAME                   AGE",
		"ADDED      a                      <unknown>",
		"rawwatch: synced at resourceVersion 10: 1 object",
		"MODIFIED   a                      <unknown>",
	}, lines[:5])
	assert.Subset(t, s.Colours(), []string{"1", "32", "33", "2"}, "headings, two types of event, and the status")

	// Narrower: less of it; as narrow as can be: what matters most.
	for _, step := range []struct {
		columns int
		want    string
	}{
		{50, `\n watching · 2 events · last byte \d+s ago$`},
		{20, `\n watching · \d+s ago$`},
		{8, `\n watch…$`},
	} {
		s.resize(step.columns)
		s.showsMatch(step.want)
	}

	// ^C, typed at the terminal: the status is gone, and so is the echo.
	s.resize(100)
	_, err := s.master.Write([]byte{3})
	require.NoError(t, err)
	left := s.exits(130)
	assert.Equal(t, append(lines[:5], "rawwatch: interrupted by SIGINT, after 2 events; --resource-version 11 goes on from here"), strings.Split(left, "\n"))
}

func TestNoStatusAmongOthers(t *testing.T) {
	list := replay.ListBody("10", replay.Item("a", "8"))
	for name, c := range map[string]struct {
		env    []string
		args   []string
		colour bool
	}{
		"NO_COLOR": {env: []string{"NO_COLOR=1"}},
		"never":    {args: []string{"--color", "never"}},
		"dumb":     {env: []string{"TERM=dumb"}},
		"always":   {env: []string{"NO_COLOR=1"}, args: []string{"--color", "always"}, colour: true},
	} {
		t.Run(name, func(t *testing.T) {
			srv := cluster(t, list, replay.Event("MODIFIED", "a", "11"))
			s := onTerminal(t, 80, "env", slices.Concat(c.env, []string{"rawwatch", replay.ConfigMaps, "-s", srv.URL().String(), "--count", "2"}, c.args)...)
			s.exits(0)
			assert.Equal(t, c.colour, len(s.Colours()) > 0, s.Colours())
		})
	}

	// What is on the same terminal behind a pipe would be torn by a status.
	srv := cluster(t, list, replay.Event("MODIFIED", "a", "11"))
	cmd := exec.Command("rawwatch", replay.ConfigMaps, "-s", srv.URL().String(), "--count", "2", "-o", "name")
	screen := screentest.New(80)
	master, terminal, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	read := make(chan struct{})
	go func() { defer close(read); io.Copy(screen, master) }()
	cmd.Stderr = terminal
	out, err := cmd.Output()
	require.NoError(t, err)
	terminal.Close()
	<-read
	assert.Equal(t, "ADDED configmap/a\nMODIFIED configmap/a\n", string(out))
	assert.NotContains(t, screen.Text(), "event")
	assert.Empty(t, screen.Problem())
}

// What strangers wrote is shown, not obeyed: screentest knows none of these.
func TestATerminalObeysNoStranger(t *testing.T) {
	const evil = `\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\r\u0000`
	object := fmt.Sprintf(`{"metadata":{"name":"a%s","namespace":"t","uid":"u","resourceVersion":"8%s","labels":{"l%s":"v%s"}}}`, evil, evil, evil, evil)
	table := fmt.Sprintf(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"columnDefinitions":[{"name":"Name%s","format":"name"},{"name":"N"}],"rows":[{"cells":["a%s","x%s"],"object":%s}]}`, evil, evil, evil, object)
	list := fmt.Sprintf(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[%s]}`, object)
	failure := fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m%s","reason":"Forbidden%s","code":403}`, evil, evil)
	for _, format := range []string{"text", "wide", "name"} {
		for name, body := range map[string]string{"table": table, "list": list} {
			t.Run(format+" "+name, func(t *testing.T) {
				srv := replay.NewServer(t, replay.Script{replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, body)...)}, replay.Options{TCP: true})
				args := []string{replay.ConfigMaps, "-s", srv.URL().String(), "--once", "-o", format, "--markers"}
				if format != "name" {
					args = append(args, "--show-labels", "-L", "l")
				}
				assert.Contains(t, onTerminal(t, 400, "rawwatch", args...).exits(0), `a\x1b[2J\x1b]0;owned\a\u009b31m\u202e\r\x00`)
			})
		}
	}
	t.Run("diff", func(t *testing.T) {
		changed := strings.Replace(object, `"v`, `"w`, 1)
		srv := cluster(t, list, fmt.Sprintf(`{"type":"MODIFIED","object":%s}`+"\n", strings.Replace(changed, `"resourceVersion":"8`, `"resourceVersion":"11`, 1)))
		left := onTerminal(t, 400, "rawwatch", replay.ConfigMaps, "-s", srv.URL().String(), "--count", "2", "-o", "diff").exits(0)
		assert.Contains(t, left, `w\x1b[2J\x1b]0;owned\a\u009b31m\u202e\r\x00`, "the new value of the label")
	})
	t.Run("an answer, told as an error", func(t *testing.T) {
		srv := replay.NewServer(t, replay.Script{replay.On(replay.List(replay.ConfigMaps), replay.JSON(403, failure)...)}, replay.Options{TCP: true})
		s := onTerminal(t, 400, "rawwatch", replay.ConfigMaps, "-s", srv.URL().String())
		assert.Contains(t, s.exits(4), `\x1b[2J`)
	})
	t.Run("what is skipped, and what ends a stream, told in the story", func(t *testing.T) {
		srv := cluster(t, replay.ListBody("10"), fmt.Sprintf(`{"type":"NEWS%s","object":{}}`+"\n"+`{"type":"ERROR","object":%s}`+"\n", evil, failure))
		s := onTerminal(t, 400, "rawwatch", replay.ConfigMaps, "-s", srv.URL().String(), "--on-unknown-error", "fail", "-v", "2")
		assert.Contains(t, s.exits(4), `skipped an event of unknown type "NEWS\x1b[2J`)
	})
}

// The terminal is closed under a watch: it ends, and at once, by the signal or,
// if that is ignored, by the first write.
func TestATerminalThatIsClosed(t *testing.T) {
	for name, ignore := range map[string]string{"SIGHUP": "", "a write": "trap '' HUP; "} {
		t.Run(name, func(t *testing.T) {
			closed := make(chan struct{})
			// Several events: the terminal is gone when the read of it that is
			// under way returns, and that takes the first.
			steps := []replay.Step{replay.Respond(200), replay.Write(replay.Event("ADDED", "a", "11")), replay.Do(func() { <-closed })}
			for i := range 20 {
				steps = append(steps, replay.Write(replay.Event("MODIFIED", "a", strconv.Itoa(12+i))), replay.Pause(20*time.Millisecond))
			}
			steps = append(steps, replay.Hold())
			srv := replay.NewServer(t, replay.Script{
				replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10"))...),
				replay.On(replay.Watch(replay.ConfigMaps, "10"), steps...),
			}, replay.Options{TCP: true})
			s := onTerminal(t, 80, "sh", "-c", ignore+"exec rawwatch "+replay.ConfigMaps+" -s "+srv.URL().String())
			s.shows("1 event")
			require.NoError(t, s.master.Close())
			close(closed)
			ended := make(chan struct{})
			go func() { s.cmd.Wait(); close(ended) }()
			select {
			case <-ended:
				assert.Equal(t, 128+int(syscall.SIGHUP), s.cmd.ProcessState.ExitCode())
			case <-time.After(10 * time.Second):
				t.Error("it goes on for nobody")
			}
		})
	}
}

// Under nohup a watch outlives its terminal.
func TestASignalThatIsIgnoredStaysIgnored(t *testing.T) {
	srv := cluster(t, replay.ListBody("10"), replay.Event("ADDED", "a", "11"))
	cmd := exec.Command("sh", "-c", "trap '' HUP; exec rawwatch "+replay.ConfigMaps+" -o name -s "+srv.URL().String())
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	_, err = io.ReadFull(out, make([]byte, len("ADDED configmap/a\n")))
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	cmd.Wait()
	assert.Equal(t, 128+int(syscall.SIGTERM), cmd.ProcessState.ExitCode())
}
