package server

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// part is what is asked for of a collection that was recorded. These are the
// selectors that need no server: no object ever changes what they look at.
type part struct {
	namespace, name string
	// about, of events: terms like involvedObject.name=web-1, as kubectl
	// describe sends them.
	about string
	// metadata: of each object no more than that.
	metadata bool
}

func (p part) isAll() bool { return p == part{} }

// narrowed is the part that a field selector asks for; not ok if a server
// would have to read it.
func narrowed(fields string) (p part, ok bool) {
	if fields == "" || strings.ContainsAny(fields, `!\`) {
		return p, false
	}
	for term := range strings.SplitSeq(fields, ",") {
		key, value, _ := strings.Cut(term, "=")
		switch {
		case strings.Contains(value, "="):
			return p, false
		case key == "metadata.name" && fields == term:
			p.name = value
		case strings.HasPrefix(key, involved):
			p.about = fields
		default:
			return p, false
		}
	}
	return p, true
}

const involved = "involvedObject."

// takes reports whether an object belongs to the part.
func (p part) takes(m *decode.Meta, object []byte) bool {
	return (p.namespace == "" || p.namespace == string(m.Namespace)) && (p.name == "" || p.name == string(m.Name)) &&
		(p.about == "" || isAbout(object, p.about))
}

// isAbout reports whether an event is about what the terms say.
func isAbout(event []byte, terms string) bool {
	var ev struct{ InvolvedObject map[string]string }
	if json.Unmarshal(event, &ev) != nil {
		return false
	}
	for term := range strings.SplitSeq(terms, ",") {
		key, value, _ := strings.Cut(strings.TrimPrefix(term, involved), "=")
		if ev.InvolvedObject[key] != value {
			return false
		}
	}
	return true
}

// isEvents reports whether events about an object are asked for.
func (asked question) isEvents() bool {
	of, _ := narrowed(asked.fields)
	t, err := stream.ParsePath(asked.path)
	return err == nil && t.Group == "" && t.Resource == "events" && of.about != "" && !asked.watch
}

// cut is what the part wants of an object. A Table is left as it is: its rows
// are for people.
func (p part) cut(object []byte) []byte {
	var o struct {
		Kind     string
		Metadata json.RawMessage
	}
	if !p.metadata || json.Unmarshal(object, &o) != nil || o.Metadata == nil || o.Kind == "Table" {
		return object
	}
	return fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":%s}`, o.Metadata)
}

// cutEvent is cut of the object in a line, newline included.
func (p part) cutEvent(ev *decode.Event, line []byte) []byte {
	if !p.metadata {
		return line
	}
	return []byte(replay.EventOf(string(ev.Type), string(p.cut(ev.Object))))
}

// cutList is cut of what a list says of itself.
func (p part) cutList(h decode.ListHeader) decode.ListHeader {
	if p.metadata && h.Kind != "Table" {
		h.Kind, h.APIVersion = "PartialObjectMetadataList", "meta.k8s.io/v1"
	}
	return h
}
