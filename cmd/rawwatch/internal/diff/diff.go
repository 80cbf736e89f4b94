package diff

import (
	"slices"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

// Change is one place where two versions differ.
type Change struct {
	Path Path
	// Old and New are what was and what is there; nil is nothing, which is not
	// the same as null.
	Old, New *tree.Node
	// Order: elements of this list have changed places. Old and New are then
	// the merge keys of those that stayed, in the order before and after.
	Order bool
}

// Options say what to leave out. The zero value leaves out all noise.
type Options struct {
	Noise         bool // keep all of it
	ManagedFields bool // keep metadata.managedFields
}

// Result is what Compare found.
type Result struct {
	Changes []Change
	// Hidden names the fields that changed and were left out as noise, each
	// once: "managedFields", "lastHeartbeatTime". resourceVersion, which
	// changes always, is among them.
	Hidden []string
}

// Compare finds what changed from one version of an object to the next, in the
// order of the new one. Neither may be nil; the changes point into both.
func Compare(before, after *tree.Node, o Options) Result {
	w := walker{Options: o, kind: after.Get("kind").String()}
	w.values(before, after)
	return w.Result
}

// walker walks through two values at once.
type walker struct {
	Options
	Result
	kind string
	path Path // where it is
}

// values compares what stands at the same place. Either may be nil.
func (w *walker) values(before, after *tree.Node) {
	switch {
	case before == nil || after == nil:
		if before != after {
			w.changed(before, after)
		}
	case before.Kind == tree.Object && after.Kind == tree.Object:
		w.objects(before, after)
	case before.Kind == tree.Array && after.Kind == tree.Array:
		w.lists(before.Items, after.Items)
	case !tree.Equal(before, after):
		w.changed(before, after)
	}
}

func (w *walker) changed(before, after *tree.Node) {
	w.Changes = append(w.Changes, Change{Path: slices.Clone(w.path), Old: before, New: after})
}

// at compares what stands one step further.
func (w *walker) at(s Step, before, after *tree.Node) {
	w.path = append(w.path, s)
	w.values(before, after)
	w.path = w.path[:len(w.path)-1]
}

// objects compares member by member: those of the new version in its order,
// and each that is gone where it stood, behind the member before it.
func (w *walker) objects(before, after *tree.Node) {
	old, new := tree.Lookup(before), tree.Lookup(after)
	seen := 0 // members of before that have had their turn
	// gone reports those that are gone among the members up to end.
	gone := func(end int) {
		for ; seen < end; seen++ {
			if key := before.Keys[seen]; new(key) < 0 {
				w.member(key, &before.Items[seen], nil)
			}
		}
	}
	for i, key := range after.Keys {
		at := old(key)
		if at < 0 {
			w.member(key, nil, &after.Items[i])
			continue
		}
		gone(at)
		w.member(key, &before.Items[at], &after.Items[i])
	}
	gone(len(before.Keys))
}

// member compares one member of two objects, unless it is noise.
func (w *walker) member(key string, before, after *tree.Node) {
	if w.isNoise(key) {
		if before == nil || after == nil || !tree.Equal(before, after) {
			w.hide(key)
		}
		return
	}
	w.at(Step{Key: key}, before, after)
}
