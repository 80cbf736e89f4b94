package measure

import (
	"context"
	"fmt"
	"io"
)

// Run runs a suite and returns what was measured, case by case. It writes a
// line to progress for each turn. The first turn that fails ends it.
func Run(ctx context.Context, s Suite, o Options, rounds int, progress io.Writer) (_ []Result, err error) {
	cases, end, err := s.Cases(ctx, o)
	if end != nil {
		defer end()
	}
	if err != nil {
		return nil, fmt.Errorf("measure: %s: %w", s.Name, err)
	}
	var results []Result
	for _, c := range cases {
		r := newResult(c)
		for round := range rounds {
			for turn := range c.Contenders {
				i := (round + turn) % len(c.Contenders)
				figures, err := c.Contenders[i].Run(ctx)
				if err != nil {
					return nil, fmt.Errorf("measure: %s, %s, %s: %w", s.Name, c.Name, c.Contenders[i].Name, err)
				}
				r.add(i, figures)
				fmt.Fprintf(progress, "%s, %s, round %d of %d: %s %s\n", s.Name, c.Name, round+1, rounds, c.Contenders[i].Name, figures)
			}
		}
		results = append(results, r)
	}
	return results, nil
}
