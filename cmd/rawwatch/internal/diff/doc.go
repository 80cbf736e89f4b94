// Package diff finds what changed between two versions of an object.
//
//	diff.go    walks through both and reports each place that differs
//	keys.go    which elements of two lists are the same thing
//	lists.go   what happened to a list
//	align.go   what two sequences have in common, by Myers
//	words.go   what changed in a text
//	noise.go   what changes all the time and means nothing
//	path.go    where in an object
//
// # Terms
//
//   - change: one place and what was and is there. A value that is only in one
//     of the two is one change, however much is in it.
//   - merge key: the field that says which element of a list is meant: name of
//     a container, type of a condition. Lists whose elements have one are
//     compared by it, not by position: a container put in front of another
//     changes nothing in that one.
//   - noise: fields that tell nothing by changing. What is hidden is named.
//
// # What it will not do
//
// It knows no schemas: merge keys of built-in types are known by the name of
// the list, and those of other types are guessed. It shows nothing; package
// output does.
package diff
