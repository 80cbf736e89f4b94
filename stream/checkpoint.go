package stream

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A checkpoint is a file of lines of JSON, with a section for each watch:
//
//	{"rawwatch":"checkpoint","format":2,"watches":1}
//	{"of":{…},"resourceVersion":"10340","last":"10340","complete":true,…}
//	["namespace","name","uid","resourceVersion"]      one for each object of the index
//	{"objects":5,"crc32":"89ab01cd"}                  of all bytes before this line
//
// It is written to a temporary file, which is synced and renamed, and then the
// folder is synced: a crash at any instruction leaves the old file or the new
// one. "resourceVersion" is absent in the middle of a list, as it is in
// memory: the next request is a LIST then, too.

const (
	checkpointFormat = 2
	// saveEvery is the least time between two writes while the watch runs.
	saveEvery = 5 * time.Second
)

// Checkpoint keeps the resume point and the index from one process to the
// next. Make one with [CheckpointFile].
//
// It holds functions, and not their work, so that a program without a
// checkpoint links none of it.
type Checkpoint struct {
	path string
	// open takes the lock, and restores the keeper's members from the file.
	open func(*keeper) error
	// write writes what the members know into the file.
	write func(path string, members []member) error
}

// CheckpointFile is a checkpoint in a file. If the file is there, a watch goes
// on from it and its Start is not looked at; deletes made meanwhile are
// reported, even if history was lost. It is written at most every 5 s and when
// a range ends, so after a crash only what came since the last write may come
// again. A file that is damaged, or belongs to another watch, or is in use, is
// a *[CheckpointError]. path.lock beside it is what is locked, for as long as a
// range runs.
//
// The sources of a merged watch may share one: see [Merge].
func CheckpointFile(path string) *Checkpoint {
	return &Checkpoint{path: path, open: (*keeper).openFile, write: writeMembers}
}

// What may be wrong with a checkpoint. Each comes inside a *CheckpointError.
var (
	ErrCheckpointLocked  = errors.New("it is in use by another watch")
	ErrCheckpointCorrupt = errors.New("it is damaged; remove it to start anew")
	ErrCheckpointFormat  = errors.New("it was written by another version of rawwatch")
	ErrCheckpointOther   = errors.New("it belongs to another watch")
)

// CheckpointError is a checkpoint that cannot be used. A watch never starts
// anew in silence because of one.
type CheckpointError struct {
	Path string
	Err  error
}

func (e *CheckpointError) Error() string {
	return fmt.Sprintf("stream: checkpoint %s: %v", e.Path, e.Err)
}

func (e *CheckpointError) Unwrap() error { return e.Err }

// errInterrupted is the cause of the Gap after a process that ended in the
// middle of a relist.
var errInterrupted = errors.New("stream: the list after a loss of history was interrupted")

// checkpointLead is the first line.
type checkpointLead struct {
	Rawwatch string `json:"rawwatch"`
	Format   int    `json:"format"`
	Watches  int    `json:"watches"`
}

// section is what the file holds of one watch.
type section struct {
	head  checkpointHead
	index *index
}

// checkpointHead is the first line of a section.
type checkpointHead struct {
	Of              checkpointOwner `json:"of"`
	ResourceVersion string          `json:"resourceVersion,omitempty"`
	Last            string          `json:"last,omitempty"`
	Complete        bool            `json:"complete"`
	Kind            string          `json:"kind,omitempty"`
	APIVersion      string          `json:"apiVersion,omitempty"`
}

// checkpointOwner is the watch a section belongs to: with any other the index
// would be compared with objects it knows nothing of.
type checkpointOwner struct {
	Server        string `json:"server"`
	Group         string `json:"group,omitempty"`
	Version       string `json:"version"`
	Resource      string `json:"resource"`
	Namespace     string `json:"namespace,omitempty"`
	Name          string `json:"name,omitempty"`
	LabelSelector string `json:"labelSelector,omitempty"`
	FieldSelector string `json:"fieldSelector,omitempty"`
	View          View   `json:"view,omitempty"`
	Untracked     bool   `json:"untracked,omitempty"`
}

// checkpointFoot is the last line of a section.
type checkpointFoot struct {
	Objects int    `json:"objects"`
	CRC32   string `json:"crc32"`
}

func (s *settings) checkpointOwner() checkpointOwner {
	server := *s.server
	server.User, server.RawQuery, server.Fragment = nil, "", ""
	t := s.target
	view := s.view
	if view == Table || view == TableObject {
		view = Object // the same objects at the same versions, printed
	}
	return checkpointOwner{
		Server: server.String(), Group: t.Group, Version: t.Version, Resource: t.Resource,
		Namespace: t.Namespace, Name: t.Name, LabelSelector: t.LabelSelector, FieldSelector: t.FieldSelector,
		View: view, Untracked: !s.tracked,
	}
}

// writeCheckpoint puts a checkpoint in the place of the one at path.
func writeCheckpoint(path string, sections []section) (err error) {
	// One name, since the lock is held: a crash leaves at most one behind.
	f, err := os.OpenFile(path+".tmp", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<16)
	sum := crc32.NewIEEE()
	enc := json.NewEncoder(io.MultiWriter(w, sum))
	enc.SetEscapeHTML(false)
	lead := checkpointLead{Rawwatch: "checkpoint", Format: checkpointFormat, Watches: len(sections)}
	if err := enc.Encode(lead); err != nil {
		return err
	}
	for _, s := range sections {
		if err := s.write(enc, sum); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// write appends the section. sum is of all that enc has written.
func (s section) write(enc *json.Encoder, sum hash.Hash32) error {
	if err := enc.Encode(s.head); err != nil {
		return err
	}
	for key, slot := range s.index.places {
		namespace, name := split(key)
		// Of the entry only the identity is read: the loop may be marking.
		id := s.index.entries[slot].identity
		if err := enc.Encode([4]string{namespace, name, id.uidText(), id.versionText()}); err != nil {
			return err
		}
	}
	return enc.Encode(checkpointFoot{Objects: len(s.index.places), CRC32: sumText(sum)})
}

func sumText(sum hash.Hash32) string { return fmt.Sprintf("%08x", sum.Sum32()) }
