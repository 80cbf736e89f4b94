//go:build unix

package terminal

import (
	"os"
	"os/signal"
	"syscall"
)

// onResize returns a channel that has something to say when the terminal has
// another size.
func onResize() (resized <-chan os.Signal, forget func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGWINCH)
	return c, func() { signal.Stop(c) }
}
