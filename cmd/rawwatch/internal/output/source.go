package output

import (
	"cmp"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/stream"
)

// Source is a collection whose events are printed.
type Source struct {
	// Watcher is where its events come from. It is looked at only if there
	// are several sources.
	Watcher *stream.Watcher

	// One Kind of Group. Kind may be empty when only the path is known; the
	// objects then speak for themselves.
	Group, Kind string
	Resource    string // plural
	Namespace   string // "" is all of them, or none
	// Everywhere: it is all of them. It may be left false when that is not
	// known, for a source that is the only one.
	Everywhere bool

	prefix string // of an object's name, if it is always the same
}

// from is the source of an event.
func (p *Printer) from(ev stream.Event) Source {
	if len(p.sources) == 1 {
		return p.sources[0]
	}
	for _, s := range p.sources {
		if s.Watcher == ev.Source {
			return s
		}
	}
	return Source{}
}

// resource names the type in the plural: "deployments.apps".
func (s Source) resource() string {
	if s.Group == "" {
		return s.Resource
	}
	return s.Resource + "." + s.Group
}

// object names an object as kubectl does where it shows several types:
// "deployment.apps/web".
func (s Source) object(ev stream.Event) string {
	if s.prefix != "" {
		return s.prefix + escape.Text(ev.Name)
	}
	return s.before(cmp.Or(ev.Kind, s.Resource)) + escape.Text(ev.Name)
}

// before is what stands before the name of an object of this kind.
func (s Source) before(kind string) string {
	kind = strings.ToLower(kind)
	if s.Group != "" {
		kind += "." + s.Group
	}
	return escape.Text(kind) + "/"
}

// about is what there is to say of an event that has no object to name. With
// several sources that is first of all which one it is about.
func about(ev stream.Event, from Source, several bool) string {
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+"="+escape.Text(value))
		}
	}
	if several {
		add("resource", from.resource())
		add("namespace", from.Namespace)
	}
	add("resourceVersion", ev.ResourceVersion)
	if ev.Partial {
		add("partial", "true")
	}
	if ev.Cause != nil {
		add("cause", cause.Of(ev.Cause))
	}
	return strings.Join(parts, " ")
}
