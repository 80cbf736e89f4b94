// Package inspect tells what happened in a recording.
//
//	report.go  what there is to say, and as JSON
//	read.go    records to connections, gaps and events
//	events.go  events to what became of objects, and who did it
//	text.go    the report for people
//
// # Terms
//
//   - connection: one request and its answer, until it ended.
//   - empty change: a MODIFIED in which nothing has changed but noise, as
//     package diff knows it.
//   - writer: the field manager whose entry in managedFields an event changed.
//     If none did, it is the one that was written last: entries have times in
//     whole seconds.
//   - gap: where events may be missing: the server had forgotten the history
//     (410), or the client listed again.
//
// # What it will not do
//
// It holds one record at a time, counts of objects up to a number, and the last
// versions of objects up to a number of bytes; so a recording may be larger than
// the memory. (An HTTP answer other than a watch is held while it is read.)
package inspect
