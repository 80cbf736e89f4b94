package kubeconfig

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/kubeconfig/internal/testpki"
	"example.com/rawwatch/kubeconfig/transport"
)

var update = flag.Bool("update", false, "write what the golden cases give now into their files")

const goldenDir = "../testdata/kubeconfig"

// TestGolden runs the cases of testdata/kubeconfig. Its README says how a case
// is written.
func TestGolden(t *testing.T) {
	pki := newSecrets(t)
	for _, file := range goldenFiles(t) {
		name, _ := filepath.Rel(goldenDir, strings.TrimSuffix(file, ".txtar"))
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			got := parseGolden(t, archive, pki).run()
			for i, f := range archive.Files {
				if f.Name != "want" {
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
					require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				}
				require.Equal(t, string(archive.Files[i].Data), got)
				return
			}
			t.Fatalf("the case has no file named want; it gives:\n%s", got)
		})
	}
}

func goldenFiles(t *testing.T) []string {
	files, err := filepath.Glob(goldenDir + "/*/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// secrets are certificates that are made for each run.
type secrets struct{ ca, cert, key []byte }

func newSecrets(t *testing.T) *secrets {
	authority := testpki.New(t)
	cert, key := authority.Client(t, "client")
	return &secrets{ca: authority.PEM, cert: cert, key: key}
}

// golden is a case, ready to run.
type golden struct {
	t       *testing.T
	dir     string
	env     map[string]string
	options Options
	pki     *secrets
}

func parseGolden(t *testing.T, archive *txtar.Archive, pki *secrets) *golden {
	g := &golden{t: t, dir: t.TempDir(), env: make(map[string]string), pki: pki}
	for _, f := range archive.Files {
		if f.Name != "want" {
			g.write(f.Name, []byte(g.expand(string(f.Data))))
		}
	}
	files := []string{filepath.Join(g.dir, "config")}
	for line := range strings.Lines(string(archive.Comment)) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		rest = strings.TrimSpace(g.expand(rest))
		switch verb {
		case "env":
			name, value, _ := strings.Cut(rest, "=")
			g.env[name] = strings.ReplaceAll(value, "<space>", " ")
		case "flag":
			g.setFlag(rest)
		case "encode":
			g.encode(rest)
		case "dir":
			require.NoError(t, os.Mkdir(filepath.Join(g.dir, rest), 0o755))
		case "", "#", "line":
		default:
			if !strings.HasPrefix(verb, "#") {
				t.Fatalf("unknown directive %q", verb)
			}
		}
	}
	if _, set := g.env["KUBECONFIG"]; !set && g.options.Path == "" && exists(files[0]) {
		g.env["KUBECONFIG"] = files[0]
	}
	return g
}

func (g *golden) write(name string, content []byte) {
	path := filepath.Join(g.dir, name)
	require.NoError(g.t, os.MkdirAll(filepath.Dir(path), 0o755))
	mode := os.FileMode(0o644)
	if bytes.HasPrefix(content, []byte("#!")) {
		mode = 0o755
	}
	require.NoError(g.t, os.WriteFile(path, content, mode))
}

var generated = regexp.MustCompile(`\$\{(\w+)(\.b64)?\}`)

// expand puts in what is made for each run: ${ca} and the like are PEM,
// ${ca.b64} is base64 of it, $DIR is where the files are.
func (g *golden) expand(text string) string {
	text = generated.ReplaceAllStringFunc(text, func(match string) string {
		m := generated.FindStringSubmatch(match)
		content, known := map[string][]byte{"ca": g.pki.ca, "cert": g.pki.cert, "key": g.pki.key}[m[1]]
		require.True(g.t, known, match)
		if m[2] != "" {
			return base64.StdEncoding.EncodeToString(content)
		}
		return string(content)
	})
	return strings.ReplaceAll(text, "$DIR", g.dir)
}

func (g *golden) setFlag(text string) {
	name, value, _ := strings.Cut(text, "=")
	o := &g.options
	fields := map[string]*string{
		"kubeconfig": &o.Path, "context": &o.Context, "cluster": &o.Cluster, "user": &o.User, "namespace": &o.Namespace,
		"server": &o.Server, "token": &o.Token, "as": &o.As, "as-uid": &o.AsUID, "tls-server-name": &o.TLSServerName,
		"certificate-authority": &o.CertificateAuthority, "client-certificate": &o.ClientCertificate, "client-key": &o.ClientKey,
	}
	switch field := fields[name]; {
	case field != nil:
		*field = value
	case name == "insecure-skip-tls-verify":
		o.InsecureSkipTLSVerify = true
	case name == "as-group":
		o.AsGroups = append(o.AsGroups, value)
	default:
		g.t.Fatalf("unknown flag %q", name)
	}
}

// encode rewrites a file in a form that a case file cannot hold.
func (g *golden) encode(text string) {
	name, how, _ := strings.Cut(text, " ")
	path := filepath.Join(g.dir, name)
	content, err := os.ReadFile(path)
	require.NoError(g.t, err)
	for step := range strings.FieldsSeq(how) {
		switch step {
		case "utf-8-bom":
			content = append([]byte("\xef\xbb\xbf"), content...)
		case "utf-16le":
			units := utf16.Encode([]rune("\ufeff" + string(content)))
			content, err = binary.Append(nil, binary.LittleEndian, units)
			require.NoError(g.t, err)
		case "crlf":
			content = bytes.ReplaceAll(content, []byte("\n"), []byte("\r\n"))
		case "empty":
			content = nil
		case "tab":
			content = bytes.ReplaceAll(content, []byte("<TAB>"), []byte("\t"))
		case "nul":
			content = bytes.ReplaceAll(content, []byte("<NUL>"), []byte{0})
		case "bad-utf-8":
			content = bytes.ReplaceAll(content, []byte("<BAD>"), []byte{0xc3, 0x28})
		case "base64":
			content = []byte(base64.StdEncoding.EncodeToString(content))
		default:
			g.t.Fatalf("unknown encoding %q", step)
		}
	}
	require.NoError(g.t, os.WriteFile(path, content, 0o644))
}

// run loads the configuration and writes down what came of it.
func (g *golden) run() string {
	l := &loader{env: func(name string) string { return g.env[name] }, accountDir: filepath.Join(g.dir, "pod")}
	p, err := l.plan(g.options)
	if err == nil {
		// The client is made too: that is where certificates are read.
		_, err = l.load(g.options)
	}
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	} else {
		g.describe(&b, p)
	}
	return strings.ReplaceAll(b.String(), g.dir, "$DIR")
}

// describe writes what is not the default, a line each.
func (g *golden) describe(b *strings.Builder, p *plan) {
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "%s: %s\n", name, value)
		}
	}
	c, tr := p.config, p.transport
	line("server", c.Server.String())
	line("context", c.Context)
	line("cluster", c.Cluster)
	line("user", c.User)
	if c.Namespace != "default" {
		line("namespace", c.Namespace)
	}
	line("credentials", c.Credentials)
	if tr.Credential != nil && p.user.exec == nil {
		proof, err := tr.Credential.Proof(context.Background())
		require.NoError(g.t, err)
		line("authorization", proof.Authorization)
	}
	if p.user.exec != nil {
		e := p.user.exec.config
		line("exec", fmt.Sprintf("%s %q %q %s", e.Command, e.Args, e.Env, e.InteractiveMode))
	}
	i := p.user.impersonate
	line("as", i.User)
	line("as-uid", i.UID)
	line("as-groups", strings.Join(i.Groups, ", "))
	for _, key := range slices.Sorted(maps.Keys(i.Extra)) {
		line("as-user-extra "+key, strings.Join(i.Extra[key], ", "))
	}
	line("ca", g.source(tr.TLS.CA))
	if tr.Credential != nil {
		line("cert", g.source(p.user.cert))
		line("key", g.source(p.user.key))
	}
	line("tls-server-name", tr.TLS.ServerName)
	if tr.TLS.Insecure {
		line("insecure", "true")
	}
	proxy, err := tr.Proxy(&http.Request{URL: c.Server})
	require.NoError(g.t, err)
	if proxy != nil {
		line("proxy", proxy.String())
	}
	if tr.DisableCompression {
		line("disable-compression", "true")
	}
	for _, warning := range c.Warnings {
		line("warning", warning)
	}
}

func (g *golden) source(s transport.Source) string {
	for name, content := range map[string][]byte{"ca": g.pki.ca, "cert": g.pki.cert, "key": g.pki.key} {
		if len(s.Data) > 0 && bytes.Equal(bytes.TrimSpace(s.Data), bytes.TrimSpace(content)) {
			return "${" + name + "}"
		}
	}
	if len(s.Data) > 0 {
		return fmt.Sprintf("%d bytes", len(s.Data))
	}
	return s.File
}

// TestEveryLineHasACase holds the list of rules in lines.txt and the cases
// together, in both directions.
func TestEveryLineHasACase(t *testing.T) {
	covered := make(map[string]bool)
	for _, file := range goldenFiles(t) {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		found := false
		for line := range strings.Lines(string(archive.Comment)) {
			if ids, ok := strings.CutPrefix(line, "line: "); ok {
				for id := range strings.FieldsSeq(ids) {
					covered[id], found = true, true
				}
			}
		}
		require.True(t, found, "%s names no line", file)
	}
	tests := testFunctions(t)
	list, err := os.ReadFile(goldenDir + "/lines.txt")
	require.NoError(t, err)
	goTest := regexp.MustCompile(`\((Test\w+)\)$`)
	for line := range strings.Lines(string(list)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		id, _, _ := strings.Cut(line, " ")
		if m := goTest.FindStringSubmatch(line); m != nil {
			require.True(t, tests[m[1]], "line %s: there is no %s", id, m[1])
			covered[id] = true
		}
		require.True(t, covered[id], "no case covers line %s", line)
		delete(covered, id)
	}
	require.Empty(t, covered, "cases name lines that are not in lines.txt")
}

// testFunctions finds the names of all tests here and below.
func testFunctions(t *testing.T) map[string]bool {
	names := make(map[string]bool)
	declaration := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			content, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range declaration.FindAllSubmatch(content, -1) {
				names[string(m[1])] = true
			}
		}
	}
	return names
}
