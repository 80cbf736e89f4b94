package kubeconfig

import "go.yaml.in/yaml/v3"

// What the YAML library gives us are nodes as they are written: aliases are
// not followed, merge keys not merged, keys given twice are both there, and
// plain scalars have the type that YAML 1.2 gives them. This file is about
// reading them as kubectl's parser, which is one of YAML 1.1, would.

// resolve follows an alias to what it stands for. Every node that comes out of
// a Content slice has to go through it before its Kind means anything.
func resolve(n *yaml.Node) *yaml.Node {
	for n != nil && n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// isNull reports whether there is nothing: null, ~, an empty value, or no node.
// To kubectl all of them are the same as a key that is not there, and tools
// that write files leave null for every list they have emptied.
func isNull(n *yaml.Node) bool {
	return n == nil || n.Kind == 0 || (n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null")
}

// isMerge reports whether a key is "<<", and not a string of that text in
// quotes.
func isMerge(key *yaml.Node) bool {
	return key.Kind == yaml.ScalarNode && key.Value == "<<" && (key.Tag == "" || key.Tag == "!" || key.ShortTag() == "!!merge")
}

// yaml11Bool reports a plain yes, no, on, off, y or n. The YAML library reads them as
// strings unless a boolean is asked for; kubectl's takes them for booleans
// everywhere.
func yaml11Bool(n *yaml.Node) bool {
	if n.Style != 0 {
		return false
	}
	switch n.Value {
	case "y", "Y", "n", "N", "yes", "Yes", "YES", "on", "On", "ON", "no", "No", "NO", "off", "Off", "OFF":
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

// merged returns the mappings that a mapping's merge keys name: one, or a list
// of them. What is no mapping among them is passed over, as kubectl's parser
// would fail the whole file for something that may concern nobody.
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
