package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWorse(t *testing.T) {
	before, err := parse([]byte("go1.26\npods scan 7.00\npods encoding/json.Valid 37.60\n"))
	require.NoError(t, err)
	require.Equal(t, "go1.26\npods scan 7.00\npods encoding/json.Valid 37.60\n", string(before.format()))

	now := func(perByte float64) counts {
		return counts{"go1.26", []count{{"pods", scan, perByte}, {"pods", valid, 99}}}
	}
	require.NoError(t, now(7.2).worse(before))
	require.EqualError(t, now(7.3).worse(before), "pods: the scan takes 7.30 instructions a byte, and took 7.00")
	require.EqualError(t, counts{"go1.26", []count{{"mixed", scan, 1}}}.worse(before), "mixed: no count was kept; -update keeps it")

	_, err = parse([]byte("go1.26\npods seven\n"))
	require.ErrorContains(t, err, `counts.txt: line "pods seven\n"`)
}

func TestWork(t *testing.T) {
	t.Chdir("../..")
	require.NoError(t, do("pods,scan,1"))
	require.ErrorContains(t, do("cats,scan,1"), `no corpus "cats"`)
	require.ErrorContains(t, do("cats"), "is not CORPUS,PARSER,PASSES")
}
