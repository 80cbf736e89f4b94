// Package terminal is what the command knows of terminals: whether it writes
// to one, and its colours.
package terminal
