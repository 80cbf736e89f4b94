// Command instructions counts the instructions that the scan takes for a byte,
// with valgrind's callgrind, and compares them with the counts that were kept
// (counts.txt). Instructions are not time, but they are the same whatever else
// the machine does: a loss of some per cent, which a benchmark cannot tell from
// noise, shows here.
//
// It is run at the root of the project:
//
//	go run ./internal/instructions           # fails where the scan takes 3 % more than was kept
//	go run ./internal/instructions -update   # keeps what it counts
//
// The counts hold for one minor version of Go, since its compiler decides them.
// With another they are shown and not judged.
package main
