// Package record keeps what was measured: one JSON file for each suite, with
// each figure of each round, and with what it takes to make sense of them: the
// command, the machine, the versions.
package record
