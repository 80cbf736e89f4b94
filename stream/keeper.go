package stream

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// keeper keeps a checkpoint: the lock while a range runs, and the file up to
// date. Most have one member; the sources of a merged watch that name the same
// Checkpoint share one keeper, and so one file.
//
// Its timer writes from a goroutine of its own, and holds disk meanwhile: what
// the loop of a member changes of what is written, it changes under disk.
type keeper struct {
	disk    sync.Mutex
	file    *Checkpoint // nil: none is kept
	path    string      // of the file, links resolved
	members []member
	ranges  int // that are running; the lock is held while there is one

	lock    io.Closer
	seen    os.FileInfo // the file as it was read or written last
	timer   *time.Timer
	armed   bool                            // the timer is going to write
	unsaved bool                            // something has changed since the last write
	failed  atomic.Pointer[CheckpointError] // the last write, if it failed
}

// member is a session whose state the file holds.
type member struct {
	session  *session
	settings *settings
}

// keptBy is the keeper of a range that is about to begin with cfg.
func (s *session) keptBy(cfg *settings) *keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running && (s.keeper == nil || s.keeper.file != cfg.checkpoint) {
		s.keeper = &keeper{file: cfg.checkpoint, members: []member{{s, cfg}}}
	}
	return s.keeper
}

// shareKeeper gives all sources that name the same Checkpoint one keeper.
//
// It is not enough that each finds the Checkpoint by itself: the first to
// begin would meet a file that holds more than it knows of, and could not tell
// that from the file of another watch.
func shareKeeper(sources []*Watcher) ([]*keeper, error) {
	groups := map[*Checkpoint][]member{}
	for _, w := range sources {
		if w.Checkpoint == nil {
			continue
		}
		cfg, err := w.resolve()
		if err != nil {
			return nil, err
		}
		for _, m := range groups[w.Checkpoint] {
			if m.settings.checkpointOwner() == cfg.checkpointOwner() {
				return nil, &ConfigError{"Checkpoint", "is shared by two sources that watch the same: " + cfg.target.String()}
			}
		}
		groups[w.Checkpoint] = append(groups[w.Checkpoint], member{&w.session, cfg})
	}
	var shared []*keeper
	for file, members := range groups {
		if len(members) < 2 {
			continue
		}
		k := members[0].session.keeperNow()
		if k == nil || !k.isOf(file, members) {
			k = &keeper{file: file, members: members}
		}
		for _, m := range members {
			if !m.session.setKeeper(k) {
				return nil, ErrInUse
			}
		}
		shared = append(shared, k)
	}
	return shared, nil
}

// isOf: these are the members, all of them.
func (k *keeper) isOf(file *Checkpoint, members []member) bool {
	k.disk.Lock()
	defer k.disk.Unlock()
	if k.file != file || len(k.members) != len(members) {
		return false
	}
	for _, m := range members {
		if !slices.ContainsFunc(k.members, func(own member) bool { return own.session == m.session }) {
			return false
		}
	}
	return true
}

// setKeeper gives a session another keeper, unless a range is running.
func (s *session) setKeeper(k *keeper) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.running {
		s.keeper = k
	}
	return !s.running
}

// keeperNow is for who is not the loop: nil before the first range.
func (s *session) keeperNow() *keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.keeper
}

// open takes the lock and reads the file, unless it is as this keeper wrote it
// last. It runs at the beginning of each range. The caller holds disk, and no
// mu.
func (k *keeper) open() error {
	if k.ranges == 0 {
		// Not later: what a loop that runs changes, nobody else may read.
		for _, m := range k.members {
			m.session.begin(m.settings)
		}
	}
	if k.file != nil && k.ranges == 0 {
		if err := k.file.open(k); err != nil {
			k.closeLock()
			if at, ok := errors.AsType[*fs.PathError](err); ok {
				err = at.Err // the path is said once
			}
			return &CheckpointError{Path: k.path, Err: err}
		}
	}
	k.ranges++
	return nil
}

// openFile is Checkpoint.open.
func (k *keeper) openFile() error {
	k.path = k.file.path
	if k.path == "" {
		return errors.New("it has no path")
	}
	// The lock is beside the file itself, whatever links lead to it.
	if real, err := filepath.EvalSymlinks(k.path); err == nil {
		k.path = real
	}
	var err error
	if k.lock, err = lockFile(k.path + ".lock"); err != nil {
		return err
	}
	info, err := os.Stat(k.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && k.seen != nil && sameFile(k.seen, info):
		if k.unsaved {
			k.changed() // the last write of the last range failed
		}
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is no regular file")
	}
	sections, err := readCheckpoint(k.path, k.owners())
	if err != nil {
		return err
	}
	k.seen = info
	for i, m := range k.members {
		m.session.restore(sections[i], m.settings)
	}
	return nil
}

func (k *keeper) owners() []checkpointOwner {
	var owners []checkpointOwner
	for _, m := range k.members {
		owners = append(owners, m.settings.checkpointOwner())
	}
	return owners
}

func sameFile(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// changed notes that the file is behind, and has it written within saveEvery.
// The caller holds disk.
func (k *keeper) changed() {
	if k.file == nil {
		return
	}
	k.unsaved = true
	if k.armed || k.lock == nil {
		return
	}
	k.armed = true
	if k.timer == nil {
		k.timer = time.AfterFunc(saveEvery, k.tick)
		return
	}
	k.timer.Reset(saveEvery)
}

// tick is the timer.
func (k *keeper) tick() {
	k.disk.Lock()
	defer k.disk.Unlock()
	k.armed = false
	if k.lock != nil {
		k.save()
	}
}

// save writes the file, if it is behind. A disk that is full must not end the
// watch: the file stays behind, State says so, and it is tried again. The
// caller holds disk.
func (k *keeper) save() {
	if k.file == nil || !k.unsaved {
		return
	}
	err := k.file.write(k.path, k.members)
	if err == nil {
		k.seen, err = os.Stat(k.path)
	}
	if k.unsaved = err != nil; k.unsaved {
		k.failed.Store(&CheckpointError{Path: k.path, Err: err})
		k.changed()
		return
	}
	k.failed.Store(nil)
}

// writeMembers is Checkpoint.write.
func writeMembers(path string, members []member) error {
	var sections []section
	for _, m := range members {
		sections = append(sections, m.session.section(m.settings))
	}
	return writeCheckpoint(path, sections)
}

// err is that of the last write.
func (k *keeper) err() error {
	if failed := k.failed.Load(); failed != nil {
		return failed
	}
	return nil
}

// close ends a range. The last one ends with a write, and gives up the lock.
// The caller holds disk.
func (k *keeper) close() {
	if k.ranges--; k.ranges > 0 {
		return
	}
	k.save()
	k.closeLock()
	if k.timer != nil {
		k.timer.Stop()
		k.timer, k.armed = nil, false
	}
}

func (k *keeper) closeLock() {
	if k.lock != nil {
		k.lock.Close()
		k.lock = nil
	}
}

// section is what the file is to hold of s.
func (s *session) section(cfg *settings) section {
	head := checkpointHead{
		Of: cfg.checkpointOwner(), Last: s.position.last, Complete: s.index.complete,
		Kind: s.kind, APIVersion: s.apiVersion,
	}
	if !s.position.unordered {
		head.ResourceVersion = s.position.version
	}
	return section{head, &s.index}
}

// restore goes on where the file says.
func (s *session) restore(from section, cfg *settings) {
	s.mu.Lock()
	defer s.mu.Unlock()
	head := from.head
	s.index, s.kind, s.apiVersion = *from.index, head.Kind, head.APIVersion
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
