package cli

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream"
)

// saving is the checkpoint of a command: one file, whatever it watches. nil is
// none.
type saving struct {
	path string
	file *stream.Checkpoint
	tell *story.Story

	mu     sync.Mutex // each source looks, from its own goroutine
	failed error      // the last write, as it was told
}

func newSaving(path string, tell *story.Story) *saving {
	if path == "" {
		return nil
	}
	return &saving{path: path, file: stream.CheckpointFile(path), tell: tell}
}

// keep gives the watch of a source its part in the file.
func (c *saving) keep(w *stream.Watcher) {
	if c == nil {
		return
	}
	w.Checkpoint = c.file
	// Before each request too: a watch may be quiet for long after the event
	// whose write failed.
	w.Trace.Add(stream.Trace{Request: func(stream.Request) { c.look(w) }})
}

// since is what the story adds to "watching pods" when the file says where to
// begin.
func (c *saving) since() string {
	if c == nil {
		return ""
	}
	if _, err := os.Stat(c.path); err != nil {
		return ""
	}
	return ", on from the checkpoint " + c.path
}

// look tells once that the file cannot be written, and once that it can again.
func (c *saving) look(w *stream.Watcher) error {
	if c == nil {
		return nil
	}
	err := w.State().CheckpointError
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.failed == nil:
		c.tell.Say("the checkpoint %s cannot be written: %s; what has come since its last write comes again in the next run", c.path, diskError(err))
	case err == nil && c.failed != nil:
		c.tell.Say("the checkpoint %s is written again", c.path)
	}
	c.failed = err
	return err
}

// unsaved is the error of a command whose last write of the checkpoint failed,
// or err, if the watch failed too. A signal is no failure: it is how most
// watches with a checkpoint end.
func (l *loop) unsaved(err error) error {
	// One source knows it all: the file is written as a whole.
	failed := l.saving.look(l.sources[0].watcher)
	if failed != nil && (err == nil || isInterrupted(err)) {
		return &toldError{failed}
	}
	return err
}

// diskError is what the system said, without the path, which has been said.
func diskError(err error) error {
	var (
		path    *fs.PathError
		link    *os.LinkError
		wrapped *stream.CheckpointError
	)
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &wrapped):
		return wrapped.Err
	}
	return err
}
