package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Store is a live API server: objects that come and go, shown to any number
// of clients as lists and watches the way kube-apiserver 1.37 does, errors and
// their texts included. It is read-only over HTTP; tests change it with its
// methods. The zero value is an empty store of ConfigMaps, Secrets and Pods.
//
// Set the fields before the first use. A Store is an [http.Handler]
// and an [http.RoundTripper]; [Store.NewServer] serves it over the connections
// of this package.
type Store struct {
	Resources []Resource
	// Window is how many changes can be watched from; 0 is 1000. Watches from
	// before that get 410.
	Window int
	// NoStreamingLists makes the store refuse sendInitialEvents with 422 and
	// send no end marker unasked, as servers before 1.32 did.
	NoStreamingLists bool
	// Intercept, if not nil, sees every request first; steps that it returns
	// are the answer. It may be called from several goroutines.
	Intercept func(*http.Request) []Step

	once    sync.Once
	mu      sync.Mutex
	rv      uint64 // of the last change
	oldest  uint64 // oldest RV that history covers: changes behind it are all there
	objects map[objectKey]*object
	history []change
	uids    int
	changed chan struct{} // closed and made anew with everything below and above
	marks   int           // times that a bookmark was asked for
	epoch   int           // times that watches were ended
	ending  []Step        // how
}

// A Resource is a type of objects.
type Resource struct {
	Group, Version string // "", "v1"
	Plural, Kind   string // "configmaps", "ConfigMap"
	Cluster        bool   // not namespaced
	// Custom resources have their keys sorted: in a list the items come before
	// the metadata.
	Custom     bool
	ShortNames []string
}

func (r *Resource) apiVersion() string {
	if r.Group == "" {
		return r.Version
	}
	return r.Group + "/" + r.Version
}

// path is the collection's; ns "" is all namespaces.
func (r *Resource) path(ns string) string {
	p := "/apis/" + r.Group + "/" + r.Version
	if r.Group == "" {
		p = "/api/" + r.Version
	}
	if ns != "" {
		p += "/namespaces/" + ns
	}
	return p + "/" + r.Plural
}

var defaultResources = []Resource{
	{Version: "v1", Plural: "configmaps", Kind: "ConfigMap", ShortNames: []string{"cm"}},
	{Version: "v1", Plural: "secrets", Kind: "Secret"},
	{Version: "v1", Plural: "pods", Kind: "Pod", ShortNames: []string{"po"}},
}

type objectKey struct{ plural, namespace, name string }

// object is a state of an object; states are never changed.
type object struct {
	objectKey
	uid, created string
	rv           uint64
	labels       map[string]string
	extra        string // members of metadata besides those above, each with a comma in front
	rest         string // members besides kind, apiVersion and metadata, likewise
}

// change is one step of history: was is nil for a new object, is for a deleted
// one.
type change struct {
	rv      uint64
	was, is *object
}

func (s *Store) init() {
	s.once.Do(func() {
		if len(s.Resources) == 0 {
			s.Resources = defaultResources
		}
		if s.Window == 0 {
			s.Window = 1000
		}
		s.objects = map[objectKey]*object{}
		s.changed = make(chan struct{})
		// A new cluster's first objects do not have single digits either.
		s.rv, s.oldest = 100, 100
	})
}

// Put creates or replaces an object and returns its new resourceVersion.
// object is JSON with at least metadata.name; kind, apiVersion, uid,
// resourceVersion and creationTimestamp are the store's to say. The other bytes
// stay as they are.
func (s *Store) Put(plural, objectJSON string) (rv string, err error) {
	s.init()
	b := []byte(objectJSON)
	switch {
	case s.resource(plural) == nil:
		return "", fmt.Errorf("replay: the store has no resource %q", plural)
	case !json.Valid(b):
		return "", errors.New("replay: the object is not JSON")
	case lookupString(b, "metadata", "name") == "":
		return "", errors.New("replay: the object has no metadata.name")
	}
	o := &object{objectKey: objectKey{plural, lookupString(b, "metadata", "namespace"), lookupString(b, "metadata", "name")}}
	for key, at := range members(b) {
		if !slices.Contains([]string{"kind", "apiVersion", "metadata"}, key) {
			o.rest += "," + quote(key) + ":" + strings.TrimSpace(string(at.of(b)))
		}
	}
	meta := lookup(b, "metadata")
	for key, at := range members(meta) {
		switch key {
		case "name", "namespace", "uid", "resourceVersion", "creationTimestamp":
			continue
		case "labels":
			json.Unmarshal(at.of(meta), &o.labels) // labels that are not strings match nothing
		}
		o.extra += "," + quote(key) + ":" + strings.TrimSpace(string(at.of(meta)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.objects[o.objectKey]
	if was != nil {
		o.uid, o.created = was.uid, was.created
	} else {
		s.uids++
		o.uid = fmt.Sprintf("00000000-0000-4000-8000-%012d", s.uids)
		o.created = time.Now().UTC().Format(time.RFC3339)
	}
	s.rv++
	o.rv = s.rv
	s.objects[o.objectKey] = o
	s.note(change{s.rv, was, o})
	return strconv.FormatUint(s.rv, 10), nil
}

// PutItem is Put of a ConfigMap in namespace t, with one value; "" if the store
// has no ConfigMaps.
func (s *Store) PutItem(name, value string) (rv string) {
	rv, _ = s.Put("configmaps", fmt.Sprintf(`{"metadata":{"name":%s,"namespace":"t"},"data":{"k":%s}}`, quote(name), quote(value)))
	return rv
}

// Delete removes an object and returns the resourceVersion of its removal, or
// "" if there is none.
func (s *Store) Delete(plural, namespace, name string) (rv string) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.objects[objectKey{plural, namespace, name}]
	if was == nil {
		return ""
	}
	s.rv++
	delete(s.objects, was.objectKey)
	s.note(change{s.rv, was, nil})
	return strconv.FormatUint(s.rv, 10)
}

// note adds to history and wakes the watches; mu is held.
func (s *Store) note(c change) {
	s.history = append(s.history, c)
	if n := len(s.history) - s.Window; n > 0 {
		s.oldest = s.history[n-1].rv
		s.history = slices.Clone(s.history[n:])
	}
	s.wake()
}

func (s *Store) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// ResourceVersion is that of the last change.
func (s *Store) ResourceVersion() string {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	return strconv.FormatUint(s.rv, 10)
}

// Advance moves the resourceVersion on by n without a change that anybody
// sees, as changes of other resources do.
func (s *Store) Advance(n int) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rv += uint64(n)
	s.wake() // watches that have seen everything are not to fall behind
}

// Compact forgets all history: a watch from before now gets 410, and so does a
// list that goes on with a token from before.
func (s *Store) Compact() {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history, s.oldest = nil, s.rv
	s.wake()
}

// Bookmark sends a bookmark on every watch that allows them.
func (s *Store) Bookmark() {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.marks++
	s.wake()
}

// EndWatches ends the watches that are open with steps, in general one of End,
// Cut and Reset. What has changed before is sent first.
func (s *Store) EndWatches(steps ...Step) {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endWatches(steps)
}

func (s *Store) endWatches(steps []Step) {
	s.epoch++
	s.ending = steps
	s.wake()
}

// Restore takes the store back to what it was at rv, as restoring a backup of
// etcd does: later changes never were, their resourceVersions will be given
// out again, and open watches are cut. It reports whether history goes back
// that far.
func (s *Store) Restore(rv string) bool {
	s.init()
	n, err := strconv.ParseUint(rv, 10, 64)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || n < s.oldest || n > s.rv {
		return false
	}
	s.objects = s.at(n)
	s.rv, s.oldest, s.history = n, n, nil
	s.endWatches([]Step{Cut()})
	return true
}

// at is the state at an RV that history covers, in a map of its own; mu is
// held.
func (s *Store) at(rv uint64) map[objectKey]*object {
	state := maps.Clone(s.objects)
	for _, c := range slices.Backward(s.history) {
		switch {
		case c.rv <= rv:
			return state
		case c.was == nil:
			delete(state, c.is.objectKey)
		default:
			state[c.was.objectKey] = c.was
		}
	}
	return state
}

func (s *Store) resource(plural string) *Resource {
	for i := range s.Resources {
		if s.Resources[i].Plural == plural {
			return &s.Resources[i]
		}
	}
	return nil
}

// UID is that of an object, "" if it does not exist.
func (s *Store) UID(plural, namespace, name string) string {
	s.init()
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.objects[objectKey{plural, namespace, name}]; o != nil {
		return o.uid
	}
	return ""
}
