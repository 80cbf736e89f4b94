package kubeconfig

import (
	"cmp"
	"context"
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

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/kubecase"
	"example.com/rawwatch/kubeconfig/transport"
)

var update = flag.Bool("update", false, "write what the golden cases give now into their files")

const goldenDir = "../testdata/kubeconfig"

// TestGolden runs the cases of testdata/kubeconfig. Its README says how a case
// is written.
func TestGolden(t *testing.T) {
	secrets := kubecase.NewSecrets(t)
	for _, file := range kubecase.Files(t, goldenDir) {
		t.Run(kubecase.NameOf(file), func(t *testing.T) {
			g := readGolden(t, file, secrets)
			got := g.run()
			if *update {
				g.Update(got)
			}
			require.Equal(t, g.Want, got)
		})
	}
}

// golden is a case, and the options that its flags are.
type golden struct {
	*kubecase.Case
	t       *testing.T
	options Options
}

func readGolden(t *testing.T, file string, secrets *kubecase.Secrets) *golden {
	g := &golden{Case: kubecase.Read(t, file, secrets), t: t}
	o := &g.options
	fields := map[string]*string{
		"kubeconfig": &o.Path, "context": &o.Context, "cluster": &o.Cluster, "user": &o.User, "namespace": &o.Namespace,
		"server": &o.Server, "token": &o.Token, "as": &o.As, "as-uid": &o.AsUID, "tls-server-name": &o.TLSServerName,
		"certificate-authority": &o.CertificateAuthority, "client-certificate": &o.ClientCertificate, "client-key": &o.ClientKey,
	}
	for _, flag := range g.Flags {
		switch field := fields[flag.Name]; {
		case field != nil:
			*field = flag.Value
		case flag.Name == "insecure-skip-tls-verify":
			o.InsecureSkipTLSVerify = true
		case flag.Name == "as-group":
			o.AsGroups = append(o.AsGroups, flag.Value)
		case flag.Name == "no-exec":
			o.NoExec = true
		default:
			t.Fatalf("unknown flag %q", flag.Name)
		}
	}
	return g
}

// loader is one that finds the case's environment.
func (g *golden) loader() *loader {
	return &loader{env: func(name string) string { return g.Env[name] }, accountDir: filepath.Join(g.Dir, "pod")}
}

// run loads the configuration and writes down what came of it.
func (g *golden) run() string {
	l := g.loader()
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
	return g.Show(b.String())
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
	if p.user.exec != nil && tr.Credential != nil { // over plain http it is not run
		e := p.user.exec.config
		env := make([]struct{ name, value string }, 0, len(e.Env))
		for _, v := range e.Env { // they do not print themselves
			env = append(env, struct{ name, value string }{v.Name, v.Value})
		}
		line("exec", fmt.Sprintf("%s %q %q %s", e.Command, e.Args, env, cmp.Or(e.InteractiveMode, "IfAvailable")))
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
	switch {
	case len(s.Data) == 0:
		return s.File
	case g.ShowPEM(s.Data) != "":
		return g.ShowPEM(s.Data)
	}
	return fmt.Sprintf("%d bytes", len(s.Data))
}

// TestEveryLineHasACase holds the list of rules in lines.txt and the cases
// together, in both directions.
func TestEveryLineHasACase(t *testing.T) {
	covered := make(map[string]bool)
	secrets := kubecase.NewSecrets(t)
	for _, file := range kubecase.Files(t, goldenDir) {
		c := kubecase.Read(t, file, secrets)
		require.NotEmpty(t, c.Lines, "%s names no line", file)
		for _, id := range c.Lines {
			covered[id] = true
		}
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
