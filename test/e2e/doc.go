// Package e2e tests rawwatch against a real API server: the library as a
// program embeds it, and the command as a person runs it.
//
//	writer ─► API server ─► (proxy) ─► consumer (library) or command
//	   │                                       │
//	   └────► history.Ledger ◄── compared ─────┘
//
// A test says what happens: to the objects, to the server, to the network. A
// writer changes objects and writes down what it did. Consumers and commands
// watch, and write down what they were told. In the end the two have to agree,
// by the rules of package history.
//
// Tests that leave the server running share one and run in parallel; the
// others start their own, and do several things to it, since a start takes
// seconds.
package e2e
