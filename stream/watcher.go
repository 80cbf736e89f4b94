package stream

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"example.com/rawwatch/backoff"
)

// Watcher watches one collection for ever. Fill in Client, Server and Target;
// every other field works at zero. It must not be copied or changed once
// Watch has been called.
//
// The zero value of Start lists what exists, delivers it as ADDED up to
// SYNCED, and watches from there.
type Watcher struct {
	// Client sends the requests. It is copied: its Timeout and redirect
	// policy do not apply. nil is http.DefaultClient.
	//
	// A client of your own that speaks HTTP/2 should have the field
	// WriteByteTimeout of http.HTTP2Config set, as that of package kubeconfig
	// has. Without it a peer that stops reading, once the buffers on the way
	// to it are full, holds up a watch that is cancelled.
	Client *http.Client
	// Server is the base URL: scheme, host, and maybe a path prefix.
	Server *url.URL
	Target Target

	// View is how much of each object the server sends.
	View View

	// Start is where the watch begins, and ResourceVersion the place for
	// StartExact.
	Start           Start
	ResourceVersion string

	Policy  Policy
	Backoff backoff.Policy

	// PageSize is the number of objects asked for in one LIST request.
	// 0 is 500; negative is all in one.
	PageSize int

	// WatchTimeout is T: each WATCH asks the server for a random length in
	// [T, 2T), so that a fleet does not come back all at once. 0 is 5 min.
	WatchTimeout time.Duration

	// HeaderTimeout bounds the wait for response headers, with all that comes
	// before them: a login by way of an exec plugin, the dial, the TLS
	// handshake. 0 is 5 min, for the sake of the login. A client made by
	// package kubeconfig gives a server that has the request 75 s by itself;
	// with any other, http.Transport.ResponseHeaderTimeout does that. Not
	// less: servers hold headers back for 3 s, queues for 15 s, and some
	// proxies until the first byte of the body, which may be the bookmark
	// after 60 s.
	HeaderTimeout time.Duration

	// IdleTimeout is how long a body may send nothing before the request is
	// given up. 0 adapts: 75 s for a LIST, and for a WATCH once it has shown
	// a bookmark (servers that send them do so about once a minute), doubled
	// for each stream that went silent since one that did not; before the
	// first bookmark, the length the WATCH asked for and 15 s more. The
	// clock stands still while the caller works on an event.
	IdleTimeout time.Duration

	// MaxFrame bounds one event, and one list item, in bytes. 0 is 16 MiB.
	MaxFrame int

	// CachedList lets the server answer a LIST from its cache, with a state
	// not older than the last resume point, and any state at the very first:
	// for fleets, whose consistent lists would be a load on etcd. A cache
	// ignores PageSize.
	CachedList bool

	// Untracked keeps no index: constant memory, but a relist then says
	// Reset and sends everything again.
	Untracked bool

	// Bookmarks delivers bookmarks too. They always move the resume point.
	Bookmarks bool

	// UserAgent of the requests. "" is rawwatch/VERSION (os/arch).
	UserAgent string

	// Checkpoint keeps the resume point and the index from one process to
	// the next: see [CheckpointFile]. nil keeps none.
	Checkpoint *Checkpoint

	// ListFirst, with a Checkpoint, lists and compares before it watches, and
	// so comes to a Synced: for a run that wants to know what has changed
	// since the last, and no more.
	ListFirst bool

	// Trace shows what happens between events.
	Trace *Trace

	// Rand is the source of jitter; nil is a random one.
	Rand *rand.Rand

	session session
}

// View is how much of each object the server sends.
type View int

const (
	Object       View = iota // the whole object
	MetadataOnly             // PartialObjectMetadata: kind, apiVersion and metadata
	Table                    // a one-row meta.k8s.io/v1 Table: the columns kubectl prints
	// TableObject is a Table whose row carries the whole object
	// (includeObject=Object), where that of Table has only its metadata.
	TableObject
)

// String is the view in a word, for errors.
func (v View) String() string {
	switch v {
	case Object:
		return "object"
	case MetadataOnly:
		return "metadata only"
	case Table, TableObject:
		return "table"
	}
	return "unknown"
}

// Start is where a watch begins.
type Start int

const (
	// StartList delivers what exists, then Synced, then the changes.
	StartList Start = iota
	// StartStream is StartList in one request where the server can do it: a
	// WATCH that begins with what exists and marks its end
	// (sendInitialEvents). A server that refuses is listed from then on; one
	// that sends no end of it is listed this time.
	StartStream
	// StartNow delivers only what changes from now on.
	StartNow
	// StartExact delivers the changes after Watcher.ResourceVersion. "" and
	// "0" are no version and are refused: they mean the two below. A version
	// that the server has not reached is accepted by servers in silence; it is
	// noticed when the first stream ends with nothing in it.
	StartExact
	// StartMostRecent is a watch without resourceVersion, as old clients send
	// it: the server sends what exists as ADDED, in any order, and then the
	// changes. There is no resume point until a bookmark or a change other
	// than ADDED; a stream that ends before that is followed by a LIST.
	StartMostRecent
	// StartAny is the same with resourceVersion=0: the state may be
	// arbitrarily old.
	StartAny
)
