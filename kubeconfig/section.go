package kubeconfig

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// A section is a mapping that is being read. Its getters report what is wrong
// and return zero, so that a caller reads all fields first and asks the report
// once; null and absent are the same to all of them.
//
// This is in place of decoding into structs with tags, for three reasons. The
// library's own decoder puts the offending value into its errors, and that may
// be a token; it refuses keys given twice, which kubectl accepts; and it would
// decode the lists whole, so that one entry could fail them all.
type section struct {
	file, entry string
	path        string     // of keys inside the entry, "" or with a dot at its end: "exec."
	node        *yaml.Node // a mapping, or nil for an absent or null one
	report      *report
}

// newSection starts reading node, which is reported if it is no mapping. known
// are the keys that have a meaning: others are ignored as kubectl does, but
// one that differs from a known key in case and dashes only is warned of. A
// nil known means that keys are not checked.
func newSection(file, entry string, node *yaml.Node, report *report, known []string) section {
	return section{file: file, entry: entry, report: report}.open(node, known)
}

// open returns the section with node in it.
func (s section) open(node *yaml.Node, known []string) section {
	s.node = nil
	node = resolve(node)
	if isNull(node) {
		return s
	}
	if node.Kind != yaml.MappingNode {
		s.fail("", node, fmt.Errorf("cannot unmarshal %s into an object", kindOf(node)), "")
		return s
	}
	s.node = node
	s.checkKeys(known)
	return s
}

// checkKeys warns of keys given twice and of misspelt ones.
func (s section) checkKeys(known []string) {
	place := s.file
	if s.entry != "" {
		place += ": " + s.entry
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(s.node.Content); i += 2 {
		key := resolve(s.node.Content[i])
		if key.Kind != yaml.ScalarNode || isMerge(key) {
			continue
		}
		if seen[key.Value] && slices.Contains(known, key.Value) {
			s.report.warn("%s: %s is given twice: the last one counts", place, key.Value)
		}
		seen[key.Value] = true
		if slices.Contains(known, key.Value) {
			continue
		}
		folded := foldKey(key.Value)
		for _, right := range known {
			if folded == foldKey(right) {
				s.report.warn("%s: unknown field %q is ignored: did you mean %q?", place, key.Value, right)
			}
		}
	}
}

// foldKey is what a key and its misspellings have in common. The format itself
// mixes styles: tokenFile stands beside client-key.
func foldKey(key string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' {
			return -1
		}
		return unicode.ToLower(r)
	}, key)
}

// get returns the value of key, or nil for an absent or null one.
func (s section) get(key string) *yaml.Node {
	if s.node == nil {
		return nil
	}
	if n := lookup(s.node, key, nil); !isNull(n) {
		return n
	}
	return nil
}

// str reads a string. Numbers and booleans are refused, as kubectl does: what
// was meant by 012345 or yes is known only to whoever wrote it, and a file that
// works here should work there.
func (s section) str(key string) string {
	return s.text(key, s.get(key))
}

// text reads a node as a string. A date is one, although YAML has a type for
// dates: kubectl's parser gives it back as it was written.
func (s section) text(field string, n *yaml.Node) string {
	n = resolve(n)
	if isNull(n) {
		return ""
	}
	if n.Kind == yaml.ScalarNode {
		switch n.ShortTag() {
		case "!!str", "!!timestamp":
			if !yaml11Bool(n) {
				return n.Value
			}
		case "!!binary":
			decoded, err := decodeBase64(n.Value)
			if err != nil {
				s.fail(field, n, err, "the value is tagged !!binary")
			}
			return string(decoded)
		}
	}
	hint := ""
	if n.Kind == yaml.ScalarNode {
		hint = "quote it"
	}
	s.fail(field, n, fmt.Errorf("cannot unmarshal %s into a string", kindOf(n)), hint)
	return ""
}

// flag reads a boolean. yes and on are booleans in the YAML that kubectl
// reads; "true" in quotes is a string and refused. That matters: the flag that
// switches verification off must not depend on a guess.
func (s section) flag(key string) bool {
	n := s.get(key)
	if n == nil {
		return false
	}
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on", "y":
			return true
		case "false", "no", "off", "n":
			return false
		}
	}
	hint := ""
	if n.ShortTag() == "!!str" {
		hint = "write true or false, without quotes"
	}
	s.fail(key, n, fmt.Errorf("cannot unmarshal %s into a boolean", kindOf(n)), hint)
	return false
}

// strs reads a list of strings.
func (s section) strs(key string) []string {
	var values []string
	for _, item := range s.items(key) {
		values = append(values, s.text(key, item))
	}
	return values
}

// items returns the items of a list.
func (s section) items(key string) []*yaml.Node {
	n := s.get(key)
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		s.fail(key, n, fmt.Errorf("cannot unmarshal %s into a list", kindOf(n)), "")
		return nil
	}
	return n.Content
}

// sub starts reading the mapping at key. Messages about what is in it have the
// whole path, as in exec.env[0].value.
func (s section) sub(key string, known []string) section {
	sub := s
	if s.entry != "" {
		sub.path += key + "."
	}
	return sub.open(s.get(key), known)
}

// data reads base64, as all fields with a name in -data have it.
func (s section) data(key string) []byte {
	text := s.str(key)
	if text == "" {
		return nil
	}
	if strings.Contains(text, "-----BEGIN") {
		s.fail(key, s.get(key), errors.New("illegal base64 data at input byte 0: the value is PEM text"),
			"encode it with base64, or put it in a file and use "+strings.TrimSuffix(key, "-data"))
		return nil
	}
	decoded, err := decodeBase64(text)
	if err != nil {
		s.fail(key, s.get(key), err, "")
		return nil
	}
	return decoded
}

// fail reports a fault of a field, at the line of n if that is not nil.
func (s section) fail(field string, n *yaml.Node, err error, hint string) {
	field = strings.TrimSuffix(s.path+field, ".")
	e := &Error{File: s.file, Entry: s.entry, Field: field, Err: err, Hint: hint}
	if n != nil {
		e.Line = n.Line
	}
	s.report.fail(e)
}
