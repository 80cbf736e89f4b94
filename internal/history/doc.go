// Package history compares what a watch told its consumer with what was done
// to the objects.
//
//	what was done ─► Ledger ─┐
//	                         ├─► Check: every difference
//	what was seen ─► []Event ┘
//
// # Terms
//
//   - state: an object with a uid and a resourceVersion, or its absence.
//   - Ledger: for each object, the states it has been through, in order.
//   - known: what a consumer holds after the events so far.
//   - catching up: from the start, or from a GAP, up to SYNCED. States may be
//     passed over then, since a list shows outcomes only. At any other time
//     every state has to be seen.
//   - Position: a moment in a Ledger.
//   - era: the time between two restores of the server from a backup. Within
//     it resourceVersions only rise; the next one uses some of them again.
//   - RESTORED: an event that no watch sends. A test that turns the server back
//     may note it among those of the consumer, since a list may end an era in
//     which it shows nothing new.
//   - Checkpoint: what a file holds of a consumer, which may be killed and go
//     on after the last event that the file knows of.
//
// # What is checked
//
// Nothing comes twice; no older state comes after a newer one; nothing comes
// that was never done; outside of catching up no state is left out, and the
// resourceVersions of all objects together only rise; ADDED is of what was not
// known, MODIFIED and DELETED of what was; in the end the consumer knows just
// what exists.
//
// What a restore has undone, a consumer that had not heard of it never will, so
// it may be left out, and so may what the restore brings back. Of a watch that
// starts in mid-history, a Gap that says so (Partial) makes unknown again what
// there has been no event of.
//
// # What it will not do
//
// It does not look inside objects. It cannot judge changes whose outcome the
// writer does not know, such as those sent to a server that is being killed:
// the writer has to ask what became of them before it goes on.
package history
