// Package server is an API server made of a recording, for clients that know
// nothing of recordings: kubectl, client-go, curl, our own.
//
// What such clients ask is seldom the recorded request to the letter, and they
// ask again and again. So a request takes, of the recorded exchanges,
//
//	the first that fits and has not been played   a list, a resume, a 410 …
//	for a list, from the beginning                 when all that fit have been
//
// and where none fits, it gets what an API server would say: discovery from
// the paths in the recording, 405 for writes, 422 for a streaming list (clients
// then list in pages), silence for a watch from where the recording ends.
//
// # What it will not do
//
// It asks nobody who they are, and it filters nothing: a selector that was not
// recorded is not found.
package server
