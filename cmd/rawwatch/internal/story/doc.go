// Package story tells on standard error what happens to the watch between its
// events: connected, closed, waiting, relisting, synced, falling behind. A
// watch that has ended is never mistaken for a quiet one.
//
// One line for each thing that happens. What happens again and again is told
// the 1st, 2nd, 4th, 8th … time, with the count: an outage of an hour is a
// handful of lines, and still shows that something goes on. A thing not seen
// for a quarter of an hour is news again.
//
// Verbosity 1 adds every request and its answer, tells every repeat, and puts
// the time of day in front; 2 adds the events that were left out.
//
// # What it will not do
//
// It changes nothing about the watch, and it never fails: a standard error
// that cannot be written to must not end a watch that works.
package story
