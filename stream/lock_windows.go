package stream

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// errSharingViolation is ERROR_SHARING_VIOLATION of winerror.h.
const errSharingViolation = syscall.Errno(32)

// lockFile takes the lock that path stands for, until it is closed: the file
// is opened so that nobody else can open it. The lock goes with the process,
// however that ends; the file stays.
func lockFile(path string) (io.Closer, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const alone = 0 // share mode
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case errors.Is(err, errSharingViolation):
		return nil, ErrCheckpointLocked
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(h), path), nil
}

// syncFolder makes a rename in a folder last. Windows has no such call.
func syncFolder(string) error { return nil }
