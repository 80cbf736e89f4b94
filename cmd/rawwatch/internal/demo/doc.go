// Package demo shows what rawwatch does, without a cluster: an API server in
// this process, real HTTP on loopback, the real client, and every way in which
// a connection breaks.
//
//	director ─► replay.Store ─► HTTP ─► stream.Watcher ─► rows on standard output
//	    │                                    │
//	    └────────► ledger ◄──────────────────┘   at the end: the proof
//
// demo.go wires it, director.go changes pods and breaks things, scenes.go has
// the ways, ledger.go and proof.go compare what was done with what was seen,
// narrator.go tells the client's side.
package demo
