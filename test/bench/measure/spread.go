package measure

import "slices"

// Spread is a number of figures in three.
type Spread struct{ Median, Min, Max float64 }

// SpreadOf returns the spread of figures, of which there is at least one.
func SpreadOf(figures []float64) Spread {
	sorted := slices.Sorted(slices.Values(figures))
	n := len(sorted)
	return Spread{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1]}
}

// Ratios returns a over b, round by round. Two series of one case are equally
// long, unless a contender measured the figure in some rounds only; then there
// are no pairs, and none are made up.
func Ratios(a, b []float64) []float64 {
	if len(a) != len(b) {
		return nil
	}
	ratios := make([]float64, 0, len(a))
	for i := range a {
		if b[i] != 0 {
			ratios = append(ratios, a[i]/b[i])
		}
	}
	return ratios
}
