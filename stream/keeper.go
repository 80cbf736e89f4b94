package stream

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// keeper keeps the checkpoint of a session: the lock while a range runs, and
// the file up to date.
//
// Its timer writes from a goroutine of its own, and holds session.mu
// meanwhile: what the loop changes of what is written, it changes under mu.
type keeper struct {
	file  *Checkpoint // nil: none is kept
	owner checkpointOwner

	lock    *os.File
	seen    os.FileInfo // the file as it was read or written last
	timer   *time.Timer
	unsaved bool  // something has changed since
	err     error // of the last write
}

// openCheckpoint takes the lock and reads the file, unless it is the one this Watcher
// wrote last. It runs at the beginning of each range, under session.mu.
func (s *session) openCheckpoint(cfg *settings) error {
	k := &s.keeper
	k.file = cfg.checkpoint
	if k.file == nil {
		return nil
	}
	k.owner = cfg.checkpointOwner()
	path := k.file.path
	fail := func(err error) error {
		s.closeLock()
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // the path is said once
		}
		return &CheckpointError{Path: path, Err: err}
	}
	var err error
	if k.lock, err = k.file.lock(path + ".lock"); err != nil {
		return fail(err)
	}
	info, err := os.Stat(k.file.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fail(err)
	case k.seen != nil && sameFile(k.seen, info):
		return nil
	}
	head, x, err := k.file.read(path, k.owner)
	if err != nil {
		return fail(err)
	}
	k.seen = info
	s.restore(head, x, cfg)
	return nil
}

func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// restore goes on where the file says.
func (s *session) restore(head checkpointHead, x index, cfg *settings) {
	s.index, s.kind, s.apiVersion = x, head.Kind, head.APIVersion
	s.position = position{version: head.ResourceVersion, last: head.Last}
	s.gap, s.synced, s.dirty = nil, false, true
	switch {
	case head.ResourceVersion != "" && !cfg.listFirst:
		// A server restored from a backup in the meantime would be silent
		// until it has caught up with our version, so ask first.
		s.machine.state = probing{}
		s.synced = head.Complete
	case head.ResourceVersion == "" && head.Last != "":
		s.gap = &gap{after: head.Last, cause: errInterrupted}
		s.machine.state = s.machine.list()
	default:
		s.position.version = ""
		s.machine.state = s.machine.list()
	}
}

// changed notes that the file is behind, and has it written within saveEvery.
// The caller holds mu.
func (s *session) changed() {
	k := &s.keeper
	if k.file == nil || k.unsaved {
		return
	}
	k.unsaved = true
	if k.timer == nil {
		k.timer = time.AfterFunc(saveEvery, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.running {
				s.save()
			}
		})
		return
	}
	k.timer.Reset(saveEvery)
}

// save writes the file, if it is behind. A disk that is full must not end the
// watch: the file stays behind, State says so, and it is tried again. The
// caller holds mu.
func (s *session) save() {
	k := &s.keeper
	if k.file == nil || !k.unsaved {
		return
	}
	head := checkpointHead{
		Rawwatch: "checkpoint", Format: checkpointFormat, Of: k.owner,
		Last: s.position.last, Complete: s.index.complete,
		Kind: s.kind, APIVersion: s.apiVersion,
	}
	if !s.position.unordered {
		head.ResourceVersion = s.position.version
	}
	k.unsaved = false
	if k.err = k.file.write(k.file.path, head, &s.index); k.err == nil {
		k.seen, k.err = os.Stat(k.file.path)
	}
	if k.err != nil {
		k.err = &CheckpointError{Path: k.file.path, Err: k.err}
		s.changed()
	}
}

// closeCheckpoint ends a range. The caller holds mu.
func (s *session) closeCheckpoint() {
	if s.keeper.timer != nil {
		s.keeper.timer.Stop()
	}
	s.save()
	if s.keeper.timer != nil {
		s.keeper.timer.Stop() // save may have failed and asked for another
		s.keeper.timer = nil
	}
	s.closeLock()
}

func (s *session) closeLock() {
	if s.keeper.lock != nil {
		s.keeper.lock.Close()
		s.keeper.lock = nil
	}
}
