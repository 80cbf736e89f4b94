// Package process builds and runs the programs of peers/, each a process of its
// own: what a binary links decides what it weighs, so a peer shares its process
// with no other.
//
// Processor time is what the system counted for the child, from its start to
// its end. Peak memory is what the child read of itself (peers/internal/self):
// the rusage of a child begins with the memory of the parent it was forked
// from, and a small program would seem as big as the one that measures it.
package process
