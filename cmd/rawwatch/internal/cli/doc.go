// Package cli is the rawwatch command: arguments in, exit code out.
//
// It is thin. It reads flags, finds the server (package kubeconfig) and the
// type (package discovery), fills in a stream.Watcher, and prints what comes
// (package output) and what happens (package story):
//
//	run.go         from arguments to an exit code
//	flags.go       every flag of the watch, by what it is about
//	ask.go         which flags and arguments go together
//	connect.go     flags to a server and credentials; --dry-run
//	watcher.go     flags to a stream.Watcher
//	locate.go      types and namespaces to sources, and source.go what one is
//	watch.go       the loop over all sources
//	printing.go    how events look, and jq.go what an expression makes of them
//	raw.go         -o raw, which shows lines and not events
//	checkpoint.go  --checkpoint, and a disk that fails
//	failure.go     an error to one line for a person
//	record.go      a watch into a recording; recorded.go one from a file
//	replay.go      its events (package playback)
//	inspect.go     what happened in one (package inspect)
//	serve.go       an API server of it (package server)
//	demo.go        a show of it all (package demo)
//
// exit.go has the exit codes. They, the flags, and what goes to standard
// output are a contract that scripts depend on; the scripts in
// ../../testdata/script hold it. What goes to standard error is for people and
// may change.
package cli
