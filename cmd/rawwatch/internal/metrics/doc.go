// Package metrics serves what a running watch counts, over HTTP: /metrics in
// the text form of Prometheus, and /healthz.
//
// Each page is made of a stream.State taken when it is asked for; nothing is
// counted twice, and a program that embeds the watch has the same numbers from
// Watcher.State. Only the lag is worked out here, since it takes a look into
// the objects.
//
// # Terms
//
//   - stale: for longer than the bound the server has sent nothing, or what
//     exists has not come whole. A watch that ends within its time and is asked
//     for again is not stale: each of those answers is something the server sent.
//   - lag: our clock when an event was handed out, less the latest time that
//     its object says it was written at. Those times are whole seconds of
//     another clock: it is an estimate, good for "minutes behind".
//
// # What it will not do
//
// It has no TLS and asks for no password; it listens on the loopback address
// unless told otherwise.
package metrics
