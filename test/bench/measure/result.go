package measure

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Result is what was measured in a case: raw, a number for each round.
type Result struct {
	Name       string
	Size       float64 `json:",omitzero"`
	Contenders []Series
}

// Series are the figures of one contender by their names, in the order of the
// rounds.
type Series struct {
	Name    string
	Figures map[string][]float64
}

func newResult(c Case) Result {
	r := Result{Name: c.Name, Size: c.Size}
	for _, contender := range c.Contenders {
		r.Contenders = append(r.Contenders, Series{Name: contender.Name, Figures: map[string][]float64{}})
	}
	return r
}

func (r *Result) add(contender int, figures Figures) {
	for name, value := range figures {
		into := r.Contenders[contender].Figures
		into[name] = append(into[name], rounded(value))
	}
}

// rounded keeps four digits: more would be noise written down.
func rounded(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// Of returns the figures of a contender, or nil.
func (r Result) Of(contender, figure string) []float64 {
	for _, s := range r.Contenders {
		if s.Name == contender {
			return s.Figures[figure]
		}
	}
	return nil
}

// String returns the figures on one line, in alphabetical order.
func (f Figures) String() string {
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(f)) {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %.4g", name, f[name])
	}
	return b.String()
}
