package cli

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

var nobodyReads = []error{syscall.EPIPE}

// onClosedPipe calls closed once the pipe that out writes to has lost its last
// reader.
//
// The kernel says so (POLLERR) to whoever waits for the pipe, which the
// runtime's poller does for files that do not block. Standard output does
// block, and must go on to: the flag belongs to all processes that have it
// open. So the pipe is opened once more, for this alone.
func onClosedPipe(out io.Writer, closed func()) (forget func()) {
	path, ok := pipePath(out)
	if !ok {
		return func() {}
	}
	again, err := reopen(path)
	if err != nil {
		return func() {} // no /proc
	}
	conn, err := again.SyscallConn()
	if err != nil {
		again.Close()
		return func() {}
	}
	forgotten, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		// An end for writing never has anything to read: what ends this wait
		// is the reader's leaving, or our own Close. It may have left before:
		//
		//  1. the pipe is opened, and the poller told of it
		//  2. the reader leaves; the poller takes note
		//  3. Read begins, clears old notes, and waits for ever
		//
		// so there is a new note to be made once Read has begun. To close an
		// end of a pipe without reader makes one.
		waited := false
		conn.Read(func(uintptr) bool {
			if waited {
				return true
			}
			waited = true
			if poke, err := reopen(path); err == nil {
				poke.Close()
			}
			return false
		})
		select {
		case <-forgotten:
		default:
			closed()
		}
	}()
	return func() {
		close(forgotten)
		again.Close()
		<-done
	}
}

// reopen opens the end for writing of a pipe, not blocking.
func reopen(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
}

// pipePath is where the pipe can be opened again; not ok if out is none. (It
// does not use File.Fd, which makes files block.)
func pipePath(out io.Writer) (path string, ok bool) {
	file, ok := out.(*os.File)
	if !ok {
		return "", false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return "", false
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return "", false
	}
	err = conn.Control(func(fd uintptr) { path = fmt.Sprintf("/proc/self/fd/%d", fd) })
	return path, err == nil
}
