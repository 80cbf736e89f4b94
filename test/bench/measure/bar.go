package measure

// Verdict is a bar next to what was measured in one case.
type Verdict struct {
	Bar
	Case     string
	Measured Spread
}

// Reached reports whether the median is within the bar.
func (v Verdict) Reached() bool {
	return (v.AtLeast == 0 || v.Measured.Median >= v.AtLeast) && (v.AtMost == 0 || v.Measured.Median <= v.AtMost)
}

// Judge holds the results of a suite against its bars. A bar that names what
// was not measured is in missing: it was not reached, and must not be read as
// if it was.
func Judge(bars []Bar, results []Result) (verdicts []Verdict, missing []Bar) {
	for _, bar := range bars {
		found := false
		for _, r := range results {
			if bar.Case != "" && bar.Case != r.Name {
				continue
			}
			figures := r.Of(bar.Contender, bar.Figure)
			if bar.Against != "" {
				figures = Ratios(figures, r.Of(bar.Against, bar.Figure))
			}
			if len(figures) == 0 {
				continue
			}
			found = true
			verdicts = append(verdicts, Verdict{Bar: bar, Case: r.Name, Measured: SpreadOf(figures)})
		}
		if !found {
			missing = append(missing, bar)
		}
	}
	return verdicts, missing
}
