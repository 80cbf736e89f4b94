package report_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/record"
	"example.com/rawwatch/test/bench/report"
)

func TestFill(t *testing.T) {
	page := "# P\n\nby hand\n\n<!-- bench:a -->\nold\n<!-- /bench -->\nmore\n<!-- bench:b --><!-- x -->"
	_, err := report.Fill(page, map[string]string{"a": "\nnew\n"})
	require.ErrorContains(t, err, "a marker that is none")

	page = "# P\n\nby hand\n\n<!-- bench:a -->\nold\n<!-- /bench -->\nmore\n"
	filled, err := report.Fill(page, map[string]string{"a": "\nnew\n"})
	require.NoError(t, err)
	require.Equal(t, "# P\n\nby hand\n\n<!-- bench:a -->\n\nnew\n<!-- /bench -->\nmore\n", filled)
	again, err := report.Fill(filled, map[string]string{"a": "\nnew\n"})
	require.NoError(t, err)
	require.Equal(t, filled, again)

	for sections, want := range map[*map[string]string]string{
		{}:                 "section a is there twice, or nothing measures it",
		{"a": "", "c": ""}: "the page has no section c",
	} {
		_, err := report.Fill(page, *sections)
		require.ErrorContains(t, err, want)
	}
	_, err = report.Fill(page+page, map[string]string{"a": ""})
	require.ErrorContains(t, err, "section a is there twice")
	_, err = report.Fill("<!-- bench:a -->\nold", map[string]string{"a": ""})
	require.ErrorContains(t, err, "section a has no end")
}

func file(results ...measure.Result) record.File {
	return record.File{
		Suite: "s", Command: "go run ./bench -suite s", Date: "2026-01-02", Go: "go1.26",
		Machine: record.Machine{System: "linux/amd64", Cores: 2}, Versions: map[string]string{"m": "v1"},
		Results: results,
	}
}

func TestSectionOfOneCase(t *testing.T) {
	s := measure.Suite{Name: "s", Title: "T", Figures: []string{"CPU ms", "peak MB"}, Bars: []measure.Bar{
		{Figure: "CPU ms", Contender: "rawwatch", Against: "peer", AtMost: 0.6},
		{Figure: "peak MB", Contender: "rawwatch", AtMost: 16},
		{Figure: "peak MB", Contender: "no such", AtLeast: 1},
	}}
	text := report.Section(s, file(measure.Result{Name: "c", Contenders: []measure.Series{
		{Name: "rawwatch", Figures: map[string][]float64{"CPU ms": {10, 12, 11}, "peak MB": {16.54, 17, 16.2}}},
		{Name: "peer", Figures: map[string][]float64{"CPU ms": {20, 20, 1234.4}}},
	}}), "plots")
	require.Equal(t, `
| what | bar | measured | |
|---|---|---|---|
| CPU ms of rawwatch by that of peer | at most 0.6 | 0.5 (0.00891–0.6) | reached |
| peak MB of rawwatch | at most 16 | 16.5 (16.2–17) | **not reached** |
| peak MB of no such | at least 1 | not measured | **not reached** |

|  | CPU ms | peak MB |
| --- | --- | --- |
| rawwatch | 11 (10–12) | 16.5 (16.2–17) |
| peer | 20 (20–1234) | – |

![T: CPU ms](plots/s-1.svg)

`+"`go run ./bench -suite s`"+`, 2026-01-02, 2 cores, linux/amd64; go1.26, m v1. Median, and in brackets the least and the most of 3 rounds.
`, text)
}

func TestSectionOfAnAxis(t *testing.T) {
	s := measure.Suite{Name: "s", Title: "T", Axis: "objects", Figures: []string{"ms", "MB"}}
	text := report.Section(s, file(
		measure.Result{Name: "10", Size: 10, Contenders: []measure.Series{{Name: "a", Figures: map[string][]float64{"ms": {1}, "MB": {3}}}}},
		measure.Result{Name: "20", Size: 20, Contenders: []measure.Series{{Name: "a", Figures: map[string][]float64{"ms": {2}}}, {Name: "b", Figures: map[string][]float64{"ms": {5}}}}},
	), "plots")
	require.Equal(t, `
| ms | 10 | 20 |
| --- | --- | --- |
| a | 1 | 2 |
| b | – | 5 |

| MB | 10 | 20 |
| --- | --- | --- |
| a | 3 | – |

![T: ms](plots/s-1.svg)

![T: MB](plots/s-2.svg)

`+"`go run ./bench -suite s`"+`, 2026-01-02, 2 cores, linux/amd64; go1.26, m v1. Median, and in brackets the least and the most of 1 rounds.
`, text)
}

func TestPlots(t *testing.T) {
	results := []measure.Result{
		{Name: "small", Size: 10, Contenders: []measure.Series{{Name: "first", Figures: map[string][]float64{"ms": {1}, "MB": {0}}}}},
		{Name: "large", Size: 1000, Contenders: []measure.Series{{Name: "first", Figures: map[string][]float64{"ms": {2}}}, {Name: "second", Figures: map[string][]float64{"ms": {5}}}}},
	}
	zero := measure.Suite{Name: "z", Title: "From 0", Axis: "ms", Figures: []string{"ms"}}
	svg, err := report.Plots(zero, []measure.Result{
		{Size: 0, Contenders: results[0].Contenders}, {Size: 20, Contenders: results[1].Contenders},
	})[0].SVG()
	require.NoError(t, err)
	require.Contains(t, string(svg), "From 0")

	for _, axis := range []string{"", "objects"} {
		s := measure.Suite{Name: "s", Title: "The title", Axis: axis, Figures: []string{"ms", "MB"}}
		plots := report.Plots(s, results)
		require.Len(t, plots, 1, "the first figure, and the second is nothing but 0")
		svg, err := plots[0].SVG()
		require.NoError(t, err)
		for _, text := range []string{"<svg", "The title", ">ms<", ">first<", ">second<", "</svg>"} {
			require.Contains(t, string(svg), text)
		}
		again, err := plots[0].SVG()
		require.NoError(t, err)
		require.Equal(t, svg, again, "the same results have to give the same file")
	}
}
