// Package replay is an API server for tests of watch clients: one that plays a
// script, one that plays a recording, and one that is alive.
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
// Everything ends in steps, and everything can be played by every player:
//
//	written by hand ─────────────────────► Script ─┬─► Server     (memory or TCP, byte by byte)
//	recording ─► Reader ─► Reader.Script ─┘   │    ├─► Transport  (http.RoundTripper)
//	                              Script.Inject    └─► Handler    (http.Handler)
//	Store (objects that change) ─► steps as they are due ─► Server, or itself an http.Handler
//	                                                        or http.RoundTripper
//	client ─► Recorder ─► any RoundTripper     └─► recording
//
// # Terms
//
// A step is one thing the server does while it answers: send a header, send a
// chunk, wait, end in one of several ways. An exchange is one request and the
// steps of its answer. A script is a list of exchanges, taken strictly in
// order unless asked otherwise; a request that does not match the next one
// fails the test, and so does an exchange that is never asked for.
//
// A recording is a script with times, as lines of JSON: one header, then one
// record for each request, header, event, piece of a body and end. Event lines
// stand in it byte for byte. Its suffix is .rwr; [Reader] says what else reads
// as one.
//
// A fault is something that happens to a script: a cut, an event twice, an
// answer from a proxy. [Faults] lists them, with what a right client does.
//
// # A test of a controller
//
// What does it do when the server has forgotten its resourceVersion? Three
// servers can tell. A script is for a client whose requests are known, and
// fails the test when another one comes; with AnyOrder it lets more pass:
//
//	func TestMyControllerSurvivesA410(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) {
//			srv := replay.NewServer(t, replay.Script{
//				replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("10", replay.Item("a", "9")))...),
//				replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.ErrorEvent(410, "Expired"))),
//				replay.On(replay.List(replay.ConfigMaps), replay.JSON(200, replay.ListBody("20", replay.Item("b", "15")))...),
//			}, replay.Options{})
//			myController(srv.Context(), srv.Client(), srv.URL()) // ends when it knows that b is all there is
//		})
//	}
//
// A recording is the same script, of a server that did it: [Load]. A [Store] is
// for any client, informers included, which list and watch in ways of their
// own; with Options.TCP in any language, by [Server.Kubeconfig]:
//
//	store := &replay.Store{}
//	store.PutItem("a", "1")
//	srv := store.NewServer(t, replay.Options{})
//	go myController(srv.Context(), srv.Client(), srv.URL())
//	synctest.Wait()           // it has listed, and watches
//	store.EndWatches(replay.Cut())
//	synctest.Wait()           // its watch is gone, and it has not asked again
//	store.Delete("configmaps", "t", "a")
//	store.PutItem("b", "1")
//	store.Compact()           // a watch from before gets 410
//
// # Where it runs
//
// Without Options.TCP everything happens in memory, on connections that
// testing/synctest understands: the server, its client and the code under test
// go into one bubble, and a pause of an hour costs nothing.
//
// # What it will not do
//
// It does not parse or correct what a script sends: wrong bytes are the point.
// It reads no request bodies, records none, and it is not a server for
// production: one that a client can bring to its knees is good enough for a
// test.
//
// # Files
//
// script.go and step.go are what tests write, kube.go the bodies in it.
// playlist.go decides which exchange a request gets; server.go, conn.go,
// http1.go, http2.go, memnet.go and tls.go put it on a connection, transport.go
// and handler.go on other people's. record.go is the format; reader.go,
// dump.go, writer.go, split.go, load.go and lint.go work on it; recorder.go
// makes it, redact.go and echoes.go keep secrets out of it, and RESULTS.md says
// what that costs. fault.go and faults.go break scripts. The store*.go files and
// selector.go are the live server, discovery.go and names.go tell clients what
// there is.
package replay
