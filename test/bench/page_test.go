package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/suites"
)

// The page and the plots are those of the results: nobody wrote a figure by
// hand, and no results are newer than the page.
func TestPageIsThatOfTheResults(t *testing.T) {
	page := "../../BENCHMARKS.md"
	text, plots, err := suites.Page().Render("results", page)
	require.NoError(t, err)
	now, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, text, string(now), "go run ./bench -report writes it anew")
	for name, svg := range plots {
		now, err := os.ReadFile(filepath.Join("results", name))
		require.NoError(t, err)
		require.Equal(t, string(svg), string(now), name)
	}
}

func TestChoose(t *testing.T) {
	all := []measure.Suite{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	chosen, err := choose(all, "c,a")
	require.NoError(t, err)
	require.Equal(t, []measure.Suite{all[2], all[0]}, chosen)
	chosen, err = choose(all, "")
	require.NoError(t, err)
	require.Len(t, chosen, 3)
	_, err = choose(all, "a,d")
	require.EqualError(t, err, `bench: no suite "d"; there are a, b, c`)
}
