package output

import (
	"bytes"
	"encoding/json"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/stream"
)

// jsonLines is the wire's own framing, for every event: {"type":…,"object":…}.
// Scripts that read kubectl's --output-watch-events or a server's answer read
// this too. What is not the server's comes after the object.
type jsonLines struct{ several bool }

func (j jsonLines) append(b []byte, ev stream.Event, from Source) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, ev.Type...) // one of stream's own words: nothing to escape
	b = append(b, '"')
	switch {
	case isMarker(ev.Type):
		if j.several {
			b = appendSource(b, from)
		}
		b = appendMember(b, "resourceVersion", ev.ResourceVersion)
		if ev.Cause != nil {
			b = appendMember(b, "cause", cause.Of(ev.Cause))
		}
		if ev.Partial {
			b = append(b, `,"partial":true`...)
		}
	case ev.Inferred:
		b = append(b, `,"object":`...)
		b = appendIdentity(b, ev)
		b = append(b, `,"inferred":true`...)
	default:
		b = append(b, `,"object":`...)
		b = appendOneLine(b, ev.Object)
	}
	if j.several && isSilent(ev) {
		b = appendSource(b, from)
	}
	return append(b, "}\n"...)
}

// isSilent: an object says what it is and where, but a bookmark has no
// namespace, and metadata alone calls itself PartialObjectMetadata whatever it
// is of.
func isSilent(ev stream.Event) bool {
	return ev.Type == stream.Bookmark || ev.Kind == "PartialObjectMetadata"
}

func appendSource(b []byte, from Source) []byte {
	b = appendMember(b, "resource", from.resource())
	return appendMember(b, "namespace", from.Namespace)
}

// appendIdentity appends an object that holds what is known of one that is
// gone, with the keys in the order of built-in types.
func appendIdentity(b []byte, ev stream.Event) []byte {
	b = append(b, '{')
	if ev.Kind != "" {
		b = append(b, `"kind":`...)
		b = append(appendString(b, ev.Kind), ',')
	}
	if ev.APIVersion != "" {
		b = append(b, `"apiVersion":`...)
		b = append(appendString(b, ev.APIVersion), ',')
	}
	b = append(b, `"metadata":{"name":`...)
	b = appendString(b, ev.Name)
	b = appendMember(b, "namespace", ev.Namespace)
	b = appendMember(b, "uid", ev.UID)
	b = appendMember(b, "resourceVersion", ev.ResourceVersion)
	return append(b, "}}"...)
}

// appendOneLine appends a server's JSON as it is. Only if it has line breaks
// (no API server sends any, but a proxy may reformat) the white space goes:
// the promise of one line per event is worth more.
func appendOneLine(b []byte, object []byte) []byte {
	if bytes.IndexByte(object, '\n') < 0 && bytes.IndexByte(object, '\r') < 0 {
		return append(b, object...)
	}
	compact := bytes.NewBuffer(b)
	if json.Compact(compact, object) != nil {
		return append(b, object...) // stream lets only valid JSON through
	}
	return compact.Bytes()
}

// appendMember appends ,"key":"value", or nothing for an empty value.
func appendMember(b []byte, key, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, ',')
	b = appendString(b, key)
	b = append(b, ':')
	return appendString(b, value)
}

// appendString appends s as a JSON string, with < > & as they are.
func appendString(b []byte, s string) []byte {
	buffer := bytes.NewBuffer(b)
	encoder := json.NewEncoder(buffer)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(s) != nil {
		return append(b, `""`...) // a string always encodes
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}
