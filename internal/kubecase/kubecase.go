// Package kubecase reads the cases of testdata/kubeconfig for tests: those of
// package kubeconfig, those that compare it with client-go, and those that
// look for secrets. How a case is written is in the README beside the cases.
//
// It knows nothing of what loads a configuration, so that each test can set
// its own loader on the same files.
package kubecase

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/txtar"

	"example.com/rawwatch/internal/testpki"
)

// A Case is a case whose files are in a folder, ready to be loaded.
type Case struct {
	Name  string            // "3-parsing/crlf"
	Dir   string            // where its files are
	Env   map[string]string // the whole environment
	Flags []Flag
	Lines []string // the rules that it holds
	Want  string   // what comes of it; see the README

	t       testing.TB
	path    string
	archive *txtar.Archive
	secrets *Secrets
}

// A Flag is one of kubectl's, such as context=c.
type Flag struct{ Name, Value string }

// Secrets are what is made for each run, all PEM.
type Secrets struct{ CA, Cert, Key []byte }

// NewSecrets makes an authority, and a client certificate by it.
func NewSecrets(t testing.TB) *Secrets {
	t.Helper()
	authority := testpki.New(t)
	cert, key := authority.Client(t, "client")
	return &Secrets{CA: authority.PEM, Cert: cert, Key: key}
}

// Files are the paths of all cases below root, the folder testdata/kubeconfig.
func Files(t testing.TB, root string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "*", "*.txtar"))
	check(t, err)
	if len(files) == 0 {
		t.Fatalf("there are no cases in %s", root)
	}
	return files
}

// NameOf is the name of the case in a file: its folder, and its own.
func NameOf(path string) string {
	return filepath.Base(filepath.Dir(path)) + "/" + strings.TrimSuffix(filepath.Base(path), ".txtar")
}

// Read reads the case at path, and writes its files into a new folder.
func Read(t testing.TB, path string, secrets *Secrets) *Case {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	check(t, err)
	c := &Case{Name: NameOf(path), Dir: t.TempDir(), Env: make(map[string]string), t: t, path: path, archive: archive, secrets: secrets}
	for _, f := range archive.Files {
		if f.Name == "want" {
			c.Want = string(f.Data)
			continue
		}
		c.write(f.Name, []byte(c.expand(string(f.Data))))
	}
	for line := range strings.Lines(string(archive.Comment)) {
		c.directive(strings.TrimSpace(line))
	}
	config := filepath.Join(c.Dir, "config")
	if _, set := c.Env["KUBECONFIG"]; !set && c.Flag("kubeconfig") == "" {
		if _, err := os.Stat(config); err == nil {
			c.Env["KUBECONFIG"] = config
		}
	}
	return c
}

func (c *Case) directive(line string) {
	c.t.Helper()
	verb, rest, _ := strings.Cut(line, ": ")
	rest = strings.TrimSpace(c.expand(rest))
	switch {
	case line == "" || line[0] == '#':
	case verb == "line":
		c.Lines = append(c.Lines, strings.Fields(rest)...)
	case verb == "env":
		name, value, _ := strings.Cut(rest, "=")
		c.Env[name] = strings.ReplaceAll(value, "<space>", " ")
	case verb == "flag":
		name, value, _ := strings.Cut(rest, "=")
		c.Flags = append(c.Flags, Flag{name, value})
	case verb == "encode":
		c.encode(rest)
	case verb == "dir":
		check(c.t, os.Mkdir(filepath.Join(c.Dir, rest), 0o755))
	default:
		c.t.Fatalf("%s: unknown directive %q", c.path, verb)
	}
}

// Flag is the value of a flag, "" if it is not given.
func (c *Case) Flag(name string) string {
	for _, f := range c.Flags {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}

// Update writes what came of the case into its file.
func (c *Case) Update(want string) {
	c.t.Helper()
	c.Want = want
	for i, f := range c.archive.Files {
		if f.Name == "want" {
			c.archive.Files[i].Data = []byte(want)
			check(c.t, os.WriteFile(c.path, txtar.Format(c.archive), 0o644))
			return
		}
	}
	c.t.Fatalf("%s has no file named want; the case gives:\n%s", c.path, want)
}

// Show writes text as a case's want has it: without the folder, and with names
// in place of what was made for this run.
func (c *Case) Show(text string) string { return strings.ReplaceAll(text, c.Dir, "$DIR") }

// ShowPEM is content as a want has it: its name, or its size.
func (c *Case) ShowPEM(content []byte) string {
	for name, known := range c.secrets.named() {
		if bytes.Equal(bytes.TrimSpace(content), bytes.TrimSpace(known)) {
			return "${" + name + "}"
		}
	}
	return ""
}

func (s *Secrets) named() map[string][]byte {
	return map[string][]byte{"ca": s.CA, "cert": s.Cert, "key": s.Key}
}

func (c *Case) write(name string, content []byte) {
	c.t.Helper()
	path := filepath.Join(c.Dir, name)
	check(c.t, os.MkdirAll(filepath.Dir(path), 0o755))
	mode := os.FileMode(0o644)
	if bytes.HasPrefix(content, []byte("#!")) {
		mode = 0o755
	}
	check(c.t, os.WriteFile(path, content, mode))
}

var generated = regexp.MustCompile(`\$\{(\w+)(\.b64)?\}`)

// expand puts in what is made for each run: ${ca} and the like are PEM,
// ${ca.b64} is base64 of it, $DIR is where the files are.
func (c *Case) expand(text string) string {
	text = generated.ReplaceAllStringFunc(text, func(match string) string {
		m := generated.FindStringSubmatch(match)
		content, known := c.secrets.named()[m[1]]
		if !known {
			c.t.Fatalf("%s: %s is not known", c.path, match)
		}
		if m[2] != "" {
			return base64.StdEncoding.EncodeToString(content)
		}
		return string(content)
	})
	return strings.ReplaceAll(text, "$DIR", c.Dir)
}

// encode rewrites a file in a form that a case file cannot hold.
func (c *Case) encode(text string) {
	c.t.Helper()
	name, how, _ := strings.Cut(text, " ")
	path := filepath.Join(c.Dir, name)
	content, err := os.ReadFile(path)
	check(c.t, err)
	for step := range strings.FieldsSeq(how) {
		switch step {
		case "utf-8-bom":
			content = append([]byte("\xef\xbb\xbf"), content...)
		case "utf-16le":
			content, err = binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune("\ufeff"+string(content))))
			check(c.t, err)
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
			c.t.Fatalf("%s: unknown encoding %q", c.path, step)
		}
	}
	check(c.t, os.WriteFile(path, content, 0o644))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
