// Package replay is an API server made of a script: for tests of watch clients,
// and for playing recordings to any client.
//
//	srv := replay.NewServer(t, replay.Script{
//		replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "9")))...),
//		replay.On(replay.Watch(replay.ConfigMaps, "10"),
//			replay.Respond(200), replay.Write(replay.Event("ADDED", "b", "11")), replay.Cut()),
//		replay.Refuse(3),
//		replay.On(replay.Watch(replay.ConfigMaps, "11"), replay.Respond(200), replay.Hold()),
//	}, replay.Options{})
//	watch(srv.Context(), srv.Client(), srv.URL())
//
// # Terms
//
// An exchange is one request and its answer. A step is one thing the server
// does while it answers: send a header, send a chunk, wait, end in one of
// several ways. A script is a list of exchanges, taken strictly in order; a
// request that does not match the next one fails the test, and so does an
// exchange that is never asked for.
//
// # Where it runs
//
// Without Options.TCP everything happens in memory, on connections that
// testing/synctest understands: the server, its client and the code under test
// go into one bubble, and a pause of an hour costs nothing.
//
// # What it will not do
//
// It does not parse or check what a script sends: wrong bytes are the point.
// It reads no request bodies, and it is not a server for production.
package replay
