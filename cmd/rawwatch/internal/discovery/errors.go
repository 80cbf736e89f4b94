package discovery

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/nearest"
)

// UnknownTypeError: no such type was found.
type UnknownTypeError struct {
	Type    string
	Similar []string // names that are close to it
	Broken  []Broken // groups that could not be read, and may hold it
}

// Broken is a version of a group that could not be read.
type Broken struct {
	GroupVersion string
	Err          error
}

func (e *UnknownTypeError) Error() string {
	s := fmt.Sprintf("the server has no type %q", e.Type)
	if len(e.Broken) > 0 {
		var names []string
		for _, b := range e.Broken {
			names = append(names, b.GroupVersion)
		}
		s = fmt.Sprintf("type %q was not found, and may be in %s, which cannot be read now (%v)",
			e.Type, orList(names), cause.Of(e.Broken[0].Err))
	}
	if len(e.Similar) > 0 {
		s += "; did you mean " + orList(e.Similar) + "?"
	}
	return s
}

// AmbiguousError: several groups have such a type, and none of them is of
// Kubernetes itself.
type AmbiguousError struct {
	Type       string
	Candidates []Resource
}

func (e *AmbiguousError) Error() string {
	var names []string
	for _, r := range e.Candidates {
		names = append(names, r.String())
	}
	return fmt.Sprintf("type %q can be %s: name the group too", e.Type, orList(names))
}

// NotWatchableError: the type exists, but cannot be listed and watched.
type NotWatchableError struct{ Resource Resource }

func (e *NotWatchableError) Error() string {
	can := "nothing can be done with it"
	if len(e.Resource.Verbs) > 0 {
		can = "the server only allows to " + andList(e.Resource.Verbs) + " it"
	}
	return fmt.Sprintf("type %q cannot be watched: %s", e.Resource, can)
}

// RequestError: the server did not tell what it has.
type RequestError struct {
	Server string // host and port
	Path   string
	Err    error
}

func (e *RequestError) Error() string {
	return fmt.Sprintf("discovery: GET %s at %s: %v", e.Path, e.Server, e.Err)
}

func (e *RequestError) Unwrap() error { return e.Err }

// similar lists resources whose plural, singular, kind or short name is close
// to name; the closest first.
func similar(name string, groups []group) []string {
	var names []string
	full := map[string][]string{}
	for _, g := range groups {
		for _, v := range g.versions {
			for _, r := range v.resources {
				if !r.Watchable() {
					continue // it would be the next disappointment
				}
				for _, n := range append([]string{r.Name, r.Singular}, r.ShortNames...) {
					n = strings.ToLower(n)
					names = append(names, n)
					if !slices.Contains(full[n], r.String()) {
						full[n] = append(full[n], r.String())
					}
				}
			}
		}
	}
	// One name may stand for several resources, and one resource has several
	// names: what is shown is the resource, once.
	const enough = 4
	var found []string
	for _, n := range nearest.To(name, names, len(names)) {
		for _, f := range full[n] {
			if !slices.Contains(found, f) && len(found) < enough {
				found = append(found, f)
			}
		}
	}
	return found
}

// broken lists what could not be read and may hold t.
func broken(groups []group, t typeName) []Broken {
	var all []Broken
	for _, g := range groups {
		for _, v := range g.versions {
			if v.err == nil || !t.mayBeIn(g.name) {
				continue
			}
			// The path of the request says no more than the group's name.
			err := v.err
			if request := (*RequestError)(nil); errors.As(err, &request) {
				err = request.Err
			}
			all = append(all, Broken{Resource{Group: g.name, Version: v.name}.GroupVersion(), err})
		}
	}
	return all
}

func orList(names []string) string  { return list(names, " or ") }
func andList(names []string) string { return list(names, " and ") }

func list(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + last + names[n]
}
