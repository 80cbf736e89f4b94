package diff

import "slices"

// match is a run that two sequences have in common: n elements from a on in
// the one and from b on in the other.
type match struct{ a, b, n int }

// tooFar bounds the work: sequences that differ by more than this many
// elements are taken to have nothing in common between their ends. The work
// grows with the square of it, and so does the memory (8 MB).
const tooFar = 1000

// align finds the longest common subsequence of two sequences of n and m
// elements, as matches in ascending order that do not touch each other in both
// sequences at once. It is Myers' greedy algorithm ("An O(ND) Difference
// Algorithm and Its Variations", 1986) between the ends that are the same.
func align(n, m int, equal func(i, j int) bool) []match {
	head := 0
	for head < n && head < m && equal(head, head) {
		head++
	}
	tail := 0
	for tail < n-head && tail < m-head && equal(n-1-tail, m-1-tail) {
		tail++
	}
	var out []match
	add := func(a, b, length int) {
		if length == 0 {
			return
		}
		if last := len(out) - 1; last >= 0 && out[last].a+out[last].n == a && out[last].b+out[last].n == b {
			out[last].n += length
			return
		}
		out = append(out, match{a, b, length})
	}
	add(0, 0, head)
	middle := myers(n-head-tail, m-head-tail, func(i, j int) bool { return equal(head+i, head+j) })
	for _, one := range middle {
		add(head+one.a, head+one.b, one.n)
	}
	add(n-tail, m-tail, tail)
	return out
}

// myers looks for the shortest way from (0, 0) to (n, m) through the grid of
// both sequences, where a step right drops an element, a step down inserts
// one, and a diagonal, which costs nothing, keeps one. reach[k] is how far to
// the right a way of d steps gets on the diagonal x-y = k; each round makes
// the ways one step longer.
func myers(n, m int, equal func(i, j int) bool) []match {
	if n == 0 || m == 0 {
		return nil
	}
	limit := min(n+m, tooFar)
	reach := make([]int, 2*limit+3)
	at := func(k int) *int { return &reach[limit+1+k] }
	var rounds [][]int // reach[-d … d] before round d, to find the way back
	for d := 0; d <= limit; d++ {
		rounds = append(rounds, slices.Clone(reach[limit+1-d-1:limit+1+d+2]))
		for k := -d; k <= d; k += 2 {
			x := *at(k - 1) + 1
			if k == -d || k < d && *at(k - 1) < *at(k + 1) {
				x = *at(k + 1)
			}
			for x < n && x-k < m && x-k >= 0 && equal(x, x-k) {
				x++
			}
			*at(k) = x
			if x >= n && x-k >= m {
				return wayBack(rounds, n, m)
			}
		}
	}
	return nil
}

// wayBack walks from (n, m) back to the start, and collects the diagonals.
func wayBack(rounds [][]int, x, y int) []match {
	var out []match
	for d := len(rounds) - 1; d >= 0; d-- {
		at := func(k int) int { return rounds[d][d+1+k] }
		k := x - y
		from := k - 1
		if k == -d || k < d && at(k-1) < at(k+1) {
			from = k + 1
		}
		startX := at(from)
		startY := startX - from
		if d == 0 {
			startX, startY = 0, 0
		}
		n := min(x-startX, y-startY) // the diagonal behind the one step
		if n > 0 {
			out = append(out, match{x - n, y - n, n})
		}
		x, y = startX, startY
	}
	slices.Reverse(out)
	return out
}
