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

// lookup finds a key in a mapping: its own keys first, the last one if there
// are several, then those of merged mappings, the first one that has it.
//
// seen holds the merged mappings that have been searched. Ten lines of merges
// can name one mapping a billion times, or a mapping itself.
func lookup(mapping *yaml.Node, key string, seen map[*yaml.Node]bool) *yaml.Node {
	for i := len(mapping.Content) - 2; i >= 0; i -= 2 {
		if k := resolve(mapping.Content[i]); k.Kind == yaml.ScalarNode && k.Value == key && !isMerge(k) {
			return resolve(mapping.Content[i+1])
		}
	}
	for _, m := range merged(mapping) {
		if seen[m] {
			continue
		}
		if seen == nil {
			seen = make(map[*yaml.Node]bool)
		}
		seen[m] = true
		if found := lookup(m, key, seen); found != nil {
			return found
		}
	}
	return nil
}

// merged returns the mappings that a mapping's merge keys name.
func merged(mapping *yaml.Node) []*yaml.Node {
	var mappings []*yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if !isMerge(mapping.Content[i]) {
			continue
		}
		values := []*yaml.Node{resolve(mapping.Content[i+1])}
		if values[0].Kind == yaml.SequenceNode {
			values = values[0].Content
		}
		for _, value := range values {
			if value = resolve(value); value.Kind == yaml.MappingNode {
				mappings = append(mappings, value)
			}
		}
	}
	return mappings
}

// str reads a string. Numbers and booleans are refused, as kubectl does: what
// was meant by 012345 or yes is known to whoever wrote it only.
func (s section) str(key string) string {
	return s.text(key, s.get(key))
}

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
// reads.
func (s section) flag(key string) bool {
	n := s.get(key)
	if n == nil {
		return false
	}
	if n.Kind == yaml.ScalarNode && n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
		switch strings.ToLower(n.Value) {
		case "true", "yes", "on":
			return true
		case "false", "no", "off":
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

// sub starts reading the mapping at key.
func (s section) sub(key string, known []string) section {
	sub := s
	if s.entry != "" {
		sub.path += key + "."
	}
	return sub.open(s.get(key), known)
}

// data reads base64.
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

func (s section) fail(field string, n *yaml.Node, err error, hint string) {
	field = strings.TrimSuffix(s.path+field, ".")
	e := &Error{File: s.file, Entry: s.entry, Field: field, Err: err, Hint: hint}
	if n != nil {
		e.Line = n.Line
	}
	s.report.fail(e)
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || (n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null")
}

func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && (key.Tag == "" || key.Tag == "!" || key.ShortTag() == "!!merge")
}

// yaml11Bool reports a plain yes, no, on or off. The YAML library reads them as
// strings unless a boolean is asked for; kubectl's takes them for booleans
// everywhere.
func yaml11Bool(n *yaml.Node) bool {
	if n.Style != 0 {
		return false
	}
	switch n.Value {
	case "yes", "Yes", "YES", "on", "On", "ON", "no", "No", "NO", "off", "Off", "OFF":
		return true
	}
	return false
}

// kindOf names a node's type in the words of kubectl's messages. It never
// quotes the value.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "object"
	case yaml.SequenceNode:
		return "array"
	}
	switch n.ShortTag() {
	case "!!int", "!!float":
		return "number"
	case "!!bool":
		return "bool"
	case "!!str":
		if yaml11Bool(n) {
			return "bool"
		}
	case "!!null":
		return "null"
	}
	return "string"
}
