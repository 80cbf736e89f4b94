package output

import (
	"cmp"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// names prints the type of the event and the object's name as kubectl's
// "-o name" writes it: what is printed can be given back to kubectl.
type names struct{ kind, resource, group string }

func (n names) append(b []byte, ev stream.Event) []byte {
	b = append(b, ev.Type...)
	if isMarker(ev.Type) || ev.Type == stream.Bookmark {
		if about := about(ev); about != "" {
			b = append(append(b, ' '), about...)
		}
		return append(b, '\n')
	}
	b = append(b, ' ')
	b = escape.Append(b, strings.ToLower(cmp.Or(n.kind, ev.Kind, n.resource)))
	if n.group != "" {
		b = append(b, '.')
		b = escape.Append(b, n.group)
	}
	b = append(b, '/')
	b = escape.Append(b, ev.Name)
	return append(b, '\n')
}

// about is what there is to say of an event that has no object to name.
func about(ev stream.Event) string {
	var parts []string
	if ev.ResourceVersion != "" {
		parts = append(parts, "resourceVersion="+escape.Text(ev.ResourceVersion))
	}
	if ev.Partial {
		parts = append(parts, "partial=true")
	}
	if ev.Cause != nil {
		parts = append(parts, "cause="+escape.Text(cause.Of(ev.Cause)))
	}
	return strings.Join(parts, " ")
}
