// Package story tells on standard error what happens to the watch between its
// events: connected, closed, waiting, relisting, synced, falling behind. A
// watch that has ended is never mistaken for a quiet one.
//
// One line for each thing that happens. What happens again and again is told
// the 1st, 2nd, 4th, 8th … time: an outage of an hour is a handful of lines. A
// trouble that lasts is told every 5 minutes at least, with how long it has
// lasted; "in a row" counts attempts that failed, "so far" everything else
// that should not happen. What belongs to a watch that is well has no count. A
// thing not seen for a quarter of an hour is news again.
//
// The word in brackets is the row of the verdict table that decided:
// "rawwatch explain" has more about it. The time in front, in UTC, is left out
// at a terminal.
//
// Verbosity 1 adds every request and its answer, tells every repeat, and puts
// milliseconds in front; 2 adds the events that were left out.
//
// # What it will not do
//
// It changes nothing about the watch, and it never fails: a standard error
// that cannot be written to must not end a watch that works.
package story
