package kubeconfig

import (
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// FuzzLoad: whatever two files hold, loading them ends with a client or with
// an error of one line, does not panic, and gives the same twice. Files named
// in them are looked for, so what they name is kept harmless.
func FuzzLoad(f *testing.F) {
	entries, err := os.ReadDir(goldenDir)
	require.NoError(f, err)
	for _, dir := range entries {
		if !dir.IsDir() {
			continue
		}
		cases, err := os.ReadDir(goldenDir + "/" + dir.Name())
		require.NoError(f, err)
		for _, c := range cases {
			archive, err := txtar.ParseFile(goldenDir + "/" + dir.Name() + "/" + c.Name())
			require.NoError(f, err)
			var texts [2]string
			for i, file := range archive.Files {
				if i < 2 && file.Name != "want" {
					texts[i] = string(file.Data)
				}
			}
			f.Add(texts[0], texts[1])
		}
	}
	f.Add("a: &a {<<: *a}\nclusters: [*a]", "x: &x [*x]\nusers: *x\ncontexts: *x")
	f.Fuzz(func(t *testing.T, first, second string) {
		// A path is fine, a device that never ends is not.
		if strings.Contains(first+second, "/") && strings.Contains(first+second, "dev") || strings.Contains(first+second, "proc") {
			return
		}
		texts := map[string]string{"/nowhere/a": first, "/nowhere/b": second}
		l := &loader{
			env:        func(name string) string { return map[string]string{"KUBECONFIG": "/nowhere/a:/nowhere/b"}[name] },
			read:       func(path string) ([]byte, error) { return []byte(texts[path]), nil },
			accountDir: "/nowhere",
		}
		report := new(report)
		documents, _ := l.readAll([]string{"/nowhere/a", "/nowhere/b"}, "KUBECONFIG", report)
		catalog := merge(documents, report)
		check := func(o Options) {
			config, err := l.load(o)
			again, err2 := l.load(o)
			if err != nil {
				require.EqualError(t, err2, err.Error())
				require.NotContains(t, err.Error(), "\n")
				return
			}
			require.NoError(t, err2)
			require.Equal(t, config.Server, again.Server)
			require.Equal(t, config.Warnings, again.Warnings)
			require.NotEmpty(t, config.Namespace)
			require.NotEmpty(t, config.Credentials)
			require.NotEmpty(t, config.Server.Host)
			require.Nil(t, config.Server.User)
			for _, warning := range config.Warnings {
				require.NotContains(t, warning, "\n")
			}
		}
		check(Options{})
		check(Options{Token: "t", Namespace: "n"})
		for _, name := range limit(catalog.contexts.names()) {
			check(Options{Context: name})
		}
		for _, name := range limit(catalog.clusters.names()) {
			check(Options{Cluster: name})
		}
		for _, name := range limit(catalog.users.names()) {
			check(Options{User: name, Server: "https://h"})
		}
	})
}

func limit(names []string) []string { return names[:min(len(names), 4)] }
