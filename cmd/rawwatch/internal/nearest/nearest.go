// Package nearest finds what somebody meant to type.
package nearest

import (
	"cmp"
	"slices"
	"strings"
)

// To returns up to limit of the candidates that are close to word, the closest
// first: those a few keystrokes away, and those that word is the beginning of.
func To(word string, candidates []string, limit int) []string {
	word = strings.ToLower(word)
	type scored struct {
		name string
		far  int
	}
	var close []scored
	for _, name := range candidates {
		lower := strings.ToLower(name)
		far := distance(word, lower)
		if len(word) >= 3 && strings.HasPrefix(lower, word) {
			far = min(far, 1)
		}
		// A third of the letters may be wrong: with more, anything is like
		// anything else.
		if far <= (max(len(word), 3)+2)/3 {
			close = append(close, scored{name, far})
		}
	}
	slices.SortStableFunc(close, func(a, b scored) int { return cmp.Compare(a.far, b.far) })
	var names []string
	for _, c := range close[:min(limit, len(close))] {
		names = append(names, c.name)
	}
	return names
}

// distance is the number of letters to insert, delete, replace, or swap with
// their neighbour, to make a into b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
