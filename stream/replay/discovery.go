package replay

import (
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
)

// discovery answers the paths by which clients find out what there is; nil if
// the path is none of them.
func (s *Store) discovery(r *http.Request) []Step {
	aggregated := strings.Contains(r.Header.Get("Accept"), "as=APIGroupDiscoveryList") &&
		strings.Contains(r.Header.Get("Accept"), "v=v2")
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch path {
	case "/version":
		return JSON(200, `{"major":"1","minor":"37","gitVersion":"v1.37.2","platform":"linux/amd64"}`)
	case "/healthz", "/readyz", "/livez":
		return JSON(200, "ok", "Content-Type: text/plain; charset=utf-8")
	case "/api", "/apis":
		if aggregated {
			return JSON(200, s.aggregatedDiscovery(path == "/api"), "Content-Type: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
		}
		if path == "/api" {
			return JSON(200, `{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[]}`)
		}
		return JSON(200, s.groupList())
	}
	for i := range s.Resources {
		if s.Resources[i].path("") == path+"/"+s.Resources[i].Plural {
			return JSON(200, s.resourceList(s.Resources[i].apiVersion()))
		}
	}
	if path == "/api/v1" {
		return JSON(200, s.resourceList("v1")) // nothing of it is here, but each server has it
	}
	return nil
}

const verbs = `["get","list","watch"]`

func (s *Store) resourceList(apiVersion string) string {
	var items []string
	for i := range s.Resources {
		if r := &s.Resources[i]; r.apiVersion() == apiVersion {
			items = append(items, fmt.Sprintf(`{"name":%s,"singularName":%s,"namespaced":%t,"kind":%s,"verbs":%s,"shortNames":%s}`,
				quote(r.Plural), quote(strings.ToLower(r.Kind)), !r.Cluster, quote(r.Kind), verbs, quoteAll(r.ShortNames)))
		}
	}
	return fmt.Sprintf(`{"kind":"APIResourceList","apiVersion":"v1","groupVersion":%s,"resources":[%s]}`, quote(apiVersion), strings.Join(items, ","))
}

// groups are the API groups with their versions, in order of appearance. The
// core group is there on every server, and clients take one without for none.
func (s *Store) groups() (names []string, versions map[string][]string) {
	names, versions = []string{""}, map[string][]string{"": {"v1"}}
	for i := range s.Resources {
		r := &s.Resources[i]
		if !slices.Contains(names, r.Group) {
			names = append(names, r.Group)
		}
		if !slices.Contains(versions[r.Group], r.Version) {
			versions[r.Group] = append(versions[r.Group], r.Version)
		}
	}
	return names, versions
}

func (s *Store) groupList() string {
	var groups []string
	names, versions := s.groups()
	for _, g := range names {
		if g == "" {
			continue
		}
		var vs []string
		for _, v := range versions[g] {
			vs = append(vs, fmt.Sprintf(`{"groupVersion":%s,"version":%s}`, quote(g+"/"+v), quote(v)))
		}
		groups = append(groups, fmt.Sprintf(`{"name":%s,"versions":[%s],"preferredVersion":%s}`, quote(g), strings.Join(vs, ","), vs[0]))
	}
	return fmt.Sprintf(`{"kind":"APIGroupList","apiVersion":"v1","groups":[%s]}`, strings.Join(groups, ","))
}

// aggregatedDiscovery is everything about the core group, or about the others.
func (s *Store) aggregatedDiscovery(core bool) string {
	var items []string
	names, versions := s.groups()
	for _, g := range names {
		if (g == "") != core {
			continue
		}
		var vs []string
		for _, v := range versions[g] {
			var rs []string
			for i := range s.Resources {
				r := &s.Resources[i]
				if r.Group != g || r.Version != v {
					continue
				}
				scope := "Namespaced"
				if r.Cluster {
					scope = "Cluster"
				}
				rs = append(rs, fmt.Sprintf(`{"resource":%s,"responseKind":{"group":%s,"version":%s,"kind":%s},"scope":%s,"singularResource":%s,"verbs":%s,"shortNames":%s}`,
					quote(r.Plural), quote(g), quote(v), quote(r.Kind), quote(scope), quote(strings.ToLower(r.Kind)), verbs, quoteAll(r.ShortNames)))
			}
			vs = append(vs, fmt.Sprintf(`{"version":%s,"resources":[%s],"freshness":"Current"}`, quote(v), strings.Join(rs, ",")))
		}
		meta := `{"creationTimestamp":null}`
		if g != "" {
			meta = `{"name":` + quote(g) + `,"creationTimestamp":null}`
		}
		items = append(items, fmt.Sprintf(`{"metadata":%s,"versions":[%s]}`, meta, strings.Join(vs, ",")))
	}
	return fmt.Sprintf(`{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[%s]}`, strings.Join(items, ","))
}

func quoteAll(ss []string) string {
	out := make([]string, len(ss))
	for i, s := range ss {
		out[i] = quote(s)
	}
	return "[" + strings.Join(out, ",") + "]"
}

// resources finds the resources that the script's requests name. What they are
// is told by the discovery in the script, or else by names.go; and if they are
// no usual types either, by the objects in the answers.
func (script Script) resources() []Resource {
	found, told := []Resource{}, script.discovered()
	for i := range script {
		r, ok := resourceOf(script[i].Request.Path)
		if !ok {
			continue
		}
		n := slices.IndexFunc(found, func(o Resource) bool { return o.path("") == r.path("") })
		if n < 0 {
			n = len(found)
			found = append(found, r)
		}
		if t := slices.IndexFunc(told, func(o Resource) bool { return o.path("") == r.path("") }); t >= 0 {
			found[n] = told[t]
			continue
		}
		if u, ok := usualResource(r.Group, r.Plural); ok {
			u.Version = r.Version
			found[n] = u
			continue
		}
		found[n].Cluster = found[n].Cluster && r.Cluster
		for body := range script[i].json() {
			if found[n].Kind == "" {
				found[n].Kind = kindOf(body)
			}
			// A list of all namespaces has the path of things outside of them.
			found[n].Cluster = found[n].Cluster && !hasNamespace(body)
		}
	}
	return found
}

// discovered are all resources that answers in the script name.
func (script Script) discovered() (all []Resource) {
	for i := range script {
		path := script[i].Request.Path
		if _, about := resourceOf(path); about || !strings.HasPrefix(path, "/api") {
			continue
		}
		for body := range script[i].json() {
			all = append(all, discovered(body)...)
		}
	}
	return all
}

// json yields what an answer writes that is JSON.
func (e *Exchange) json() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, step := range e.Answer {
			if step.kind == stepWrite && json.Valid([]byte(step.bytes)) && !yield([]byte(step.bytes)) {
				return
			}
		}
	}
}

// resourceOf reads a collection's path: /api/V/… or /apis/G/V/…, with
// namespaces/NS before the resource if it is in one.
func resourceOf(path string) (r Resource, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) >= 3:
		r.Version, parts = parts[1], parts[2:]
	case parts[0] == "apis" && len(parts) >= 4:
		r.Group, r.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return r, false
	}
	r.Cluster = true
	if parts[0] == "namespaces" && len(parts) == 3 {
		r.Cluster, parts = false, parts[2:]
	}
	r.Plural = parts[0]
	return r, len(parts) == 1
}

// hasNamespace reports whether the object of an event, or the first one of a
// list, is in a namespace.
func hasNamespace(b []byte) bool {
	object := lookup(b, "object")
	if items := lookup(b, "items"); items != nil {
		for at := range elements(items) {
			object = at.of(items)
			break
		}
	}
	return lookupString(object, "metadata", "namespace") != ""
}

// kindOf is the kind of the objects in a list or an event, which is valid
// JSON; "" if it is neither, or says nothing about it.
func kindOf(b []byte) string {
	if kind, ok := strings.CutSuffix(lookupString(b, "kind"), "List"); ok && kind != "PartialObjectMetadata" {
		return kind
	}
	switch kind := lookupString(b, "object", "kind"); kind {
	case "Status", "Table", "PartialObjectMetadata":
		return ""
	default:
		return kind
	}
}
