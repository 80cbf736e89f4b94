package kubeconfig

import (
	"encoding/json"
	"errors"

	"go.yaml.in/yaml/v3"
)

// toJSON writes a part of a document as JSON. Aliases are written out, so a
// few lines of YAML can stand for any amount of JSON: budget is how many
// values there may be. It also ends a value that contains itself.
func toJSON(n *yaml.Node) (json.RawMessage, error) {
	budget := 10_000
	value, err := plain(n, &budget)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

var errTooLarge = errors.New("it is too large, or contains itself")

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

// addPairs adds the pairs of a mapping; merged ones first, so that the
// mapping's own replace them.
func addPairs(object map[string]any, n *yaml.Node, budget *int) error {
	if *budget--; *budget < 0 {
		return errTooLarge
	}
	for _, merging := range []bool{true, false} {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := resolve(n.Content[i]), resolve(n.Content[i+1])
			if isMerge(key) != merging {
				continue
			}
			if merging {
				if err := addMerged(object, value, budget); err != nil {
					return err
				}
				continue
			}
			if key.Kind != yaml.ScalarNode {
				return errors.New("a key is not a string")
			}
			converted, err := plain(value, budget)
			if err != nil {
				return err
			}
			object[key.Value] = converted
		}
	}
	return nil
}

// addMerged adds what a merge key stands for: one mapping, or a list of them of
// which earlier ones win.
func addMerged(object map[string]any, value *yaml.Node, budget *int) error {
	merged := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		merged = value.Content
	}
	for i := len(merged) - 1; i >= 0; i-- {
		if m := resolve(merged[i]); m.Kind == yaml.MappingNode {
			if err := addPairs(object, m, budget); err != nil {
				return err
			}
		}
	}
	return nil
}

// scalar converts a single value, with the booleans of kubectl's YAML.
func scalar(n *yaml.Node) (any, error) {
	if yaml11Bool(n) {
		switch n.Value[0] {
		case 'y', 'Y':
			return true, nil
		}
		return len(n.Value) == 2 && (n.Value[1] == 'n' || n.Value[1] == 'N'), nil
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
