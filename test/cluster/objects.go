package cluster

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Manifest is an object, or a part of one, as it is sent.
type Manifest = map[string]any

// Collection is where the objects of a resource live.
type Collection struct {
	Group     string // "" is the core group
	Version   string
	Resource  string // plural
	Namespace string // "": cluster-scoped, or all namespaces
}

// Path is the collection's path on a server.
func (c Collection) Path() string {
	p := "/api/" + c.Version
	if c.Group != "" {
		p = "/apis/" + c.Group + "/" + c.Version
	}
	if c.Namespace != "" {
		p += "/namespaces/" + c.Namespace
	}
	return p + "/" + c.Resource
}

// Object is the path of one object of the collection.
func (c Collection) Object(name string) string { return c.Path() + "/" + url.PathEscape(name) }

// The collections that no namespace holds.
var (
	Namespaces = Collection{Version: "v1", Resource: "namespaces"}
	CRDs       = Collection{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// ConfigMaps of a namespace.
func ConfigMaps(namespace string) Collection {
	return Collection{Version: "v1", Resource: "configmaps", Namespace: namespace}
}

// ConfigMap is one with a single key k.
func ConfigMap(name, value string) Manifest {
	return Manifest{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": Manifest{"name": name},
		"data":     Manifest{"k": value},
	}
}

// Pods of a namespace.
func Pods(namespace string) Collection {
	return Collection{Version: "v1", Resource: "pods", Namespace: namespace}
}

// Pod is one that no scheduler looks at: nobody else changes it, and no kubelet
// has to confirm a delete.
func Pod(name string) Manifest {
	return Manifest{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": Manifest{"name": name},
		"spec": Manifest{
			"containers":         []Manifest{{"name": "main", "image": "example.com/none"}},
			"schedulerName":      "example.com/none",
			"restartPolicy":      "Never",
			"enableServiceLinks": false,
		},
	}
}

// CustomResource is a kind made for one test: its group is its own, so that
// tests that edit or delete it do not meet.
type CustomResource struct {
	Group string // DNS name
}

// Widgets of a namespace.
func (r CustomResource) Widgets(namespace string) Collection {
	return Collection{Group: r.Group, Version: "v1", Resource: "widgets", Namespace: namespace}
}

// Widget is a custom object with a single field size.
func (r CustomResource) Widget(name string, size int) Manifest {
	return Manifest{
		"apiVersion": r.Group + "/v1", "kind": "Widget",
		"metadata": Manifest{"name": name},
		"spec":     Manifest{"size": size},
	}
}

// Name is that of the CustomResourceDefinition.
func (r CustomResource) Name() string { return "widgets." + r.Group }

// Definition is the CustomResourceDefinition, for [CRDs].
func (r CustomResource) Definition() Manifest {
	return Manifest{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": Manifest{"name": r.Name()},
		"spec": Manifest{
			"group":    r.Group,
			"scope":    "Namespaced",
			"names":    Manifest{"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList", "shortNames": []string{"wd"}},
			"versions": []Manifest{r.version(nil)},
		},
	}
}

// Edit is a patch of the definition that adds a printer column. It changes
// what the server serves, which ends every watch of the resource.
func (r CustomResource) Edit() Manifest {
	column := Manifest{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
	return Manifest{"spec": Manifest{"versions": []Manifest{r.version([]Manifest{column})}}}
}

func (r CustomResource) version(columns []Manifest) Manifest {
	return Manifest{
		"name": "v1", "served": true, "storage": true,
		"schema": Manifest{"openAPIV3Schema": Manifest{
			"type":                                 "object",
			"x-kubernetes-preserve-unknown-fields": true,
		}},
		"additionalPrinterColumns": columns,
	}
}

// CustomResource defines a kind for this test and waits until the server
// serves it. It is deleted at the end, when the server is one that lasts.
func (s *Server) CustomResource(t testing.TB) CustomResource {
	t.Helper()
	r := NewCustomResource()
	s.Define(t, r, r.Definition())
	return r
}

// NewCustomResource is a kind that no server knows yet.
func NewCustomResource() CustomResource {
	return CustomResource{Group: strings.ToLower(rand.Text()[:10]) + ".example.com"}
}

// Define is CustomResource with another definition.
func (s *Server) Define(t testing.TB, r CustomResource, definition Manifest) {
	t.Helper()
	admin := s.Client(t, s.Admin)
	admin.Create(t, CRDs, definition)
	if s.external {
		// The test may have deleted it itself.
		t.Cleanup(func() { admin.Do(context.Background(), http.MethodDelete, CRDs.Object(r.Name()), "", nil) })
	}
	admin.Served(t, r.Widgets(""))
}

// Served waits until a collection can be listed.
func (c *Client) Served(t testing.TB, in Collection) {
	t.Helper()
	Wait(t, 30*time.Second, in.Path()+" to be served", func() bool {
		a, err := c.Do(t.Context(), http.MethodGet, in.Path()+"?limit=1", "", nil)
		return err == nil && a.Status == http.StatusOK
	})
}
