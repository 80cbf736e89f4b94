// Package output prints events to standard output, and nothing else goes there.
//
// [Printer] gives every event to one format, which appends its bytes, and
// writes them: one write per event, unbuffered, so that a reader at the other
// end of a pipe never waits for the next event to see this one.
//
//	json.go   one JSON object a line, the server's bytes untouched
//	query.go  what an expression makes of them
//	raw.go    the lines of the wire, as received
//	yaml.go   documents, as kubectl writes them
//	name.go   ADDED pod/web-1
//	diff.go   what has changed; changes.go how it looks
//	text.go   rows and columns, for people; row.go reads what a server sent,
//	          sheet.go has the columns of one type, listen.go learns them
//	source.go what is watched, and how to tell several apart
//
// # Terms
//
//   - marker: an event made by package stream that is about the watch, not
//     about an object: SYNCED, GAP, RESET. Printed only when asked for.
//   - source: one of the collections that are watched together. Where there are
//     several, text puts the kind in front of the name, and what does not say
//     by itself where it comes from is given resource and namespace.
//   - Table: what a server makes of an object for people: a row of cells, under
//     columns that it defines (meta.k8s.io/v1). One that knows no Tables sends
//     the object, and text shows NAME and AGE.
//   - inferred: a DELETED that no server sent; a relist found the object gone.
//
// # What it will not do
//
// It keeps nothing from one event to the next but columns and their width and,
// for diff, the last version of objects, within a limit; and it decides nothing
// about the watch.
package output
