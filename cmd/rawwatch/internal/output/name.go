package output

import "example.com/rawwatch/stream"

// names prints the type of the event and the object's name as kubectl's
// "-o name" writes it: what is printed can be given back to kubectl.
type names struct{ several bool }

func (n names) append(b []byte, ev stream.Event, from Source) []byte {
	b = append(b, ev.Type...)
	what := ""
	if isMarker(ev.Type) || ev.Type == stream.Bookmark {
		what = about(ev, from, n.several)
	} else {
		what = from.object(ev)
	}
	if what != "" {
		b = append(append(b, ' '), what...)
	}
	return append(b, '\n')
}
