package kubeconfig

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// toJSON writes a part of a document as JSON: the one part of a file that is
// not ours to understand, the configuration of an exec plugin. What a plugin
// prints goes the same way.
//
// Aliases are written out, so a few lines of YAML can stand for any amount of
// JSON. budget is how many values there may be; it also ends a value that
// contains itself. What fits it fits into an environment variable, where the
// result goes.
func toJSON(n *yaml.Node) (json.RawMessage, error) {
	budget := 10_000
	value, err := plain(n, &budget)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// yamlToJSON reads what a plugin has printed. kubectl takes YAML from plugins,
// although what plugins are told to print is JSON. The error holds nothing of
// the text.
func yamlToJSON(text []byte) ([]byte, error) {
	var document yaml.Node
	if yaml.Unmarshal(text, &document) != nil {
		return nil, errors.New("not YAML")
	}
	return toJSON(rootOf(&document))
}

var errTooLarge = errors.New("it is too large, or contains itself")

// plain converts a node to what encoding/json can write.
func plain(n *yaml.Node, budget *int) (any, error) {
	if *budget--; *budget < 0 {
		return nil, errTooLarge
	}
	n = resolve(n)
	if isNull(n) {
		return nil, nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		object := make(map[string]any)
		if err := addPairs(object, n, budget); err != nil {
			return nil, err
		}
		return object, nil
	case yaml.SequenceNode:
		list := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			value, err := plain(item, budget)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	}
	return scalar(n)
}

// addPairs adds the pairs of a mapping. Of merged mappings earlier ones win, and
// over all of them the mapping's own pairs.
func addPairs(object map[string]any, n *yaml.Node, budget *int) error {
	if *budget--; *budget < 0 {
		return errTooLarge
	}
	for _, m := range slices.Backward(merged(n)) {
		if err := addPairs(object, m, budget); err != nil {
			return err
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := resolve(n.Content[i])
		if isMerge(key) {
			continue
		}
		if key.Kind != yaml.ScalarNode {
			return errors.New("a key is not a string")
		}
		value, err := plain(n.Content[i+1], budget)
		if err != nil {
			return err
		}
		object[key.Value] = value
	}
	return nil
}

// scalar converts a single value, with the booleans of kubectl's YAML.
func scalar(n *yaml.Node) (any, error) {
	if yaml11Bool(n) {
		text := strings.ToLower(n.Value)
		return text == "y" || text == "yes" || text == "on", nil
	}
	var value any
	switch n.ShortTag() {
	case "!!int", "!!float", "!!bool":
		if err := n.Decode(&value); err != nil {
			return nil, errors.New("a number or boolean is malformed")
		}
		return value, nil
	}
	return n.Value, nil
}
