package diff

import (
	"slices"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

// leader is what some controllers of old renew.
const leader = "control-plane.alpha.kubernetes.io/leader"

// isNoise reports whether the member of this key, at the walker's place, is to
// be left out: what changes with every write, or all the time, and tells nothing
// that another field does not tell better:
//
//	metadata.resourceVersion      with every write
//	metadata.generation           with every change of the spec, which is shown
//	metadata.managedFields        with every write; who wrote what
//	last-applied-configuration    the whole object again, as kubectl apply sent it
//	conditions[…].lastHeartbeatTime, lastProbeTime, lastUpdateTime
//	                              that somebody has looked
//	conditions[…].lastTransitionTime
//	                              when the status changed, which is shown; an event
//	                              comes at that time
//	spec.renewTime                of a Lease: that somebody is alive
//	the leader annotation         the same, before there were Leases
//
// status.observedGeneration is none: it says that a controller has seen the
// change.
func (w *walker) isNoise(key string) bool {
	if w.Noise {
		return false
	}
	switch key {
	case "managedFields":
		return !w.ManagedFields && w.in("metadata")
	case "resourceVersion", "generation":
		return w.in("metadata")
	case tree.LastApplied, leader:
		return w.in("metadata", "annotations")
	case "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime", "lastTransitionTime":
		n := len(w.path)
		return n >= 2 && w.path[n-1].Element && w.path[n-2].Key == "conditions"
	case "renewTime":
		return w.kind == "Lease" && w.in("spec")
	}
	return false
}

// in reports whether the walker is in the member at keys of the object.
func (w *walker) in(keys ...string) bool {
	return slices.EqualFunc(w.path, keys, func(s Step, key string) bool { return !s.Element && s.Key == key })
}

// hide notes that noise has changed.
func (w *walker) hide(key string) {
	switch key {
	case tree.LastApplied:
		key = "last-applied-configuration"
	case leader:
		key = "leader"
	}
	if !slices.Contains(w.Hidden, key) {
		w.Hidden = append(w.Hidden, key)
	}
}
