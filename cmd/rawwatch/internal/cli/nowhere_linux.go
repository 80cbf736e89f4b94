package cli

import (
	"io"
	"os"
	"syscall"
)

// goesNowhere reports whether out was closed before the command began (>&-).
// Go's runtime opens /dev/null in the place of such a file, for reading as well,
// so that no other file gets its number; every write to it succeeds. A shell
// opens it for writing alone, so that >/dev/null is told from it. (Some programs
// that start others do not: there the answer is wrong, and true all the same.)
func goesNowhere(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil {
		return false
	}
	const null = 1<<8 | 3 // major and minor number (Linux, admin-guide/devices.txt)
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || info.Mode()&os.ModeCharDevice == 0 || stat.Rdev != null {
		return false
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return false
	}
	var flags uintptr
	err = conn.Control(func(fd uintptr) { flags, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0) })
	return err == nil && flags&syscall.O_ACCMODE == syscall.O_RDWR
}
