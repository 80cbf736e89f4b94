package cli

import (
	"errors"
	"io"
	"syscall"
)

// errorNoData is ERROR_NO_DATA, which package syscall does not name.
const errorNoData = syscall.Errno(232)

// isClosedPipe reports whether a write failed because nobody reads any more.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errorNoData) || errors.Is(err, io.ErrClosedPipe)
}
