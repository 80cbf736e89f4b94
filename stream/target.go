package stream

import (
	"fmt"
	"net/url"
	"strings"
)

// Target is the collection to watch.
type Target struct {
	Group     string // "" is the core group
	Version   string // "v1"
	Resource  string // plural, as in the URL: "pods"
	Namespace string // "" is all namespaces, or a cluster-scoped resource

	// Name watches one object of the collection. It is sent as the field
	// selector metadata.name=NAME, which role-based access rules for single
	// names accept too: a server ignores watch=true on an object's own path.
	Name string

	// Selectors are sent as they are, on every request.
	LabelSelector string
	FieldSelector string
}

// ParsePath reads the path of a collection, as in /api/v1/namespaces/t/pods
// or /apis/apps/v1/deployments, into a Target.
func ParsePath(path string) (Target, error) {
	bad := func(why string) (Target, error) {
		return Target{}, fmt.Errorf("stream: path %q is no collection: %s", path, why)
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range parts {
		unescaped, err := url.PathUnescape(part)
		if err != nil || unescaped == "" || strings.Contains(unescaped, "/") {
			return bad("empty or badly escaped segment")
		}
		parts[i] = unescaped
	}
	var t Target
	switch {
	case parts[0] == "api" && len(parts) >= 3:
		t.Version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) >= 4:
		t.Group, t.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return bad("want /api/VERSION/RESOURCE or /apis/GROUP/VERSION/RESOURCE, with namespaces/NAMESPACE before RESOURCE for one namespace")
	}
	// /api/v1/namespaces and /api/v1/namespaces/t are a collection and one
	// object of it; only a third segment makes it a prefix.
	if parts[0] == "namespaces" && len(parts) >= 3 {
		t.Namespace, parts = parts[1], parts[2:]
	}
	t.Resource = parts[0]
	if len(parts) > 1 {
		return bad(fmt.Sprintf("it names one object or a part of one; watch the collection and select metadata.name=%s", parts[1]))
	}
	return t, nil
}

// path is the collection's path, below the server's own prefix, with each name
// as escape writes it.
func (t Target) path(escape func(string) string) string {
	path := "/api/"
	if t.Group != "" {
		path = "/apis/" + escape(t.Group) + "/"
	}
	path += escape(t.Version)
	if t.Namespace != "" {
		path += "/namespaces/" + escape(t.Namespace)
	}
	return path + "/" + escape(t.Resource)
}

// misleads names a field that would make another path of this one, if one
// does. Escapes are not enough: there is none for a dot, so a namespace ".." is
// all namespaces to a proxy that cleans paths, and "%2F" is a slash again to one
// that unescapes them. Servers take none of these for a name (apimachinery,
// pkg/api/validation/path).
func (t Target) misleads() string {
	for _, part := range [...]struct{ field, name string }{
		{"Group", t.Group}, {"Version", t.Version}, {"Namespace", t.Namespace}, {"Resource", t.Resource},
	} {
		if part.name == "." || part.name == ".." || strings.ContainsAny(part.name, "/%") {
			return part.field
		}
	}
	return ""
}

// fieldSelector is the caller's own, with Name joined to it.
func (t Target) fieldSelector() string {
	if t.Name == "" {
		return t.FieldSelector
	}
	one := "metadata.name=" + escapeFieldValue(t.Name)
	if t.FieldSelector == "" {
		return one
	}
	return one + "," + t.FieldSelector
}

// escapeFieldValue guards the characters that have a meaning in a field
// selector, as apimachinery's fields.EscapeValue does on the other side.
func escapeFieldValue(s string) string {
	return strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`).Replace(s)
}

// String names the target for people: "deployments.apps in namespace t".
func (t Target) String() string {
	s := t.Resource
	if t.Group != "" {
		s += "." + t.Group
	}
	if t.Name != "" {
		s += " " + t.Name
	}
	if t.Namespace != "" {
		s += " in namespace " + t.Namespace
	}
	return s
}
