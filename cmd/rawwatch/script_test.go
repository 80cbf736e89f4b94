package main

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/rawwatch/cmd/rawwatch/internal/cli"
	"example.com/rawwatch/stream/replay"
)

// The behaviour of the command is in testdata/script: what a person types,
// what the server says to it, and what comes out. Beside testscript's own
// commands there are:
//
//	server [-tls] [-any] FILE starts a server that plays FILE (see server_test.go);
//	                          sets SERVER (its URL), HOST, and writes ca.pem with -tls;
//	                          -any: the requests of several watches, in any order
//	exits CODE ARGS…          runs the command, and fails unless it ends with CODE and
//	                          the server has been asked for everything in its file
//	begins CODE ARGS…         the same, and the server goes on with its file in the next
//	signal NAME CODE TEXT ARGS…  the same, and sends a signal when TEXT is on stdout
//	early NAME CODE WHEN ARGS…  the same, before there is any event (see early_test.go)
//	expand FILE               replaces $VARIABLES in FILE
//	oneline stderr            fails unless the error is told in exactly one line
//	serves ARGS…              starts rawwatch serve ARGS…, and sets SERVED (its URL)
//	served                    ends it; what it has told is then in the file "served"
//
// Of what goes to stderr they take the time in front away, so that scripts
// show what a terminal does. There are also the variables CM (the path of the
// server files' ConfigMaps), RECORDINGS (those of a real server), NOBODY (an address where nobody listens) and PLAIN
// (one that does not speak TLS).

func TestMain(m *testing.M) {
	// No kubeconfig of whoever runs the tests: most scripts run in this process.
	os.Setenv("HOME", "/no-home")
	os.Setenv("USERPROFILE", "/no-home")
	os.Unsetenv("KUBECONFIG")
	testscript.Main(m, map[string]func(){"rawwatch": main, "kubectl_complete-rawwatch": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "script"),
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			s := new(scripted)
			env.Values[serverKey{}] = s
			env.Values[playingKey{}] = new(*playing)
			env.Defer(func() {
				if err := s.close(); err != nil {
					env.T().Fatal(err)
				}
			})
			env.Setenv("CM", replay.ConfigMaps)
			recordings, err := filepath.Abs(filepath.Join("..", "..", "testdata", "recordings"))
			if err != nil {
				return err
			}
			env.Setenv("RECORDINGS", recordings)
			closed, err := closedPort()
			if err != nil {
				return err
			}
			env.Setenv("NOBODY", closed)
			silent, connected, err := silentPort(env.Defer)
			if err != nil {
				return err
			}
			env.Setenv("SILENT", silent)
			env.Values[connectedKey{}] = connected
			plain, err := plainPort(env.Defer)
			env.Setenv("PLAIN", plain)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"server":  cmdServer,
			"exits":   cmdExits,
			"begins":  cmdBegins,
			"signal":  cmdSignal,
			"early":   cmdEarly,
			"expand":  cmdExpand,
			"oneline": cmdOneLine,
			"serves":  cmdServes,
			"served":  cmdServed,
		},
	})
}

type serverKey struct{}

// scripted is the server of a script, while there is one. It is the replay.TB
// of that server too: what it has to say may come from any goroutine, and
// fails the script when the command is over.
type scripted struct {
	server *replay.Server
	told   *told

	mu       sync.Mutex
	problems []string
}

func (s *scripted) Helper()        {}
func (s *scripted) Cleanup(func()) {} // close does it
func (s *scripted) Errorf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}
func (s *scripted) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// close ends the server, and reports what did not go by its file.
func (s *scripted) close() error {
	if s.server == nil {
		return nil
	}
	s.server.Close()
	s.server = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	problems := s.problems
	s.problems = nil
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "\n"))
	}
	return nil
}

func cmdServer(ts *testscript.TestScript, neg bool, args []string) {
	options := replay.Options{TCP: true}
	for len(args) > 1 && args[0][0] == '-' {
		options.TLS = options.TLS || args[0] == "-tls"
		options.AnyOrder = options.AnyOrder || args[0] == "-any"
		args = args[1:]
	}
	if neg || len(args) != 1 {
		ts.Fatalf("usage: server [-tls] [-any] FILE")
	}
	s := ts.Value(serverKey{}).(*scripted)
	ts.Check(s.close())
	s.told = newTold()
	script, err := parseServer(ts.ReadFile(args[0]), s.told)
	ts.Check(err)
	s.server = replay.NewServer(s, script, options)
	ts.Setenv("SERVER", s.server.URL().String())
	ts.Setenv("HOST", s.server.URL().Host)
	if options.TLS {
		certificates := s.server.Client().Transport.(*http.Transport).TLSClientConfig
		ts.Check(writeCA(ts.MkAbs("ca.pem"), s.server.URL().Host, certificates))
	}
}

// writeCA asks the server for its certificate, which is its own authority.
func writeCA(path, host string, config *tls.Config) error {
	conn, err := tls.Dial("tcp", host, config)
	if err != nil {
		return err
	}
	defer conn.Close()
	block := &pem.Block{Type: "CERTIFICATE", Bytes: conn.ConnectionState().PeerCertificates[0].Raw}
	return os.WriteFile(path, pem.EncodeToMemory(block), 0o600)
}

func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	got := run(ts, neg, args)
	ts.Check(ts.Value(serverKey{}).(*scripted).close())
	check(ts, got, args)
}

func cmdBegins(ts *testscript.TestScript, neg bool, args []string) {
	check(ts, run(ts, neg, args), args)
}

func check(ts *testscript.TestScript, got int, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// run runs the command in this process.
func run(ts *testscript.TestScript, neg bool, args []string) (code int) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: exits CODE ARGS…, begins CODE ARGS…")
	}
	s := ts.Value(serverKey{}).(*scripted)
	ctx := context.Background()
	streams := cli.Streams{In: strings.NewReader(""), Out: ts.Stdout(), Err: unstamped{ts.Stderr()}}
	if s.server != nil {
		ctx = s.server.Context() // a request that does not fit ends the command too
		streams.Out, streams.Err = io.MultiWriter(streams.Out, s.told), io.MultiWriter(streams.Err, s.told)
	}
	return cli.Run(ctx, args[1:], streams)
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signal INT|TERM|HUP CODE TEXT ARGS…")
	}
	seen := &watched{text: args[2], seen: make(chan struct{})}
	interrupt(ts, args[0], args[1], seen, io.Discard, seen.seen, args[3:])
}

// interrupt runs the command in a process, and sends it a signal when it is
// time. What it wrote to standard error is then in the file stderr.
func interrupt(ts *testscript.TestScript, name, code string, stdout, stderr io.Writer, when <-chan struct{}, args []string) {
	sig := map[string]os.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[name]
	want, err := strconv.Atoi(code)
	ts.Check(err)
	cmd := exec.Command("rawwatch", args...)
	cmd.Stdout = stdout
	var told strings.Builder
	cmd.Stderr = io.MultiWriter(stderr, unstamped{&told})
	// Under nohup SIGHUP is ignored, and a child inherits that: the command
	// would do as nohup wants. A signal that is handled here is not inherited.
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP)
	defer signal.Stop(handled)
	ts.Check(cmd.Start())
	select {
	case <-when:
	case <-time.After(10 * time.Second):
		cmd.Process.Kill()
		ts.Fatalf("what the signal waits for never came")
	}
	ts.Check(cmd.Process.Signal(sig))
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	ended := cmd.Wait()
	late.Stop()
	ts.Logf("[stderr]\n%s", told.String())
	ts.Check(os.WriteFile(ts.MkAbs("stderr"), []byte(told.String()), 0o600))
	ts.Check(ts.Value(serverKey{}).(*scripted).close())
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("%v, want exit code %d", ended, want)
	}
}

// watched waits for text to be written.
type watched struct {
	text string
	seen chan struct{}
	all  strings.Builder
	done bool
}

func (w *watched) Write(b []byte) (int, error) {
	w.all.Write(b)
	if !w.done && strings.Contains(w.all.String(), w.text) {
		w.done = true
		close(w.seen)
	}
	return len(b), nil
}

func cmdExpand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

func cmdOneLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: oneline stderr")
	}
	text := ts.ReadFile(args[0])
	errors := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "rawwatch: ") {
			ts.Fatalf("not a line of ours: %q", line)
		}
		if strings.HasPrefix(line, "rawwatch: error: ") {
			errors++
		}
	}
	if errors != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("%d error lines, want 1", errors)
	}
}

// closedPort is an address where nobody listens.
func closedPort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// plainPort is the address of a port that answers everything, TLS included, as
// an https server answers http.
func plainPort(atEnd func(func())) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	atEnd(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Read(make([]byte, 1<<10))
			io.WriteString(conn, "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n")
			conn.Close()
		}
	}()
	return l.Addr().String(), nil
}
