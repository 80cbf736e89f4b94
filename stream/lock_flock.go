//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package stream

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes the lock that path stands for, until the file is closed. The
// lock goes with the process, however that ends; the file stays.
func lockFile(path string) (*os.File, error) {
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
	return f, nil
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
