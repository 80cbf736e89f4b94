//go:build !linux && !windows

package cli

import (
	"io"
	"syscall"
)

var nobodyReads = []error{syscall.EPIPE}

// onClosedPipe: these systems tell at the next write.
func onClosedPipe(io.Writer, func()) (forget func()) { return func() {} }
