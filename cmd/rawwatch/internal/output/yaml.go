package output

import (
	"slices"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
	"example.com/rawwatch/cmd/rawwatch/internal/yamltext"
	"example.com/rawwatch/stream"
)

// yamlDocuments prints a document for each event, with its type as a comment:
//
//	---
//	# MODIFIED
//	apiVersion: v1
//	kind: Pod
//
// A marker is a comment alone: a document of nothing would be null to whoever
// reads the documents one by one.
type yamlDocuments struct{ several, managedFields bool }

func (y yamlDocuments) append(b []byte, ev stream.Event, from Source) []byte {
	marker := isMarker(ev.Type)
	if !marker {
		b = append(b, "---\n"...)
	}
	b = append(append(b, "# "...), ev.Type...)
	switch {
	case marker, y.several && isSilent(ev):
		if text := about(ev, from, y.several); text != "" {
			b = append(append(b, ' '), text...)
		}
	case ev.Inferred:
		b = append(b, " (inferred)"...)
	}
	b = append(b, '\n')
	if marker {
		return b
	}
	object := []byte(ev.Object)
	if ev.Inferred {
		object = appendIdentity(nil, ev)
	}
	n, err := tree.Parse(object)
	if err != nil {
		return append(b, "# it cannot be read\n"...) // stream lets only valid JSON through
	}
	if !y.managedFields {
		withoutManagedFields(n)
	}
	b, err = yamltext.Append(b, n)
	if err != nil {
		return append(b, "# it cannot be written as YAML\n"...) // every tree can
	}
	return b
}

// withoutManagedFields takes out what fills most of an object and is for
// programs, as kubectl does.
func withoutManagedFields(object *tree.Node) {
	meta := object.Get("metadata")
	if meta == nil || meta.Kind != tree.Object {
		return
	}
	if at := slices.Index(meta.Keys, "managedFields"); at >= 0 {
		meta.Keys = slices.Delete(meta.Keys, at, at+1)
		meta.Items = slices.Delete(meta.Items, at, at+1)
	}
}
