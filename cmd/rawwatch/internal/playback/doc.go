// Package playback shows a recording to the watch itself, so that what comes
// out is what a watch would deliver: each event once, deletes that only a
// relist shows, gaps.
//
//	recording ─► Look ─► Track, one for each collection
//	recording ─► Play ─► steps, one after the other ─► the Watcher of its track ─► events
//
// A recording is made of the troubles of its network, too, and a client that
// met them again would wait again: a minute of backoff for a minute of outage.
// So a track holds what the server said, and no more:
//
//	recorded:  LIST   WATCH…✂   503   WATCH…✂   410   LIST   WATCH…✂
//	track:     LIST   WATCH… … … … … … … … … …  410   LIST   WATCH… the end
//
// It is read twice: first for the tracks, which a printer has to know before it
// begins, and then to be played. Both times it is one record that is held, and
// of each track one list.
//
// # Terms
//
//   - track: the lists and events of one collection, in one watch for as long
//     as no history was lost.
//   - step: what a track does next: one line of its watch, or a whole list.
//   - loss: the recorded client listed anew. The watch before it ends with an
//     ERROR 410 then, the server's own if there was one.
//
// # Files
//
// script.go makes steps of what was recorded, track.go finds the tracks,
// play.go has their Watchers take turns, and server.go is who they talk to.
//
// # What it will not do
//
// It does not show what the network did: for that, let a client meet it (the
// command serve), or read it.
package playback
