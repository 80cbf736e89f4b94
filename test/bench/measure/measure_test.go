package measure_test

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/measure"
)

// contender counts its turns, and tells in which order all had theirs.
func contender(name string, order *[]string, value float64) measure.Contender {
	return measure.Contender{Name: name, Run: func(context.Context) (measure.Figures, error) {
		*order = append(*order, name)
		return measure.Figures{"ms": value * float64(len(*order))}, nil
	}}
}

func suite(end func(), cases ...measure.Case) measure.Suite {
	return measure.Suite{Name: "s", Cases: func(context.Context, measure.Options) ([]measure.Case, func(), error) {
		return cases, end, nil
	}}
}

func TestRunTakesTurns(t *testing.T) {
	var order []string
	ended := false
	s := suite(func() { ended = true }, measure.Case{Name: "c", Size: 3, Contenders: []measure.Contender{
		contender("a", &order, 1), contender("b", &order, 10.00049),
	}})
	results, err := measure.Run(t.Context(), s, measure.Options{}, 3, io.Discard)
	require.NoError(t, err)
	require.True(t, ended)
	require.Equal(t, []string{"a", "b", "b", "a", "a", "b"}, order)
	require.Equal(t, []measure.Result{{Name: "c", Size: 3, Contenders: []measure.Series{
		{Name: "a", Figures: map[string][]float64{"ms": {1, 4, 5}}},
		{Name: "b", Figures: map[string][]float64{"ms": {20, 30, 60}}},
	}}}, results)
}

func TestRunEndsWithTheFirstFailure(t *testing.T) {
	ended := false
	broken := errors.New("broken")
	s := suite(func() { ended = true }, measure.Case{Name: "c", Contenders: []measure.Contender{
		{Name: "a", Run: func(context.Context) (measure.Figures, error) { return nil, broken }},
	}})
	_, err := measure.Run(t.Context(), s, measure.Options{}, 3, io.Discard)
	require.ErrorIs(t, err, broken)
	require.EqualError(t, err, "measure: s, c, a: broken")
	require.True(t, ended)
}

func TestSpread(t *testing.T) {
	require.Equal(t, measure.Spread{Median: 2, Min: 1, Max: 9}, measure.SpreadOf([]float64{9, 1, 2}))
	require.Equal(t, measure.Spread{Median: 2.5, Min: 1, Max: 9}, measure.SpreadOf([]float64{9, 1, 2, 3}))
}

func TestJudge(t *testing.T) {
	results := []measure.Result{{Name: "c", Contenders: []measure.Series{
		{Name: "a", Figures: map[string][]float64{"ms": {10, 40, 30}, "MB": {7, 8, 9}}},
		{Name: "b", Figures: map[string][]float64{"ms": {20, 20, 20}, "MB": {1, 2}}},
	}}}
	bars := []measure.Bar{
		{Figure: "ms", Contender: "a", Against: "b", AtMost: 1.5},
		{Figure: "ms", Contender: "a", Against: "b", AtLeast: 1.6},
		{Figure: "MB", Contender: "a", AtMost: 8},
		{Figure: "MB", Contender: "a", Against: "b", AtMost: 100}, // no pairs
		{Case: "d", Figure: "MB", Contender: "a", AtMost: 100},
	}
	verdicts, missing := measure.Judge(bars, results)
	require.Equal(t, []measure.Verdict{
		{Bar: bars[0], Case: "c", Measured: measure.Spread{Median: 1.5, Min: 0.5, Max: 2}},
		{Bar: bars[1], Case: "c", Measured: measure.Spread{Median: 1.5, Min: 0.5, Max: 2}},
		{Bar: bars[2], Case: "c", Measured: measure.Spread{Median: 8, Min: 7, Max: 9}},
	}, verdicts)
	require.Equal(t, bars[3:], missing)
	require.True(t, verdicts[0].Reached())
	require.False(t, verdicts[1].Reached())
	require.True(t, verdicts[2].Reached())
}
