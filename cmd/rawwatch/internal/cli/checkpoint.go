package cli

import (
	"errors"
	"io/fs"
	"net/url"
	"os"

	"example.com/rawwatch/stream"
)

// fileName is the name of a checkpoint in a folder of several: the type in
// full, as it may be typed, and the namespace. "deployments.v1.apps@shop".
func fileName(t stream.Target) string {
	name := t.Resource + "." + t.Version
	if t.Group != "" {
		name += "." + t.Group
	}
	if t.Namespace != "" {
		name += "@" + t.Namespace
	}
	return url.PathEscape(name) // what was typed must not lead out of the folder
}

// since is what the story adds to "watching pods" when a file says where to
// begin.
func (s *source) since() string {
	if _, err := os.Stat(s.file); err != nil {
		return ""
	}
	return ", on from the checkpoint " + s.file
}

// noticeUnsaved looks at the checkpoint before each request too: a watch may be
// quiet for long after the event whose write failed.
func (s *source) noticeUnsaved() {
	told := s.watcher.Trace.Request
	s.watcher.Trace.Request = func(r stream.Request) {
		s.lookAtFile()
		told(r)
	}
}

// lookAtFile tells once that the checkpoint cannot be written, and once that it
// can again.
func (s *source) lookAtFile() {
	if s.file == "" {
		return
	}
	err := s.watcher.State().CheckpointError
	switch {
	case err != nil && !s.unsaved:
		s.tell.Say("the checkpoint %s cannot be written: %s; what has come since its last write comes again in the next run", s.file, diskError(err))
	case err == nil && s.unsaved:
		s.tell.Say("the checkpoint %s is written again", s.file)
	}
	s.unsaved = err != nil
}

// unsaved is the error of a command whose last write of a checkpoint failed,
// or err, if the watch failed too. A signal is no failure: it is how most
// watches with a checkpoint end.
func (l *loop) unsaved(err error) error {
	for _, s := range l.sources {
		s.lookAtFile()
		if s.unsaved && (err == nil || isInterrupted(err)) {
			err = &toldError{s.watcher.State().CheckpointError}
		}
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
