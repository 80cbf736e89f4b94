package cli

import (
	"io"
	"syscall"
)

// nobodyReads: the second is ERROR_NO_DATA, which package syscall does not name.
var nobodyReads = []error{syscall.ERROR_BROKEN_PIPE, syscall.Errno(232)}

// onClosedPipe: Windows tells at the next write.
func onClosedPipe(io.Writer, func()) (forget func()) { return func() {} }
