package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Is reports whether w is a terminal.
func Is(w io.Writer) bool {
	is := false
	control(w, func(fd int) { is = term.IsTerminal(fd) })
	return is
}

// Width is how many columns w has, or 80 if it does not say.
func Width(w io.Writer) int {
	columns := 0
	control(w, func(fd int) { columns, _, _ = term.GetSize(fd) })
	if columns <= 0 {
		return 80
	}
	return columns
}

// control calls f with the descriptor that w writes to, if there is one. (Not
// by File.Fd, which makes files block.)
func control(w io.Writer, f func(fd int)) {
	file, ok := fileOf(w)
	if !ok {
		return
	}
	if conn, err := file.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { f(int(fd)) })
	}
}

// fileOf is the file that w writes to.
func fileOf(w io.Writer) (*os.File, bool) {
	for {
		switch to := w.(type) {
		case *os.File:
			return to, true
		case interface{ Unwrap() io.Writer }:
			w = to.Unwrap()
		default:
			return nil, false
		}
	}
}
