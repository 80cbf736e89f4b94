package rawwatch_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "example.com/rawwatch"

// allowed lists, for each package, what it may import besides the standard
// library. Its tests are free. A package that is not listed fails, so a new
// room gets its rule the day it is built.
//
// The leaves know nothing of each other, so that each can be read, tested and
// embedded alone; only stream wires them. A dependency outside the standard
// library is a line here, and its reason.
var allowed = map[string][]string{
	"":        nil,
	"decode":  nil,
	"status":  nil,
	"backoff": nil,
	"stream":  {module + "/decode", module + "/status", module + "/backoff"},

	// golang.org/x/net/http2 for its frames: RST_STREAM and GOAWAY at the
	// right moment cannot be had from net/http.
	"stream/replay": {module + "/decode", module + "/status", "golang.org/x/net/http2", "golang.org/x/net/http2/hpack"},

	// The only reader of YAML: a program that runs in a pod uses incluster,
	// which links none of it.
	"kubeconfig":            {module + "/kubeconfig/...", "go.yaml.in/yaml/v3", "golang.org/x/net/http/httpproxy"},
	"kubeconfig/...":        {module + "/kubeconfig/...", "golang.org/x/net/http/httpproxy"},
	"internal/corpus":       nil,
	"internal/history":      nil,
	"internal/mutants":      nil,
	"internal/instructions": {module + "/decode", module + "/internal/corpus"},
	"internal/testpki":      nil,
	"internal/kubecase":     {module + "/internal/testpki", "github.com/rogpeppe/go-internal/txtar"},
	"examples/...":          {module + "/..."},
	"cmd/rawwatch":          {module + "/..."},
	"cmd/rawwatch/...": {
		module + "/...",
		"go.yaml.in/yaml/v3",
		"github.com/spf13/cobra",
		"github.com/spf13/pflag",
		"github.com/itchyny/gojq",
		"golang.org/x/term",
		"golang.org/x/text/width",
		"github.com/VictoriaMetrics/metrics",
	},
}

// banned in every package, tests and their dependencies included.
var banned = map[string]string{
	"k8s.io/":      "the point of this module is to do without",
	"sigs.k8s.io/": "the point of this module is to do without",
	"unsafe":       "portable Go: the speed comes from the algorithm",
}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImports(t *testing.T) {
	for _, pkg := range packages(t, "./...") {
		room := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, module), "/")
		allow, known := ruleOf(room)
		if !known {
			t.Errorf("%s: no rule for this package; add one to the table with its reason", pkg.ImportPath)
			continue
		}
		for _, imp := range pkg.Imports {
			if std(imp) || slices.ContainsFunc(allow, func(p string) bool { return matches(p, imp) }) {
				continue
			}
			t.Errorf("%s imports %s, which its rule does not allow", pkg.ImportPath, imp)
		}
		for _, imp := range slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports) {
			for prefix, why := range banned {
				if imp == prefix || strings.HasSuffix(prefix, "/") && strings.HasPrefix(imp, prefix) {
					t.Errorf("%s imports %s: %s", pkg.ImportPath, imp, why)
				}
			}
		}
	}
}

// The root go.mod must not know Kubernetes modules even indirectly: they would
// come into every embedder's module graph.
func TestModuleGraph(t *testing.T) {
	for _, file := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "k8s.io", file)
	}
}

// What runs in a pod is small because it leaves these out.
func TestInClusterLinksLittle(t *testing.T) {
	heavy := []string{"go.yaml.in/yaml/v3", "golang.org/x/net/http2", "github.com/spf13/cobra", "os/exec", "testing", "text/template", "html/template"}
	for _, pkg := range packages(t, "-deps", "./examples/minimal") {
		require.NotContains(t, heavy, pkg.ImportPath)
	}
}

// ruleOf finds the rule of a package: its own, or that of the nearest folder
// above with "/...".
func ruleOf(room string) ([]string, bool) {
	if rule, ok := allowed[room]; ok {
		return rule, true
	}
	for dir := path.Dir(room); dir != "."; dir = path.Dir(dir) {
		if rule, ok := allowed[dir+"/..."]; ok {
			return rule, true
		}
	}
	return nil, false
}

func matches(pattern, imp string) bool {
	if tree, ok := strings.CutSuffix(pattern, "/..."); ok {
		return imp == tree || strings.HasPrefix(imp, tree+"/")
	}
	return imp == pattern
}

// std reports whether an import path is of the standard library: its first
// element has no dot.
func std(imp string) bool {
	first, _, _ := strings.Cut(imp, "/")
	return !strings.Contains(first, ".")
}

func packages(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var pkgs []listed
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else {
			require.NoError(t, err)
		}
		pkgs = append(pkgs, p)
	}
}
