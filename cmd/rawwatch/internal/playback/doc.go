// Package playback shows a recording to the watch itself, so that what comes
// out is what a watch would deliver: each event once, deletes that only a
// relist shows, gaps.
//
//	recording ─► Load ─► Track, one for each collection ─► Watch (a stream.Watcher) ─► events
//
// A recording is made of the troubles of its network, too, and a client that
// met them again would wait again: a minute of backoff for a minute of outage.
// So a Track holds what the server said, and no more:
//
//	recorded:  LIST   WATCH…✂   503   WATCH…✂   410   LIST   WATCH…✂
//	track:     LIST   WATCH… … … … … … … … … …  410   LIST   WATCH… the end
//
// # Terms
//
//   - track: the lists and events of one collection, in one watch for as long
//     as no history was lost.
//   - loss: the recorded client listed anew. A track has an ERROR 410 there,
//     the server's own if there was one.
//
// # What it will not do
//
// It does not show what the network did: for that, let a client meet it (the
// command serve), or read it.
package playback
