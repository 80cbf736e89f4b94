package discovery

import (
	"slices"
	"strings"
)

// Resource is one type of object that a server has.
type Resource struct {
	Group      string // "" is the core group
	Version    string
	Name       string // plural, as in the URL
	Singular   string // "" on old servers
	Kind       string
	ShortNames []string
	Namespaced bool
	Verbs      []string
}

// Watchable: it can be watched and listed. Both are needed, since a watch that
// has lost its place starts again from a list.
func (r Resource) Watchable() bool {
	return slices.Contains(r.Verbs, "watch") && slices.Contains(r.Verbs, "list")
}

// String is the shortest way to write the resource that no other group can
// claim: "pods", "deployments.apps".
func (r Resource) String() string {
	if r.Group == "" {
		return r.Name
	}
	return r.Name + "." + r.Group
}

// GroupVersion is how apiVersion fields name it: "v1", "apps/v1".
func (r Resource) GroupVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// A group is one API group of a server, its preferred version first.
type group struct {
	name     string
	versions []version
}

type version struct {
	name      string
	resources []Resource
	err       error // its own server does not answer
}

// rank says how well a name fits, best first. The order is that of kubectl: a
// short name is a convenience that any CRD may claim, so it is asked last.
type rank int

const (
	byPlural   rank = iota // "deployments"
	bySingular             // "deployment"; old servers leave it out, and the kind stands in
	byShort                // "deploy"
	noMatch
)

func (r Resource) rank(name string) rank {
	short := func(s string) bool { return strings.EqualFold(s, name) }
	switch {
	case strings.EqualFold(r.Name, name):
		return byPlural
	case name != "" && strings.EqualFold(r.Singular, name), strings.EqualFold(r.Kind, name):
		return bySingular
	case slices.ContainsFunc(r.ShortNames, short):
		return byShort
	}
	return noMatch
}

// isKubernetes reports whether a group belongs to Kubernetes itself. Those win
// over groups that anybody may install, as their priority makes them do in
// kubectl (networkpolicies means those of networking.k8s.io, whatever network
// plugin has the same word).
func isKubernetes(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}
