//go:build !linux

package cluster

import "syscall"

// dieWithParent: only Linux has it. Elsewhere the servers outlive a test
// process that dies before its cleanup.
func dieWithParent() *syscall.SysProcAttr { return nil }
