package process

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"example.com/rawwatch/test/bench/measure"
)

// The figures that [Program.Run] adds to those of the program.
const (
	CPU  = "CPU ms"  // in user and system mode together
	Time = "time ms" // from start to end
)

// Peak is a figure that every program of peers/ reports (peers/internal/self).
const Peak = "peak MB"

// Program is a program that was built.
type Program struct{ Path string }

// Build builds a program of peers/, stripped and without cgo, into a folder.
func Build(ctx context.Context, folder, name string) (Program, error) {
	return BuildPackage(ctx, folder, "example.com/rawwatch/test/bench/peers/"+name)
}

// BuildPackage does the same for any package that this module can import.
func BuildPackage(ctx context.Context, folder, path string) (Program, error) {
	return build(ctx, "", folder, path)
}

// BuildRoot does the same for a package of the root module, in that module: it
// may import what this one does not know.
func BuildRoot(ctx context.Context, folder, path string) (Program, error) {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f={{.Dir}}", "example.com/rawwatch").Output()
	if err != nil {
		return Program{}, fmt.Errorf("process: the folder of the root module: %w", err)
	}
	return build(ctx, strings.TrimSpace(string(root)), folder, path)
}

// build builds a package as the module in dir sees it.
func build(ctx context.Context, dir, folder, path string) (Program, error) {
	p := Program{Path: filepath.Join(folder, filepath.Base(path))}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.Path, path)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return Program{}, fmt.Errorf("process: go build %s: %w: %s", path, err, output)
	}
	return p, nil
}

// Run runs the program to its end. Its last line of output has its figures, a
// JSON object of numbers.
func (p Program) Run(ctx context.Context, args ...string) (measure.Figures, error) {
	return p.RunHeard(ctx, func([]byte) error { return nil }, args...)
}

// RunHeard is Run, and calls heard for each line of output when it comes. If
// that fails, the program is killed. Long lines are for nobody to hear.
func (p Program) RunHeard(ctx context.Context, heard func(line []byte) error, args ...string) (measure.Figures, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Stderr = &stderr
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, p.failed(err, &stderr)
	}
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, p.failed(err, &stderr)
	}
	var last []byte
	for lines := bufio.NewScanner(out); lines.Scan(); {
		last = append(last[:0], lines.Bytes()...)
		if err := heard(last); err != nil {
			cancel(err)
		}
	}
	err = cmd.Wait()
	took := time.Since(start)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		return nil, p.failed(err, &stderr)
	}
	figures := measure.Figures{}
	if err := json.Unmarshal(last, &figures); err != nil {
		return nil, p.failed(fmt.Errorf("its last line: %w", err), &stderr)
	}
	figures[CPU] = milliseconds(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	figures[Time] = milliseconds(took)
	return figures, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// failed says which program it was, and the last it wrote.
func (p Program) failed(err error, stderr *bytes.Buffer) error {
	const limit = 2000
	text := stderr.Bytes()
	text = text[max(0, len(text)-limit):]
	return fmt.Errorf("process: %s: %w: %s", filepath.Base(p.Path), err, strings.TrimSpace(string(text)))
}

// Serve starts a program that goes on until stop is called, and returns the
// first line of its output: where it can be reached. It ends on SIGKILL, and
// has nothing to tidy up.
func (p Program) Serve(ctx context.Context, args ...string) (line string, stop func(), err error) {
	var stderr bytes.Buffer
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, p.Path, args...)
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return "", nil, p.failed(err, &stderr)
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return "", nil, p.failed(err, &stderr)
	}
	stop = func() {
		cancel()
		_ = cmd.Wait() // it was killed, which is no news
	}
	line, err = firstLine(out)
	if err != nil {
		stop()
		return "", nil, p.failed(fmt.Errorf("its first line: %w", err), &stderr)
	}
	return line, stop, nil
}

// firstLine reads no further than the line: what follows stays in the pipe.
func firstLine(r io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; line = append(line, one[0]) {
		if _, err := io.ReadFull(r, one); err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return string(line), nil
		}
	}
}
