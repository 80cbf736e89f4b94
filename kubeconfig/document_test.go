package kubeconfig

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

// TestBase64IgnoresWhiteSpace writes the same data in every way that YAML has
// for a long string.
func TestBase64IgnoresWhiteSpace(t *testing.T) {
	ca := testpki.New(t)
	line := base64.StdEncoding.EncodeToString(ca.PEM)
	wrapped := func(indent string) string {
		var b strings.Builder
		for rest := line; rest != ""; {
			n := min(64, len(rest))
			b.WriteString(indent + rest[:n] + "\n")
			rest = rest[n:]
		}
		return b.String()
	}
	twice := base64.StdEncoding.EncodeToString([]byte(line))
	for name, value := range map[string]string{
		"one line":       line,
		"quoted":         `"` + line + `"`,
		"literal block":  "|\n" + wrapped("      "),
		"literal, strip": "|-\n" + wrapped("      "),
		"folded block":   ">\n" + wrapped("      "),
		"plain, wrapped": "\n" + wrapped("      "),
		"quoted \\n":     `"` + line[:40] + `\n` + line[40:] + `\n"`,
		"quoted \\r\\n":  `"` + line[:40] + `\r\n` + line[40:] + `\r\n"`,
		"spaces inside":  `"` + line[:40] + ` ` + line[40:] + `"`,
		"space before":   `" ` + line + `"`,
		"tabs":           `"\t` + line[:8] + `\t` + line[8:] + `"`,
		"binary, twice":  "!!binary |\n      " + twice,
	} {
		t.Run(name, func(t *testing.T) {
			text := "clusters:\n- name: k\n  cluster:\n    server: https://h\n    certificate-authority-data: " + value + "\n"
			for _, newline := range []string{"\n", "\r\n"} {
				report := new(report)
				d := parseDocument("f", []byte(strings.ReplaceAll(text, "\n", newline)), report)
				require.NotNil(t, d, "%v", report.errs)
				catalog := merge([]*document{d}, report)
				cluster := decodeCluster(catalog.clusters["k"], report)
				require.Empty(t, report.errs)
				assert.True(t, bytes.Equal(ca.PEM, cluster.tls.CA.Data))
			}
		})
	}
}

// TestAliasBombIsHarmless: nine levels of nine aliases are 387 million values,
// if they are written out. They are in places that are read: as a list of
// strings, as keys that are merged, and as configuration for a plugin.
func TestAliasBombIsHarmless(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\nm0: &m0 {k: v}\n")
	for i := 1; i < 9; i++ {
		refs := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", ")
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, refs)
		maps := strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*m%d, ", i-1), 9), ", ")
		fmt.Fprintf(&bomb, "m%d: &m%d {<<: [%s]}\n", i, i, maps)
	}
	exec := "{exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, provideClusterInfo: true, args: %s}}"
	extension := "{server: 'https://h', extensions: [{name: client.authentication.k8s.io/exec, extension: %s}]}"
	for name, tc := range map[string]struct{ cluster, user, want string }{
		"list of strings":     {fmt.Sprintf(extension, "1"), fmt.Sprintf(exec, "*a8"), "exec.args: cannot unmarshal array into a string"},
		"plugin's list":       {fmt.Sprintf(extension, "*a8"), fmt.Sprintf(exec, "[]"), "too large"},
		"plugin's mapping":    {fmt.Sprintf(extension, "*m8"), fmt.Sprintf(exec, "[]"), "too large"},
		"contains itself":     {fmt.Sprintf(extension, "&me [*me]"), fmt.Sprintf(exec, "[]"), "contains itself"},
		"merges itself":       {fmt.Sprintf(extension, "&me {<<: *me}"), fmt.Sprintf(exec, "[]"), "contains itself"},
		"missing key, merged": {"{<<: *m8}", "{}", "no server found"},
		"cluster, itself":     {"&me {<<: *me}", "{}", "no server found"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadText(t, t.TempDir(), bomb.String()+file(tc.cluster, tc.user), Options{})
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestHugeFileIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(maxFile+1))
	require.NoError(t, f.Close())
	_, err = Load(Options{Path: path})
	require.ErrorContains(t, err, "larger than 16 MiB")
	assert.ErrorContains(t, err, "error loading config file")
}

func TestHomeOnWindows(t *testing.T) {
	for name, tc := range map[string]struct {
		env    string
		exists string
		want   string
	}{
		"HOME has it":        {`HOME=C:\h HOMEDRIVE=D: HOMEPATH=\p USERPROFILE=E:\u`, `C:\h\.kube\config D:\p\.kube\config`, `C:\h`},
		"drive has it":       {`HOME=C:\h HOMEDRIVE=D: HOMEPATH=\p USERPROFILE=E:\u`, `C:\h D:\p\.kube\config`, `D:\p`},
		"profile has it":     {`HOME=C:\h HOMEDRIVE=D: HOMEPATH=\p USERPROFILE=E:\u`, `E:\u\.kube\config`, `E:\u`},
		"none has it":        {`HOME=C:\h HOMEDRIVE=D: HOMEPATH=\p USERPROFILE=E:\u`, `D:\p E:\u`, `E:\u`},
		"drive without path": {`HOMEDRIVE=D:`, ``, ``},
		"nothing":            {``, ``, ``},
	} {
		t.Run(name, func(t *testing.T) {
			env := make(map[string]string)
			for pair := range strings.FieldsSeq(tc.env) {
				k, v, _ := strings.Cut(pair, "=")
				env[k] = v
			}
			exists := func(path string) bool {
				for p := range strings.FieldsSeq(tc.exists) {
					if p == path {
						return true
					}
				}
				return false
			}
			assert.Equal(t, tc.want, homeDir("windows", func(k string) string { return env[k] }, exists))
		})
	}
	assert.Equal(t, "/root-of-it", homeDir("linux", func(k string) string { return map[string]string{"HOME": "/root-of-it"}[k] }, nil))
}

func TestParseTimeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "30": 30 * time.Second, "1m30s": 90 * time.Second, "500ms": 500 * time.Millisecond} {
		got, err := ParseTimeout(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "x", "-1", "-1s", "1.5", "99999999999999"} {
		_, err := ParseTimeout(text)
		assert.Error(t, err, text)
	}
}

func TestLongListsOfNamesAreCut(t *testing.T) {
	var text strings.Builder
	text.WriteString("contexts:\n")
	for i := range 100 {
		fmt.Fprintf(&text, "- name: c%02d\n", i)
	}
	_, err := loadText(t, t.TempDir(), text.String(), Options{Context: "x"})
	require.ErrorContains(t, err, `"c18", "c19", and 80 more`)
	assert.NotContains(t, err.Error(), "c20")
}

func TestErrorsAreFoundByTheirTypes(t *testing.T) {
	_, err := loadText(t, t.TempDir(), "", Options{})
	require.ErrorIs(t, err, ErrNoConfiguration)

	_, err = loadText(t, t.TempDir(), file("{server: 5}", "{token: 6}"), Options{})
	var e *Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, `cluster "k"`, e.Entry)
	assert.Equal(t, "server", e.Field)
	assert.Equal(t, 2, e.Line)
	assert.ErrorContains(t, err, `user "u": token`)

	_, err = loadText(t, t.TempDir(), file("{server: 'https://h', certificate-authority: gone}", "{}"), Options{})
	require.ErrorIs(t, err, os.ErrNotExist)

	_, err = loadText(t, t.TempDir(), "current-context: \"a\\nb\\e[31mc\"", Options{})
	require.ErrorContains(t, err, `specified context: a\nb\x1b[31mc`, "what would break the line or steer the terminal is escaped")

	_, err = loadText(t, t.TempDir(), "{", Options{})
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "config", filepath.Base(e.File))
	assert.ErrorContains(t, err, fmt.Sprintf("error loading config file %q: yaml: ", e.File))
}
