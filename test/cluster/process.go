package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// process is a running server.
type process struct {
	name string
	os   *os.Process
	done chan struct{} // closed when it has ended
	err  error         // how it ended, once done is closed
}

// startProcess runs a program with its output appended to the file log.
func startProcess(name, log, program string, args ...string) (*process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close() // the child has its own
	fmt.Fprintf(out, "--- %s starts at %s: %s %q\n", name, time.Now().Format(time.RFC3339Nano), program, args)

	cmd := exec.Command(program, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = dieWithParent()

	p := &process{name: name, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The kernel's "parent" of dieWithParent is the thread that started
		// the child, and not the process. So that thread has to stay: it is
		// this goroutine's alone until the child has ended.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.os = cmd.Process
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	return p, nil
}

// running: it has been started and has not ended. A nil process is not.
func (p *process) running() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// failure is how a process that has ended did so; never nil.
func (p *process) failure() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}

// killWithin is how long the system may take to end what was killed, with what
// the process has to write out first.
const killWithin = time.Minute

// end sends a signal and waits until the process has ended. One that takes
// longer than within is killed, and that is an error. To end what has ended
// already is none.
func (p *process) end(sig syscall.Signal, within time.Duration) error {
	if !p.running() {
		return nil
	}
	if err := p.signal(sig); err != nil {
		return err
	}
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case <-p.done:
		return nil
	case <-limit.C:
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		return err
	}
	err := fmt.Errorf("%s was still running %s after %s", p.name, within, sig)
	limit.Reset(killWithin)
	select {
	case <-p.done:
		return err
	case <-limit.C:
		return fmt.Errorf("%w, and %s after SIGKILL", err, killWithin)
	}
}

func (p *process) signal(sig syscall.Signal) error {
	err := p.os.Signal(sig)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("send %s to %s: %w", sig, p.name, err)
	}
	return nil
}
