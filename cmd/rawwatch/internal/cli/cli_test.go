package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs the command in this process.
func run(t *testing.T, out io.Writer, args ...string) (code int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	code = Run(t.Context(), args, Streams{In: strings.NewReader(""), Out: out, Err: &errs})
	return code, errs.String()
}

// flagNames are all flags of the watch, with two dashes.
func flagNames(t *testing.T) []string {
	t.Helper()
	usages := newRoot(Streams{}).Flags().FlagUsages()
	names := regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`).FindAllStringSubmatch(usages, -1)
	require.Greater(t, len(names), 40)
	var all []string
	for _, n := range names {
		all = append(all, n[1])
	}
	return all
}

func TestTheHelpPagesNameEveryFlagAndFitAScreenEach(t *testing.T) {
	var pages string
	for _, command := range []string{"--help", "options"} {
		var out bytes.Buffer
		code, stderr := run(t, &out, command)
		require.Zero(t, code)
		require.Empty(t, stderr)
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		assert.LessOrEqual(t, len(lines), 45)
		for _, line := range lines {
			assert.LessOrEqual(t, len(line), 80, line)
		}
		pages += out.String()
	}
	for _, name := range flagNames(t) {
		assert.Regexp(t, regexp.MustCompile(regexp.QuoteMeta(name)+`\b`), pages)
	}
	for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(pages, -1) {
		if name != "--help" && name != "--to" { // the latter is of record
			assert.Contains(t, flagNames(t), name)
		}
	}
}

func TestTheScriptsUseEveryFlag(t *testing.T) {
	var scripts strings.Builder
	dir := "../../testdata/script"
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(dir + "/" + e.Name())
		require.NoError(t, err)
		scripts.Write(text)
	}
	short := map[string]string{"--output": "-o", "--label-columns": "-L", "--v": "-v", "--selector": "-l", "--watch": "-w"}
	for _, name := range flagNames(t) {
		forms := regexp.QuoteMeta(name)
		if s, ok := short[name]; ok {
			forms += "|" + s
		}
		used := regexp.MustCompile(`(?m)^exits .* (` + forms + `)( |=|$)`)
		assert.True(t, used.MatchString(scripts.String()), "%s is used by no script", name)
	}
}

func TestExitCodes(t *testing.T) {
	streamError := func(err error) error { return &failure{err: &stream.Error{Err: err}} }
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"ended as asked", nil, 0},
		{"anything", errors.New("x"), 1},
		{"the parent's context", context.Canceled, 1},
		{"usage", usagef("x"), 2},
		{"kubeconfig", fmt.Errorf("x: %w", &kubeconfig.Error{Err: errors.New("x")}), 2},
		{"no kubeconfig", kubeconfig.ErrNoConfiguration, 2},
		{"a Watcher that cannot begin", &stream.ConfigError{Field: "x", Problem: "y"}, 2},
		{"a checkpoint of another watch", &stream.CheckpointError{Err: stream.ErrCheckpointOther}, 2},
		{"a checkpoint on a full disk", &toldError{&stream.CheckpointError{Err: syscall.ENOSPC}}, 1},
		{"unmet", unmet(nil), 3},
		{"401", streamError(&status.Error{HTTPStatus: 401}), 4},
		{"403", streamError(&status.Error{HTTPStatus: 403}), 4},
		{"404", streamError(&status.Error{HTTPStatus: 404}), 5},
		{"405", streamError(&status.Error{HTTPStatus: 405}), 5},
		{"gone while it was watched", streamError(status.ErrResourceGone), 5},
		{"unknown type", &failure{err: &discovery.UnknownTypeError{}}, 5},
		{"ambiguous type", &failure{err: &discovery.AmbiguousError{}}, 5},
		{"not watchable", &failure{err: &discovery.NotWatchableError{}}, 5},
		{"tries used up, at a 403", streamError(fmt.Errorf("%w: %w", stream.ErrMaxReconnects, &status.Error{HTTPStatus: 403})), 6},
		{"410", streamError(&status.Error{HTTPStatus: 410}), 7},
		{"410 in an event", streamError(&status.Error{HTTPStatus: 200, Event: true, Status: status.Status{Code: 410}}), 7},
		{"SIGHUP", &interruptedError{syscall.SIGHUP}, 129},
		{"SIGINT", &interruptedError{os.Interrupt}, 130},
		{"SIGTERM, on the way through discovery", &discovery.RequestError{Err: &interruptedError{syscall.SIGTERM}}, 143},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, exitCode(tt.err))
		})
	}
}

// brokenPipe is a standard output that nobody reads any more.
type brokenPipe struct{ err error }

func (p brokenPipe) Write([]byte) (int, error) { return 0, p.err }

func TestAClosedPipeEndsQuietlyAndAFullDiskDoesNot(t *testing.T) {
	script := replay.Script{replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "8")))...)}

	srv := replay.NewServer(t, script, replay.Options{TCP: true})
	code, stderr := run(t, brokenPipe{&os.PathError{Op: "write", Err: syscall.EPIPE}}, replay.ConfigMaps, "-s", srv.URL().String())
	assert.Equal(t, 0, code)
	assert.NotContains(t, stderr, "error")

	srv = replay.NewServer(t, script, replay.Options{TCP: true})
	code, stderr = run(t, brokenPipe{syscall.ENOSPC}, replay.ConfigMaps, "-s", srv.URL().String())
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr, "rawwatch: error: cannot write to standard output: no space left on device\n")
}

func TestTheContextOfTheCallerEndsTheCommand(t *testing.T) {
	srv := replay.NewServer(t, replay.Script{
		replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "a", "11")), replay.Hold()),
	}, replay.Options{TCP: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the caller has left")
	out := writerFunc(func(b []byte) (int, error) { cancel(gone); return len(b), nil })
	var stderr bytes.Buffer
	code := Run(ctx, []string{replay.ConfigMaps, "-s", srv.URL().String(), "--resource-version", "10"}, Streams{Out: out, Err: &stderr})
	assert.Equal(t, 1, code)
	assert.Contains(t, stderr.String(), "rawwatch: error: the caller has left\n")
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func TestHintsNameWhatThereIsToName(t *testing.T) {
	config := &kubeconfig.Config{User: "dev", Credentials: "exec plugin", Server: &url.URL{Scheme: "http", Host: "h"}}
	for _, tt := range []struct {
		name string
		err  error
		row  string
		want string
	}{
		{"401", &status.Error{HTTPStatus: 401}, status.RowDenied, `the server does not take the credentials of user "dev": exec plugin; log in again, or choose another --user or --context`},
		{"a type that is gone", status.ErrResourceGone, status.RowDeniedAfterWork, "the type was deleted while it was watched"},
		{"what the table says", errors.New("x"), status.RowCertificate, "check the server address and the certificate authority"},
		{"an end without an answer", &url.Error{Op: "Get", URL: "http://h", Err: io.EOF}, status.RowConnect, "is this a TLS port? then write https://"},
		{"a port where nobody answers", &url.Error{Op: "Get", URL: "https://h", Err: errors.New("net/http: TLS handshake timeout")}, status.RowConnect, "the port is open, but nobody answers there: check the server address"},
		{"discovery that takes for ever", errSlow, status.RowConnect, "the port is open, but nobody answers there: check the server address"},
		{"nothing to say", errors.New("x"), status.RowUnknown, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, hint(tt.err, tt.row, config))
		})
	}
}
