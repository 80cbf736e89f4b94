package discovery

import (
	"context"
	"slices"
)

// All returns every resource that can be watched, in the server's order, of
// each group the version that Resolve would choose. Groups whose own server
// does not answer are left out.
func (c *Client) All(ctx context.Context) ([]Resource, error) {
	core, err := c.core(ctx)
	if err != nil {
		return nil, err
	}
	groups, err := c.groups(ctx, typeName{})
	if err != nil {
		return nil, err
	}
	var all []Resource
	for _, g := range append([]group{core}, groups...) {
		known := map[string]bool{}
		for _, v := range g.versions {
			for _, r := range v.resources {
				if r.Watchable() && !known[r.Name] {
					known[r.Name] = true
					all = append(all, r)
				}
			}
		}
	}
	return all, nil
}

// Spellings are the ways to write each of the resources, shortest first: the
// plural alone where it is the first of that name, and with its group.
func Spellings(all []Resource) []string {
	var names []string
	for i, r := range all {
		first := slices.IndexFunc(all, func(other Resource) bool { return other.Name == r.Name })
		if first == i {
			names = append(names, r.Name)
		} else {
			names = append(names, r.String())
		}
	}
	return names
}
