// Package server is an API server made of a recording, for clients that know
// nothing of recordings: kubectl, client-go, curl, our own.
//
// What such clients ask is seldom the recorded request to the letter, and they
// ask again and again. So a request takes, of the recorded exchanges,
//
//	the first that fits and has not been played   a list, a resume, a 410 …
//	for a list, from the beginning                 unless the watch before it is over
//
// and where none fits, one that says the same in another form:
//
//	asked for                    is made of
//	streaming list               the list and the watch behind it
//	watch from 0 or nothing      the same, without the bookmark between the two
//	list                         the initial events of a streaming list
//	one namespace                the collection in all of them
//	all namespaces               the only one that was recorded
//	one object, by name          the first that was recorded of it
//	metadata.name=NAME           the collection
//	involvedObject.…=…           the events, or none if there are none
//	metadata alone               whole objects
//
// Whatever else clients ask gets what an API server would say: discovery of
// the types in the recording, 405 for writes, 404 for what is not there,
// silence for a watch from where the recording ends.
//
//	Load ─► script ─► answer.go (which exchange, in which form) ─► forms.go
//	                   └─ question.go, choose.go                    └─ lines.go, capture.go, part.go
//
// # What it will not do
//
// It asks nobody who they are. Selectors are for the server that was recorded
// to read: one that was not recorded is not found. A client that would rather
// have a Table gets the objects.
package server
