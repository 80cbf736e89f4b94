package decode

import "bytes"

// DefaultLimit is the size, in bytes, above which a frame or a list item is
// refused. It is client-go's own limit for an event; an object in etcd is at
// most 1.5 MiB, and JSON escapes can make that six times longer.
const DefaultLimit = 16 << 20

// An Event is one frame of a watch. All its slices are lent: they are valid
// until the next call of the method that returned them.
type Event struct {
	Type   []byte // "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", or any other string
	Object []byte // the object's JSON, byte for byte; nil if absent; "null" stays "null"
	Meta          // of Object
}

// An Item is one element of a list. All its slices are lent, as an Event's.
type Item struct {
	Object []byte // the item's JSON; see [ListReader] for what is put around it
	Meta          // of Object
}

// Meta is the identity of an object. Escapes are decoded; bytes that are not
// UTF-8 are kept as they are. A field is nil when it is absent or not a
// string; a resourceVersion that is a bare number is taken digit for digit.
//
// In a Table, Namespace, Name, UID and InitialEventsEnd are those of the
// object in its first row; ResourceVersion is the Table's own, which is the
// one to resume from.
type Meta struct {
	Kind, APIVersion, Namespace, Name, UID, ResourceVersion []byte

	// InitialEventsEnd: the annotation k8s.io/initial-events-end is "true".
	// On a BOOKMARK it ends the initial events of a streaming list.
	InitialEventsEnd bool
}

const (
	tableKind       = "Table"
	tableGroup      = "meta.k8s.io/"
	endAnnotation   = "k8s.io/initial-events-end"
	tableAPIVersion = tableGroup + "v1"
)

// IsTable reports whether the object is a server-side Table. The group is
// looked at too: a custom resource may well have a kind called Table.
func (m *Meta) IsTable() bool {
	return string(m.Kind) == tableKind && bytes.HasPrefix(m.APIVersion, []byte(tableGroup))
}

// ScanEvent is [Scanner.ScanEvent] with a Scanner of its own.
func ScanEvent(frame []byte, ev *Event) error {
	var s Scanner
	return s.ScanEvent(frame, ev)
}

// ScanObject is [Scanner.ScanObject] with a Scanner of its own.
func ScanObject(object []byte, m *Meta) error {
	var s Scanner
	return s.ScanObject(object, m)
}
