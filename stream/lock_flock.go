//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stream

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lockFile takes the lock that path stands for, until it is closed. The
// lock goes with the process, however that ends; the file stays.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrCheckpointLocked
		}
		return nil, err
	}
	return flocked{f}, nil
}

// flocked is a file with a lock on it.
type flocked struct{ *os.File }

// Close gives up the lock, and not only the file:
//
//  1. another goroutine starts a process, a credential plugin say: from fork to
//     exec the child has a copy of every open file;
//  2. the file is closed here, but the lock lives on in the copy;
//  3. the next range finds the checkpoint in use.
func (f flocked) Close() error {
	syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // of all copies
	return f.File.Close()
}

// syncFolder makes a rename in a folder last.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
