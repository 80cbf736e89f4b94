// Package yamltext writes a tree as YAML: as kubectl does, but with the keys in
// the server's order and the numbers as the server wrote them.
//
// Whatever reads YAML, 1.1 or 1.2, must get back the strings that were there:
// one that could be taken for something else (yes, 1e3, 12:30:45, null, a date)
// is quoted.
package yamltext

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

// flowDepth is how deep blocks nest. What is deeper is written in one line, as
// JSON is: each level of a block indents every line in it, so that a few
// kilobytes of brackets would become gigabytes of spaces.
const flowDepth = 100

// Append appends n as one YAML document, without the line of dashes.
func Append(b []byte, n *tree.Node) ([]byte, error) {
	w := writer{b}
	encoder := yaml.NewEncoder(&w)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent() // lists stand under the colon, as kubectl writes them
	err := encoder.Encode(node(n, 0))
	if err == nil {
		err = encoder.Close()
	}
	return w.b, err
}

type writer struct{ b []byte }

func (w *writer) Write(p []byte) (int, error) {
	w.b = append(w.b, p...)
	return len(p), nil
}

func node(n *tree.Node, depth int) *yaml.Node {
	y := &yaml.Node{Kind: yaml.ScalarNode, Value: n.Text}
	if depth > flowDepth {
		y.Style = yaml.FlowStyle
	}
	switch n.Kind {
	case tree.Null:
		y.Value = "null"
	case tree.String:
		text(y)
	case tree.Array:
		y.Kind, y.Value = yaml.SequenceNode, ""
		y.Content = make([]*yaml.Node, len(n.Items))
		for i := range n.Items {
			y.Content[i] = node(&n.Items[i], depth+1)
		}
	case tree.Object:
		y.Kind, y.Value = yaml.MappingNode, ""
		y.Content = make([]*yaml.Node, 0, 2*len(n.Items))
		for i := range n.Items {
			key := &yaml.Node{Kind: yaml.ScalarNode, Value: n.Keys[i]}
			text(key)
			y.Content = append(y.Content, key, node(&n.Items[i], depth+1))
		}
	}
	return y
}

// text makes y a string, quoted if it must be.
func text(y *yaml.Node) {
	if !utf8.ValidString(y.Value) {
		return // without a tag it becomes !!binary, which keeps every byte
	}
	y.Tag = "!!str" // quoted by the library if it reads as something else to it
	switch {
	case strings.Contains(y.Value, "\n"):
		y.Style = yaml.LiteralStyle
		if !fitsBlock(y.Value) {
			y.Style = yaml.DoubleQuotedStyle
		}
	case misread(y.Value):
		y.Style = yaml.DoubleQuotedStyle
	}
}

// fitsBlock reports whether a text is as easy to read in lines as it is safe:
// spaces at the end of a line cannot be seen, and those before the first line
// need an indicator that not every reader knows.
func fitsBlock(s string) bool {
	if s[0] == ' ' || s[0] == '\n' || s[0] == '\t' {
		return false
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasSuffix(line, " ") || strings.HasSuffix(line, "\t") {
			return false
		}
		for _, r := range line {
			if r < ' ' && r != '\t' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xfeff {
				return false
			}
		}
	}
	return true
}

// misread reports whether readers of YAML 1.1, which is what most are, take an
// unquoted s for something that the library's own reader does not: booleans
// like yes, numbers to the base of 60, the value key.
func misread(s string) bool {
	switch strings.ToLower(s) {
	case "y", "yes", "on", "n", "no", "off", "true", "false", "null", "~", "=":
		return true
	}
	if s == "" || strings.IndexByte("+-.0123456789", s[0]) < 0 {
		return false
	}
	// A number in any notation, or what looks like one. (An address like
	// 10.0.0.1 or 10.0.0.0/8 has two dots, and nobody takes it for one.)
	return strings.Trim(s, "+-.0123456789_:xXoOabcdefABCDEF") == "" &&
		strings.Count(s, ".") < 2 && (strings.Contains(s, ":") || !strings.ContainsAny(s[1:], "-"))
}
