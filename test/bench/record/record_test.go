package record_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/record"
)

func TestWriteAndRead(t *testing.T) {
	f := record.File{
		Suite: "s", Command: "go run ./bench -suite s", Date: "2026-01-02", Go: "go1.26",
		Machine:  record.Machine{System: "linux/amd64", CPU: "C", Cores: 2},
		Versions: map[string]string{"m": "v1.2.3"},
		Results: []measure.Result{{Name: "c", Size: 10, Contenders: []measure.Series{
			{Name: "a", Figures: map[string][]float64{"ms": {1.5, -2, 1e-9}, "MB": {7}}},
			{Name: "b", Figures: map[string][]float64{}},
		}}},
	}
	folder := t.TempDir()
	require.NoError(t, f.Write(folder))
	read, err := record.Read(folder, "s")
	require.NoError(t, err)
	require.Equal(t, f, read)

	text, err := os.ReadFile(record.Path(folder, "s"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"ms": [1.5,-2,1e-9]`+"\n")
	require.Contains(t, string(text), `"MB": [7],`+"\n")

	require.NoError(t, os.WriteFile(record.Path(folder, "s"), []byte(strings.Replace(string(text), `"Date"`, `"Dat"`, 1)), 0o644))
	_, err = record.Read(folder, "s")
	require.ErrorContains(t, err, `unknown field "Dat"`)
}

func TestVersions(t *testing.T) {
	versions, err := record.Versions(t.Context(), []string{"github.com/stretchr/testify"})
	require.NoError(t, err)
	require.Regexp(t, `^v\d+\.\d+\.\d+$`, versions["github.com/stretchr/testify"])
	_, err = record.Versions(t.Context(), []string{"example.com/no/such"})
	require.ErrorContains(t, err, "example.com/no/such")
	versions, err = record.Versions(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, versions)
}

func TestMachine(t *testing.T) {
	require.Equal(t, "C, 2 cores, linux/amd64", record.Machine{System: "linux/amd64", CPU: "C", Cores: 2}.String())
	require.NotZero(t, record.ThisMachine().Cores)
}
