package stream

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// keeper keeps the checkpoint of a session: the lock while a range runs, and
// the file up to date.
//
// Its timer writes from a goroutine of its own, and holds disk meanwhile: what
// the loop changes of what is written, it changes under disk.
type keeper struct {
	disk  sync.Mutex
	file  *Checkpoint // nil: none is kept
	path  string      // of the file, links resolved
	owner checkpointOwner

	lock    *os.File
	seen    os.FileInfo // the file as it was read or written last
	timer   *time.Timer
	armed   bool  // the timer is going to write
	unsaved bool  // something has changed since the last write
	err     error // of the last write; under session.mu too
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
	if path == "" {
		return &CheckpointError{Err: errors.New("it has no path")}
	}
	// The lock is beside the file itself, whatever links lead to it.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	k.path = path
	fail := func(err error) error {
		s.closeLock()
		if at, ok := errors.AsType[*fs.PathError](err); ok {
			err = at.Err // the path is said once
		}
		return &CheckpointError{Path: path, Err: err}
	}
	var err error
	if k.lock, err = k.file.lock(path + ".lock"); err != nil {
		return fail(err)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if k.unsaved {
			s.changed()
		}
		return nil
	case err != nil:
		return fail(err)
	case !info.Mode().IsRegular():
		return fail(errors.New("it is no regular file"))
	case k.seen != nil && sameFile(k.seen, info):
		if k.unsaved {
			s.changed() // the last write of the last range failed
		}
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
	case cfg.listFirst, head.ResourceVersion == "":
		if head.ResourceVersion == "" && head.Last != "" && !cfg.listFirst {
			s.gap = &gap{after: head.Last, cause: errInterrupted}
		}
		s.position.version = ""
		s.machine.state = s.machine.list()
	case cfg.policy.OnExpired == StopExpired:
		s.machine.state, s.synced = watching{}, head.Complete // and no list, not even to probe
	default:
		// A server restored from a backup in the meantime would be silent
		// until it has caught up with our version, so ask first.
		s.machine.state, s.synced = probing{}, head.Complete
	}
}

// changed notes that the file is behind, and has it written within saveEvery.
// The caller holds disk.
func (s *session) changed() {
	k := &s.keeper
	if k.file == nil {
		return
	}
	k.unsaved = true
	if k.armed || k.lock == nil {
		return
	}
	k.armed = true
	if k.timer == nil {
		k.timer = time.AfterFunc(saveEvery, s.tick)
		return
	}
	k.timer.Reset(saveEvery)
}

// tick is the timer.
func (s *session) tick() {
	s.keeper.disk.Lock()
	defer s.keeper.disk.Unlock()
	s.keeper.armed = false
	if s.keeper.lock != nil {
		s.save()
	}
}

// save writes the file, if it is behind. A disk that is full must not end the
// watch: the file stays behind, State says so, and it is tried again. The
// caller holds disk, and not mu.
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
	err := k.file.write(k.path, head, &s.index)
	if err == nil {
		k.seen, err = os.Stat(k.path)
	}
	if k.unsaved = err != nil; k.unsaved {
		err = &CheckpointError{Path: k.path, Err: err}
		s.changed()
	}
	s.mu.Lock()
	k.err = err
	s.mu.Unlock()
}

// closeCheckpoint ends a range: the last write, and the lock. The caller holds
// disk.
func (s *session) closeCheckpoint() {
	s.save()
	s.closeLock()
	if s.keeper.timer != nil {
		s.keeper.timer.Stop()
		s.keeper.timer, s.keeper.armed = nil, false
	}
}

func (s *session) closeLock() {
	if s.keeper.lock != nil {
		s.keeper.lock.Close()
		s.keeper.lock = nil
	}
}
