// Package output prints events to standard output, and nothing else goes there.
//
// [Printer] gives every event to one format, which appends its bytes, and
// writes them: one write per event, unbuffered, so that a reader at the other
// end of a pipe never waits for the next event to see this one.
//
//	json.go   one JSON object a line, the server's bytes untouched
//	raw.go    the event lines of the wire, as received
//	name.go   ADDED pod/web-1
//	text.go   columns, for people
//
// # Terms
//
//   - marker: an event made by package stream that is about the watch, not
//     about an object: SYNCED, GAP, RESET. Printed only when asked for.
//   - inferred: a DELETED that no server sent; a relist found the object gone.
//
// # What it will not do
//
// It keeps nothing from one event to the next but the width of columns, and
// decides nothing about the watch.
package output
