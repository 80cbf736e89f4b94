//go:build !windows

package cli

import (
	"errors"
	"io"
	"syscall"
)

// isClosedPipe reports whether a write failed because nobody reads any more:
// rawwatch pods | head -1.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
