package cluster

import "syscall"

// dieWithParent has the kernel kill the child when the thread that started it
// ends, and so with the test process, however that ends.
func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
