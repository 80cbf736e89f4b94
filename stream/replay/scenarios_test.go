package replay_test

import (
	"bufio"
	"bytes"
	"io/fs"
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
	script, err := Load(scenarios+name, speed)
	require.NoError(t, err)
	return script
}

func TestLoadNamesTheFile(t *testing.T) {
	_, err := Load(scenarios+"none.rwr", 0)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.ErrorContains(t, err, "none.rwr")

	for text, want := range map[string]string{
		"what is this":                     "replay: line 1: not a recording: neither a JSON line nor an HTTP answer in ",
		`{"rwr":1}` + "\n" + `{"t":"end"}`: "replay: line 2: ",
	} {
		file := filepath.Join(t.TempDir(), "file.rwr")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		_, err = Load(file, 0)
		require.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, file)
		var syntax *SyntaxError
		assert.ErrorAs(t, err, &syntax)
	}
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
