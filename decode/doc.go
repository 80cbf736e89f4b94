// Package decode turns the body of a Kubernetes watch or list into events and
// items, without decoding the objects in them.
//
// A [Reader] reads a watch:
//
//	bytes ─► frame (one line) ─► one validating scan ─► Event: type, identity, raw object
//
// A [ListReader] reads a list, item by item while the body arrives. A
// [Scanner] does the scan alone, for bytes that are already at hand.
//
// # Terms
//
//   - body: the bytes of one HTTP response, unchunked and uncompressed.
//   - frame: one line of a watch body, without its newline; one event.
//   - object: the JSON of a Kubernetes object, kept byte for byte.
//   - view: which of three shapes the server was asked for. The object itself;
//     PartialObjectMetadata, which is the object without its content; Table,
//     which carries the object in a row. Meta reads the same from all three.
//   - lent: a slice is valid until the next call of the method that returned
//     it. The bytes are overwritten then, so that a slice kept by mistake
//     shows. Copy what is to stay.
//
// # How JSON is read
//
// A frame is accepted exactly when encoding/json.Valid accepts it: RFC 8259,
// with bytes that are not UTF-8 tolerated inside strings, and at most
// [MaxDepth] levels of nesting. Keys are compared exactly, case included,
// after their escapes are decoded. Of duplicate keys the last one counts, as
// a whole: a second "metadata" replaces the first and is not merged with it.
// (Decoding into a Go struct would merge; into a map or a RawMessage it would
// not.) A field that is null or has another type than expected is as good as
// absent. Nothing is re-encoded.
//
// # What it will not do
//
// It does not read pretty-printed watches (an event is one line, which is
// what servers send), interpret Status objects, compare resourceVersions,
// undo compression, or start goroutines.
package decode
