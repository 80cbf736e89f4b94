package stream

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Clocks jump, by hand, by NTP, after a sleep. Delays and ages come from the
// monotonic reading that time.Now has and Sub uses; these methods lose it, or
// make a wall time that never had one. (Only the expiry of a token is a matter
// of wall time: package kubeconfig.)
func TestDelaysDoNotLookAtTheWallClock(t *testing.T) {
	wall := []string{"Round", "UTC", "Local", "In", "AddDate", "Unix", "UnixMilli", "UnixMicro", "UnixNano", "Date", "Parse"}
	allowed := map[string]string{
		"connection.go UnixNano": "State.LastByte is for people",
		"watchdog.go UnixNano":   "State.LastByte is for people",
		"session.go Unix":        "State.LastByte is for people",
	}
	seen := map[string]bool{}
	for _, pattern := range []string{"*.go", "../backoff/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			ast.Inspect(parsed, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				if of, ok := call.Fun.(*ast.SelectorExpr); ok {
					for _, name := range wall {
						if of.Sel.Name == name {
							seen[filepath.Base(file)+" "+name] = true
						}
					}
				}
				return true
			})
		}
	}
	for use := range seen {
		assert.Contains(t, allowed, use)
	}
	for use := range allowed {
		assert.True(t, seen[use], "%s is not there any more", use)
	}
}
