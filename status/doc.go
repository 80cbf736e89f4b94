// Package status reads what a Kubernetes API server says when it says no, and
// decides what a watch does about it.
//
// Two things live here:
//
//   - [Error], an answer that is a failure. It comes from an HTTP response
//     ([FromResponse]) or from the object of an ERROR event ([FromEvent]).
//   - [Decide], a pure function over ONE table. It takes a [Failure] (the
//     error and its history) and gives a [Verdict]: resume, relist, probe,
//     skip or stop, and how to wait before that. [Table] is the same table
//     as data, for people to read.
//
// # Terms
//
// An answer is a response whose status is not 200, or an ERROR event, which
// arrives inside a 200. It carries up to four opinions: the HTTP status, and
// the code, reason and causes of the Status object in its body. They mostly
// agree. Where they do not, a hint that history is lost is always followed,
// and a hint that the client is at fault only when nothing contradicts it,
// because that one ends the watch.
//
// To resume is to watch again from the same resourceVersion. To relist is to
// give that version up: whatever happened since is known only by its outcome.
// A probe is one cheap LIST that tells whether the server still knows the
// version; who probes, and how often, is the caller's business.
//
// Progress is an event or bookmark that moved the resume point, or, for a
// LIST, its last page. A [Run] counts failures of one row without progress.
//
// # Reading by shape
//
// Real servers send Status bodies as text/plain, without kind, with the code
// as a string, or not at all; proxies send HTML with any status they like. So
// the bytes decide what a body is, never its Content-Type. Nothing is ever
// decided by the text of a message: it changes with the release.
//
// # What it will not do
//
// It makes no request, sleeps for nothing but a body that trickles in, logs
// nothing and knows no clock: ages and counts are handed in. It shows no page
// of HTML and no object that is not a Status, and no credential that a server
// may have echoed; every text it returns from Error is one line of bounded
// length without control characters.
package status
