package diff

import (
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

// mergeKey is the fields that say together which element of a list is meant.
// The first must be there; the others may be left out.
type mergeKey []string

// known are the merge keys of built-in types, by the name of the list: those
// that the API server itself merges by (patchMergeKey and x-kubernetes-list-map-keys
// in the published OpenAPI), and for lists that it replaces as a whole, what
// tells their elements apart for people.
var known = map[string][]mergeKey{
	"ports":                     {{"containerPort", "protocol"}, {"port", "protocol"}},
	"volumeMounts":              {{"mountPath"}},
	"volumeDevices":             {{"devicePath"}},
	"ownerReferences":           {{"uid"}},
	"topologySpreadConstraints": {{"topologyKey", "whenUnsatisfiable"}},
	"tolerations":               {{"key", "effect", "operator", "value"}},
	"taints":                    {{"key", "effect"}},
	"managedFields":             {{"manager", "operation", "subresource", "apiVersion"}},
	"addresses":                 {{"type", "address"}},
	"ingress":                   {{"ip"}, {"hostname"}},
}

// guesses are tried for any other list, in this order. It is the order in
// which they are likely to be meant: names first; "key" is in selectors and
// items; uid before what is looser.
var guesses = []mergeKey{
	{"name"}, {"type"}, {"uid"}, {"id"}, {"ip"}, {"key"}, {"host"}, {"path"},
	{"kind", "name"}, {"name", "namespace"}, {"topologyKey"},
}

// keyFor is a merge key that fits two lists: every element of both is an
// object that has it, and no two of a list share it. Nil if there is none.
func keyFor(list string, a, b []tree.Node) mergeKey {
	if len(a) == 0 || len(b) == 0 || a[0].Kind != tree.Object {
		return nil
	}
	for _, keys := range [][]mergeKey{known[list], guesses} {
		for _, key := range keys {
			if key.fits(a) && key.fits(b) {
				return key
			}
		}
	}
	return nil
}

func (k mergeKey) fits(list []tree.Node) bool {
	seen := make(map[string]bool, len(list))
	for i := range list {
		name, ok := k.of(&list[i])
		if !ok || seen[name] {
			return false
		}
		seen[name] = true
	}
	return true
}

// of is the merge key of an element: "8080/TCP". ok is false if it has none.
func (k mergeKey) of(element *tree.Node) (name string, ok bool) {
	for i, field := range k {
		value := element.Get(field)
		switch {
		case value == nil && i == 0:
			return "", false
		case value == nil && field == "protocol":
			name += "/TCP" // the default
		case value == nil:
		case value.IsContainer() || value.Kind == tree.Null || value.Mask != 0:
			return "", false
		case i == 0:
			name = value.Text
		case value.Text != "":
			name += "/" + value.Text
		}
	}
	return name, strings.TrimSpace(name) != ""
}
