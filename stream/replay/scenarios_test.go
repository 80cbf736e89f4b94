package replay_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

const scenarios = "../../testdata/replay/"

// load reads a scenario as a script.
func load(t *testing.T, name string, speed float64) Script {
	t.Helper()
	b, err := os.ReadFile(scenarios + name)
	require.NoError(t, err)
	d, err := NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	script, err := d.Script(speed)
	require.NoError(t, err)
	return script
}

func TestScenariosAreCleanRecordings(t *testing.T) {
	names, err := filepath.Glob(scenarios + "*.rwr")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		problems, err := Lint(bytes.NewReader(b))
		require.NoError(t, err, name)
		assert.Empty(t, problems, name)
		assert.NotEmpty(t, load(t, filepath.Base(name), 1), name)
	}
}

func TestFaultsOfAFileBreakItsWatchAndNothingIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := NewServer(t, load(t, "faults.rwr", 0), Options{})
		var got []string
		// A watch client in a dozen lines: whole lines count, and each
		// connection starts behind the last of them.
		for rv := "10"; rv != "15"; {
			resp, err := open(t, srv, ConfigMaps+"?watch=true&resourceVersion="+rv)
			require.NoError(t, err)
			for br := bufio.NewReader(resp.Body); rv != "15"; {
				line, err := br.ReadString('\n')
				if err != nil {
					break
				}
				_, after, _ := strings.Cut(line, `"resourceVersion":"`)
				rv, _, _ = strings.Cut(after, `"`)
				if !slices.Contains(got, rv) {
					got = append(got, rv)
				}
			}
			resp.Body.Close()
		}
		assert.Equal(t, []string{"11", "12", "13", "14", "15"}, got)
	})
}
