package discovery

import (
	"context"
	"slices"
	"strings"
)

// Resolve finds the resource that typ names: TYPE[.VERSION][.GROUP].
//
// Errors: [*UnknownTypeError], [*AmbiguousError], [*NotWatchableError], or a
// [*RequestError] when the server does not tell what it has.
func (c *Client) Resolve(ctx context.Context, typ string) (Resource, error) {
	want := parseType(typ)
	core, err := c.core(ctx)
	if err != nil {
		return Resource{}, err
	}
	// The core group wins over every other one, so a plural or singular name
	// found there needs no second request. A short name does: it might be the
	// plural of something else.
	if found, how := pick([]group{core}, want); how <= bySingular && found[0].Watchable() {
		return found[0], nil
	}
	groups, err := c.groups(ctx, want)
	if err != nil {
		return Resource{}, err
	}
	groups = append([]group{core}, groups...)
	found, _ := pick(groups, want)
	return choose(typ, want, found, groups)
}

// typeName is a type taken apart. What follows the first dot may be a version,
// a group, or both; only the server's list can tell.
type typeName struct{ name, rest string }

func parseType(typ string) typeName {
	name, rest, _ := strings.Cut(typ, ".")
	// kubectl writes the core group as an empty one: "pods.v1."
	return typeName{name: name, rest: strings.TrimSuffix(rest, ".")}
}

func (t typeName) in(r Resource) bool {
	switch t.rest {
	case "", r.Version, r.Group, r.Version + "." + r.Group:
		return true
	}
	return false
}

// mayBeIn reports whether a group can hold t, going by its name alone.
func (t typeName) mayBeIn(group string) bool {
	return !strings.Contains(t.rest, ".") || t.rest == group || strings.HasSuffix(t.rest, "."+group)
}

// pick returns the resources that fit best, at most one of each group, in the
// order of the groups; and how well they fit.
func pick(groups []group, want typeName) ([]Resource, rank) {
	best := noMatch
	var found []Resource
	for _, g := range groups {
		// One of each group is enough: its versions show the same objects.
		r, how := g.find(want)
		switch {
		case how == noMatch || how > best:
		case how < best:
			best, found = how, []Resource{r}
		default:
			found = append(found, r)
		}
	}
	return found, best
}

// find is the best match in one group: the preferred version that has it.
func (g group) find(want typeName) (Resource, rank) {
	best, found := noMatch, Resource{}
	for _, v := range g.versions {
		for _, r := range v.resources {
			if how := r.rank(want.name); how < best && want.in(r) {
				best, found = how, r
			}
		}
	}
	return found, best
}

// choose settles for one of the resources that fit equally well.
func choose(typ string, want typeName, found []Resource, groups []group) (Resource, error) {
	if len(found) == 0 {
		return Resource{}, &UnknownTypeError{Type: typ, Similar: similar(want.name, groups), Broken: broken(groups, want)}
	}
	// metrics.k8s.io has pods and nodes too, which can only be read: what
	// cannot be watched does not compete.
	watchable := slices.DeleteFunc(slices.Clone(found), func(r Resource) bool { return !r.Watchable() })
	switch {
	case len(watchable) == 0:
		return Resource{}, &NotWatchableError{Resource: found[0]}
	case len(watchable) == 1 || isKubernetes(watchable[0].Group):
		return watchable[0], nil
	}
	// The groups come in the server's order, which puts those of Kubernetes
	// before those of CRDs, but nothing promises it.
	if i := slices.IndexFunc(watchable, func(r Resource) bool { return isKubernetes(r.Group) }); i >= 0 {
		return watchable[i], nil
	}
	return Resource{}, &AmbiguousError{Type: typ, Candidates: watchable}
}
