// Package cli is the rawwatch command: arguments in, exit code out.
//
// It is thin. It reads flags, finds the server (package kubeconfig) and the
// type (package discovery), fills in a stream.Watcher, and prints what comes
// (package output) and what happens (package story):
//
//	run.go         from arguments to an exit code
//	watch.go       the watch from its beginning to its end, step by step:
//	  ask.go         which flags and arguments go together; flags.go has them all
//	  connect.go     flags to a server and credentials; --dry-run
//	  locate.go      types and namespaces to sources, and source.go what one is
//	  watcher.go     flags to a stream.Watcher
//	  loop.go        the loop over all sources
//	  failure.go     an error to one line for a person
//	printing.go    how events look, and jq.go what an expression makes of them
//	raw.go         -o raw, which shows lines and not events
//	goal.go        --for; checkpoint.go, metrics.go and namespace.go look on, too
//	status.go      the last line of a terminal; traffic.go is -v 3 and 4
//	pipe.go        a reader that leaves; signals.go a person who does
//	completion.go  what the shell offers; help.go the pages; explain.go the table
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
