// Package stream keeps a Kubernetes watch alive for ever.
//
// One event travels through it like this:
//
//	run.go ─► watch.go, list.go ─► decode ─► deliver.go (index.go) ─► the caller's loop
//	  ▲            │ connection.go: the request, and how it ended
//	  │            ▼
//	  └── machine.go (next) ◄── status (the verdict table)
//
// # Terms
//
//   - LIST: one GET of a collection, in pages. Its own resourceVersion, never
//     that of an item, is where a watch may begin.
//   - WATCH: one GET with watch=true that stays open; one JSON event a line.
//   - resume point: the resourceVersion the next WATCH starts from. It moves
//     only when the caller has acknowledged an event (see below), and there is
//     none while a LIST is being delivered.
//   - resume: a new WATCH from the resume point. Nothing is lost.
//   - relist: a new LIST, since the resume point cannot be used any more. The
//     caller gets a [Gap] first: what happened in between arrives collapsed
//     into its outcome, deletes included.
//   - index: the identity (uid and resourceVersion) of each object delivered,
//     never the object. It finds what a relist must report as deleted, and
//     what has been delivered already.
//
// # The contract of the loop
//
// [Watcher.Watch] returns an iterator of (event, error) pairs.
//
//   - An error is the last pair, and never comes with an event. Retries are
//     not errors: they are seen through [Trace] and [Watcher.State].
//   - The next call is the acknowledgement: when the loop asks for the next
//     event, the one before is done. A break does not acknowledge the event in
//     hand, so a later range delivers it again; [Watcher.Ack] before the break
//     does.
//   - break is enough: body, timers and requests end with the loop.
//   - Once ctx is done the last pair carries context.Cause(ctx).
//
// # What it will not do
//
// It keeps no objects, so it is no cache; it reads no faster than the caller
// does, on the caller's own goroutine (a merged watch has one for each source,
// and a checkpoint is written by a timer); it never follows a redirect; it
// never compares resourceVersions, but for one case: to notice a server that
// went back in time after a restored backup. It cannot notice one that went
// back by less than has been written since: its versions look like news.
package stream
