package transport

import (
	"bytes"
	"time"

	"example.com/rawwatch/kubeconfig/internal/limited"
)

const (
	// recheckEvery is how old our copy of a file may get. Kubernetes asks
	// clients to reload projected tokens about once a minute; a token lives
	// at least ten.
	recheckEvery = time.Minute

	// maxFile bounds what is read of a token, a certificate or a key. A full
	// CA bundle of an operating system has 250 kB.
	maxFile = 4 << 20
)

// A rotatingFile is a file that somebody else replaces while we run: a
// projected token, a certificate of cert-manager's. Without a path it is
// content that never changes. The caller locks.
//
// It is read through its path each time, never through an open descriptor and
// never after comparing modification times. The kubelet swaps a symbolic link
// two levels up (..data), so the path leads to another file whose time may
// well be older, and a descriptor would stay with the deleted one.
type rotatingFile struct {
	path    string
	content []byte    // what was read last, nil before that
	checked time.Time // when we last tried, whatever the outcome
}

// due reports whether it is time to look at the file again. The comparison is
// by wall clock: the monotonic clock stands still while a laptop sleeps, and
// what expires does not. A clock that was set back makes the file due.
func (f *rotatingFile) due(now time.Time) bool {
	if f.path == "" {
		return false
	}
	now = now.Round(0)
	return now.Before(f.checked) || now.Sub(f.checked) >= recheckEvery
}

// read reads the file and reports whether its content is new. Content that
// cannot be had leaves the old one in place: an atomic replacement done by
// hand (rm, then cp) leaves a moment without the file, and failing a request
// because of it would help nobody.
func (f *rotatingFile) read(now time.Time) (changed bool, err error) {
	if f.path == "" {
		return false, nil
	}
	f.checked = now.Round(0)
	content, err := limited.ReadFile(f.path, maxFile)
	if err != nil {
		return false, err
	}
	if f.content != nil && bytes.Equal(content, f.content) {
		return false, nil
	}
	f.content = content
	return true, nil
}
