// Package backoff computes how long to wait before trying again. It never
// waits by itself, except in [Sleep], which ends with its context.
//
// The own delay d of a [Backoff] doubles from 0.8 s to 30 s, and full jitter
// comes on top of it: the result is random in [d, 2d). (These are the numbers
// of client-go's reflector, tools/cache/reflector.go.) With a zero [Policy]:
//
//	failure in a row    delay
//	1                    0.8 s to  1.6 s
//	2                    1.6 s to  3.2 s
//	3                    3.2 s to  6.4 s
//	4                    6.4 s to 12.8 s
//	5                   12.8 s to 25.6 s
//	6                   25.6 s to 51.2 s
//	7 and later         30.0 s to 60.0 s
//
// A server that says when to come back sets a floor: the delay is then random
// in [max(d, hint), twice that). No delay is longer than [MaxDelay].
//
// # Terms
//
// Progress is what the caller says it is, with [Backoff.Reset]. It must not
// be the mere fact of being connected: a server that accepts and closes would
// be hammered. [Bucket] holds that down from the other side, by limiting how
// fast attempts may follow each other at all.
//
// # What it will not do
//
// It reads no clock, keeps no timer, and counts no tries to give up after:
// when to stop is for the caller to decide. Its types are for one goroutine.
package backoff
