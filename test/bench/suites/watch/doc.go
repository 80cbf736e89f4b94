// Package watch measures what it costs to read the events of a watch, by
// rawwatch, by client-go and by less than either.
//
// The contenders are built one upon the other, so that the difference of two
// is what a step costs: a reader of lines is connection and copy, a
// decode.Reader is that and the scan, an untracked Watcher also copies each
// event and yields it, and a Watcher also compares it with its index. The cases
// are the same for the connection: memory, HTTP/1.1, TLS, HTTP/2. Processor
// time is what to compare there, since the server takes the same processors.
package watch
