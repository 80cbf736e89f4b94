package discovery

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
)

// parseVersions reads what /api answers: an APIVersions. The core group has no
// preferred version; v1 is the only one there has ever been.
func parseVersions(body []byte) (group, error) {
	var core struct{ Versions []string }
	if err := json.Unmarshal(body, &core); err != nil {
		return group{}, err
	}
	var g group
	for _, v := range core.Versions {
		g.versions = append(g.versions, version{name: v})
	}
	return g, nil
}

// parseGroups reads what /apis answers: an APIGroupList. The versions have no
// resources yet.
func parseGroups(body []byte) ([]group, error) {
	type groupVersion struct{ Version string }
	var list struct {
		Groups []struct {
			Name             string
			Versions         []groupVersion
			PreferredVersion groupVersion
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	groups := make([]group, 0, len(list.Groups))
	for _, item := range list.Groups {
		// Preferred, but not listed: there would be nothing behind it.
		if i := slices.Index(item.Versions, item.PreferredVersion); i > 0 {
			item.Versions = slices.Insert(slices.Delete(item.Versions, i, i+1), 0, item.PreferredVersion)
		}
		g := group{name: item.Name}
		for _, v := range item.Versions {
			g.versions = append(g.versions, version{name: v.Version})
		}
		groups = append(groups, g)
	}
	return groups, nil
}

// parseResources reads what a group's version answers: an APIResourceList.
func parseResources(body []byte, group, version string) ([]Resource, error) {
	var list struct {
		Resources []struct {
			Name         string
			SingularName string
			Namespaced   bool
			Kind         string
			Verbs        []string
			ShortNames   []string
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	var resources []Resource
	for _, r := range list.Resources {
		if strings.Contains(r.Name, "/") {
			continue // a part of an object, like pods/log
		}
		resources = append(resources, Resource{
			Group: group, Version: version, Name: r.Name,
			Singular: r.SingularName, Kind: r.Kind, ShortNames: r.ShortNames,
			Namespaced: r.Namespaced, Verbs: r.Verbs,
		})
	}
	return resources, nil
}

// askAtOnce is the number of requests in flight while the plain form is read.
// A server has some 30 groups, and each answer is small.
const askAtOnce = 8

// fill asks for the resources of every version of every group. A version that
// cannot be read keeps its error: that is one broken group, not a broken server.
func (c *Client) fill(ctx context.Context, groups []group) {
	var asking sync.WaitGroup
	places := make(chan struct{}, askAtOnce)
	for i := range groups {
		for j := range groups[i].versions {
			name, v := groups[i].name, &groups[i].versions[j]
			places <- struct{}{}
			asking.Go(func() {
				defer func() { <-places }()
				v.resources, v.err = c.resources(ctx, name, v.name)
			})
		}
	}
	asking.Wait()
}

func (c *Client) resources(ctx context.Context, group, version string) ([]Resource, error) {
	path := "/apis/" + group + "/" + version
	if group == "" {
		path = "/api/" + version
	}
	answer, err := c.get(ctx, path, plain)
	if err != nil {
		return nil, err
	}
	resources, err := parseResources(answer.body, group, version)
	if err != nil {
		return nil, c.malformed(path, err)
	}
	return resources, nil
}
