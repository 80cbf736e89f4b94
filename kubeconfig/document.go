package kubeconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// document is one file, parsed into nodes. Nothing in it is decoded yet but
// what says that it is a kubeconfig file.
type document struct {
	file string
	top  section
}

// parseDocument parses a file, and returns nil if it holds nothing or cannot
// be used; the latter is reported.
//
// The dialect is that of kubectl: one YAML parser for JSON files too, only the
// first document, keys are case-sensitive, of keys given twice the last one
// counts. It is parsed into nodes, not into structs, because the structs'
// decoder refuses what kubectl accepts (keys given twice), and reports a
// wrong type with the value in it, which may be a token.
func parseDocument(file string, content []byte, report *report) *document {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		e := loadError(file, errors.New(withoutContent(err.Error())))
		e.Hint = syntaxHint(content, err)
		report.fail(e)
		return nil
	}
	// The rest is read only to be warned of, so it need not even be YAML. A
	// marker at the end with nothing behind it is no second document.
	if err := decoder.Decode(&second); err != io.EOF && (err != nil || !isNull(rootOf(&second))) {
		report.warn("%s: only the first document of the file is used", file)
	}

	root := rootOf(&first)
	if isNull(root) {
		return nil
	}
	if root.Kind != yaml.MappingNode {
		e := loadError(file, fmt.Errorf("couldn't get version/kind: the top level is of type %s, not object", kindOf(root)))
		e.Hint = syntaxHint(content, e)
		report.fail(e)
		return nil
	}
	// Both may be missing, as in files that were written by hand. What is
	// there has to be right: this may be the manifest of something else.
	top := newSection(file, "", root, report, topKeys)
	version, kind := top.str("apiVersion"), top.str("kind")
	if (version != "" && version != "v1") || (kind != "" && kind != "Config") {
		if version == "" {
			version = "v1"
		}
		if kind == "" {
			kind = "Config"
		}
		report.fail(loadError(file, fmt.Errorf("no kind %q is registered for version %q: a kubeconfig file has kind Config and apiVersion v1", kind, version)))
		return nil
	}
	return &document{file: file, top: top}
}

// rootOf returns what a document node holds, nil for nothing.
func rootOf(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.DocumentNode && len(n.Content) > 0 {
		return resolve(n.Content[0])
	}
	return nil
}

// quoted finds what the YAML parser quotes from the file: the name of an anchor
// and, in backquotes, a value that does not fit its tag. All else that it
// quotes is its own, such as ':' or '<document start>'.
var quoted = regexp.MustCompile("anchor '.*'|`.*`")

// withoutContent removes from a parser's message what it quotes of the file.
// The offending piece may well be a token: "token: *abc" is an alias.
func withoutContent(message string) string {
	message = strings.Join(strings.Fields(message), " ")
	return quoted.ReplaceAllStringFunc(message, func(match string) string {
		if match[0] == '`' {
			return "value"
		}
		return "anchor"
	})
}

// syntaxHint guesses what a file is that is not YAML. The messages of the
// parser are right, and of no help to somebody whose pipeline has decoded a
// secret once too often.
func syntaxHint(content []byte, err error) string {
	text := err.Error()
	switch {
	case encodedConfig(string(bytes.TrimSpace(content))):
		return "the file looks like base64: decode it first"
	case strings.Contains(text, "control characters") || strings.Contains(text, "UTF-8"):
		return "the file is not text: was it decoded from base64 in the right way?"
	case strings.Contains(text, "incompatible YAML document"):
		return "remove the %YAML line"
	case strings.Contains(text, "cannot start any token") && bytes.Contains(content, []byte("\t")):
		return "indent with spaces, not with tabs"
	}
	return ""
}
