// Package endless is an API server of one collection that changes all the time,
// as fast as its client reads: to measure what clients cost, and nothing that a
// real server does in between.
//
// It answers from memory ([Server.RoundTrip]) or over a connection
// ([Server.ServeHTTP], which flushes after each event, as API servers do).
package endless
