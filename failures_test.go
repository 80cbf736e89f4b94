package rawwatch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	failureRow  = regexp.MustCompile(`^\| (B\d\d) \|`)
	testName    = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")
	failureTest = regexp.MustCompile(`^TestFailure(B\d\d)\w+$`)
)

// FAILURES.md is worth what its tests are. Each row names tests that exist, of
// its own number; each test called TestFailure is in the row of its number.
func TestFailuresHaveTests(t *testing.T) {
	ledger, err := os.ReadFile("FAILURES.md")
	require.NoError(t, err)
	written := testFunctions(t)
	listed := map[string]bool{}
	for line := range strings.Lines(string(ledger)) {
		row := failureRow.FindStringSubmatch(line)
		if row == nil {
			assert.NotContains(t, line, "`TestFailureB", "a test outside of a row")
			continue
		}
		number := row[1]
		columns := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if !assert.Len(t, columns, 6, number) {
			continue
		}
		own := testName.FindAllStringSubmatch(columns[3], -1)
		assert.NotEmpty(t, own, "%s has no test", number)
		for _, name := range own {
			of := failureTest.FindStringSubmatch(name[1])
			if assert.NotNil(t, of, "%s: %s is not called TestFailure%s…", number, name[1], number) {
				assert.Equal(t, number, of[1], "%s is in the row of %s", name[1], number)
			}
			listed[name[1]] = true
		}
		for _, name := range testName.FindAllStringSubmatch(columns[3]+columns[4], -1) {
			assert.True(t, written[name[1]], "%s names %s, which does not exist", number, name[1])
		}
		assert.NotEmpty(t, strings.TrimSpace(columns[4]), "%s: no further case of its kind", number)
	}
	assert.NotEmpty(t, listed)
	for name := range written {
		if strings.HasPrefix(name, "TestFailureB") {
			assert.True(t, listed[name], "%s is not in FAILURES.md", name)
		}
	}
}

// testFunctions are the tests and fuzz targets of this module.
func testFunctions(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && exists(filepath.Join(path, "go.mod")):
			return filepath.SkipDir // another module
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	return names
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
