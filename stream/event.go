package stream

import (
	"encoding/json"
	"fmt"
)

// EventType says what an [Event] is about.
type EventType string

// The types a server sends.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	// Deleted also means "no longer matches the selector": the server sends
	// the old content with the resourceVersion of the edit, and nothing tells
	// the two apart.
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
)

// The markers made here. They have no object.
const (
	// Synced: all that existed at ResourceVersion has been delivered.
	Synced EventType = "SYNCED"
	// Gap: the history after ResourceVersion was lost, for the reason in
	// Cause. A full comparison follows, up to Synced: the changes in between
	// come collapsed into their outcome. One per loss.
	Gap EventType = "GAP"
	// Reset: forget every object; a full set follows, up to Synced. Only
	// with Watcher.Untracked, where nothing here remembers what was
	// delivered.
	Reset EventType = "RESET"
)

// typeError is the type of the event a server ends a broken stream with. It
// is never delivered: it becomes the outcome of the stream.
const typeError = "ERROR"

// Event is one change of one object, or a marker.
//
// It owns its bytes: keep it as long as you like.
type Event struct {
	Type EventType

	// What the object says of itself. Each is empty when the object does not
	// say it (aggregated APIs may lack uid and resourceVersion).
	Kind            string
	APIVersion      string
	Namespace       string
	Name            string
	UID             string
	ResourceVersion string

	// Object is the server's JSON, byte for byte. List items that lack kind
	// and apiVersion get them put in front. It is nil for markers and for
	// inferred events.
	Object json.RawMessage

	// Inferred: made here and not sent by the server. A relist found the
	// object gone (or replaced by another of its name), so the fields hold
	// what was known last.
	Inferred bool

	// Source is the Watcher the event came from: of a merged watch, one of
	// several.
	Source *Watcher

	// Cause is why history was lost. Gap only.
	Cause error

	// Partial, of a Gap: the watch began in mid-history and no complete list
	// has been seen yet, so deletes of objects that were never delivered stay
	// unknown. The Synced that follows ends this.
	Partial bool
}

// As decodes the object of ev into a T, with encoding/json. Markers and
// inferred events have no object: for them it is an error.
func As[T any](ev Event) (T, error) {
	var v T
	if ev.Object == nil {
		return v, fmt.Errorf("stream: %s event of %q has no object", ev.Type, clip(ev.Name))
	}
	if err := json.Unmarshal(ev.Object, &v); err != nil {
		return v, fmt.Errorf("stream: object of %s event of %q: %w", ev.Type, clip(ev.Namespace+"/"+ev.Name), err)
	}
	return v, nil
}
