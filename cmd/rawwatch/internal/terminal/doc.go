// Package terminal is what the command knows of terminals: whether it writes
// to one, its colours, and [Screen], which keeps a live line below everything
// that is printed.
//
// # Terms
//
//   - status: the last line of the screen, drawn again and again in its place.
//     The cursor stands at its beginning, so that "clear from here to the end of
//     the screen" removes it, also when the terminal was made narrower and has
//     wrapped it, and so that what others print (an echoed ^C) is on it and
//     goes away with it.
//
// # What it will not do
//
// It draws nothing where it is not alone: on no pipe, and on no terminal that
// another program is likely to be writing to.
package terminal
