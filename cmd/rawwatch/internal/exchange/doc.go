// Package exchange sorts the records of a recording by the exchange they
// belong to, for all who ask what the server said and not what is in the file.
//
//	records ─► Sorter.Add ─► Asked ─► Line, Line, … (a watch) ─► Ended
//	                               └► Answer (anything else) ──┘
//
// Exchanges that overlapped are still so: their parts come in the order of the
// recording.
//
// # Terms
//
//   - exchange: one request, and its answer until it ended.
//   - line: of a watch, whole. One that is no event is Broken, and so is the
//     half of one.
//   - answer: what is no watch, whole and no longer compressed.
//   - hidden: bytes that the recording has by their length alone, since they
//     might have held a Secret.
//
// # What it will not do
//
// It does not know lists, or what a failure means. It holds no line, but an
// answer until it is whole; and a compressed watch, which can be read when it
// is over.
package exchange
