package cli

import (
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/stream"
)

// policy is what the flags make of stream's choices. A person at a terminal
// who mistyped an address wants to know at once, so first contact stops where
// a program would wait.
func (a *ask) policy() stream.Policy {
	p := stream.Policy{
		OnFirstContact: stream.StopFirstContact,
		Persist:        a.persist,
		MaxReconnects:  int(a.maxReconnects),
	}
	if a.persist {
		p.OnFirstContact = stream.RetryUnreachable
	}
	if a.onExpired.value == fail {
		p.OnExpired = stream.StopExpired
	}
	if a.onUnknownEvent.value == fail {
		p.OnUnknownEvent = stream.StopUnknownEvent
	}
	switch a.onUnknownError.value {
	case retry:
		p.OnErrorEvent = stream.RetryErrorEvent
	case fail:
		p.OnErrorEvent = stream.StopErrorEvent
	}
	return p
}

// backoff is the policy of delays.
func (a *ask) backoff() backoff.Policy {
	return backoff.Policy{Min: time.Duration(a.backoffMin), Max: time.Duration(a.backoffMax)}
}

// watcher is the Watcher the flags describe, still without a server and the
// type that discovery has to find. Each source gets one.
func (a *ask) watcher() *stream.Watcher {
	w := &stream.Watcher{
		Target:       a.target,
		Start:        a.begin,
		Policy:       a.policy(),
		Backoff:      a.backoff(),
		PageSize:     int(a.chunkSize),
		WatchTimeout: time.Duration(a.watchTimeout),
		IdleTimeout:  time.Duration(a.idleTimeout),
		MaxFrame:     int(a.maxFrame),
		Untracked:    a.noTrack,
		Bookmarks:    a.printing.bookmarks,
		UserAgent:    userAgent,
		ListFirst:    a.once && a.checkpoint != "",
	}
	if a.chunkSize == 0 {
		w.PageSize = -1
	}
	if a.begin == stream.StartExact {
		w.ResourceVersion = a.resourceVersion
	}
	switch {
	case a.metadataOnly:
		w.View = stream.MetadataOnly
	case a.printing.format().HasColumns() && !a.recording.wanted():
		w.View = stream.Table
		if a.goal.NeedsObject() {
			w.View = stream.TableObject
		}
	}
	if a.printing.format() == output.Raw {
		w.Bookmarks = true // each of its lines counts, so each is seen by the loop
	}
	return w
}
