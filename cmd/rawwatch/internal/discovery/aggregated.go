package discovery

import (
	"encoding/json"
	"errors"
	"mime"
)

// acceptAggregated asks for the aggregated form, first as 1.30 and later serve
// it, then as 1.27 to 1.29 do (the same shape under another name), and lets
// every other server answer in the plain one.
const acceptAggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
	"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList," +
	plain

// plain asks for the plain form, and is the only one for a group's version.
const plain = "application/json"

// isAggregated reads the answer's Content-Type, the only thing that tells the
// two forms apart before parsing. The parameters come in any order.
func isAggregated(contentType string) bool {
	_, params, err := mime.ParseMediaType(contentType)
	return err == nil && params["g"] == "apidiscovery.k8s.io" && params["as"] == "APIGroupDiscoveryList"
}

// errStale: the aggregator could not reach the group's own server.
var errStale = errors.New("its own server does not answer")

// parseAggregated reads an APIGroupDiscoveryList.
func parseAggregated(body []byte) ([]group, error) {
	var list struct {
		Items []struct {
			Metadata struct{ Name string }
			Versions []struct {
				Version   string
				Freshness string
				Resources []struct {
					Resource         string
					SingularResource string
					ResponseKind     struct{ Kind string }
					Scope            string
					Verbs            []string
					ShortNames       []string
				}
			}
		}
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return nil, err
	}
	// Group and version of a responseKind are left unread: empty ones mean
	// those of the resource, and others (autoscaling/v1 Scale) belong to parts
	// of objects.
	groups := make([]group, 0, len(list.Items))
	for _, item := range list.Items {
		g := group{name: item.Metadata.Name}
		for _, v := range item.Versions {
			ver := version{name: v.Version}
			// Stale: what the aggregator remembers of a server that is down.
			// It may still be right, so it is kept; only an empty one is
			// worth a word.
			if v.Freshness == "Stale" && len(v.Resources) == 0 {
				ver.err = errStale
			}
			for _, r := range v.Resources {
				ver.resources = append(ver.resources, Resource{
					Group: g.name, Version: v.Version, Name: r.Resource,
					Singular: r.SingularResource, Kind: r.ResponseKind.Kind, ShortNames: r.ShortNames,
					Namespaced: r.Scope == "Namespaced", Verbs: r.Verbs,
				})
			}
			g.versions = append(g.versions, ver)
		}
		groups = append(groups, g)
	}
	return groups, nil
}
