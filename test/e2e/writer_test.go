package e2e

import (
	"fmt"
	"strconv"
	"testing"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/test/cluster"
)

// kind is a type of object the tests make.
type kind struct {
	in     cluster.Collection
	object func(name string) cluster.Manifest
	// patch is a change of the object itself, besides its metadata.
	patch func(n int) cluster.Manifest
}

func configMaps(namespace string) kind {
	return kind{
		in:     cluster.ConfigMaps(namespace),
		object: func(name string) cluster.Manifest { return cluster.ConfigMap(name, "") },
		patch:  func(n int) cluster.Manifest { return cluster.Manifest{"data": cluster.Manifest{"k": strconv.Itoa(n)}} },
	}
}

func pods(namespace string) kind {
	return kind{
		in:     cluster.Pods(namespace),
		object: cluster.Pod,
		patch:  func(int) cluster.Manifest { return cluster.Manifest{} },
	}
}

func widgets(r cluster.CustomResource, namespace string) kind {
	return kind{
		in:     r.Widgets(namespace),
		object: func(name string) cluster.Manifest { return r.Widget(name, 0) },
		patch:  func(n int) cluster.Manifest { return cluster.Manifest{"spec": cluster.Manifest{"size": n}} },
	}
}

// writer changes the objects of a kind and writes down what it did.
type writer struct {
	kind
	t      testing.TB
	client *cluster.Client
	ledger *history.Ledger
	n      int // of changes so far; each object carries that of its own as the label n
}

func newWriter(t testing.TB, s *cluster.Server, k kind) *writer {
	t.Helper()
	return &writer{kind: k, t: t, client: s.Client(t, s.Admin), ledger: new(history.Ledger)}
}

func (w *writer) key(name string) history.Key {
	return history.Key{Namespace: w.in.Namespace, Name: name}
}

// labelled adds the number of a change.
func labelled(m cluster.Manifest, n int) cluster.Manifest {
	metadata, _ := m["metadata"].(cluster.Manifest)
	if metadata == nil {
		metadata = cluster.Manifest{}
		m["metadata"] = metadata
	}
	metadata["labels"] = cluster.Manifest{"n": strconv.Itoa(n)}
	return m
}

func (w *writer) create(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.n++
		o := w.client.Create(w.t, w.in, labelled(w.object(name), w.n))
		w.ledger.Did(w.key(name), o.UID, o.ResourceVersion)
	}
}

func (w *writer) edit(names ...string) {
	w.t.Helper()
	for _, name := range names {
		w.n++
		o := w.client.Patch(w.t, w.in, name, labelled(w.patch(w.n), w.n))
		w.ledger.Did(w.key(name), o.UID, o.ResourceVersion)
	}
}

func (w *writer) delete(names ...string) {
	w.t.Helper()
	for _, name := range names {
		key, version := w.key(name), ""
		uid := w.ledger.UID(key)
		if o := w.client.Delete(w.t, w.in, name); o.Kind == "Pod" {
			w.ledger.Did(key, uid, "")
			version = o.ResourceVersion
		}
		w.ledger.Gone(key, uid, version)
	}
}

// churn makes so many changes to five objects: each is made, edited, deleted
// and made again, and no two in step.
func (w *writer) churn(changes int) {
	w.t.Helper()
	for i := range changes {
		name := fmt.Sprintf("churn-%d", i%5)
		switch {
		case w.ledger.UID(w.key(name)) == "":
			w.create(name)
		case w.n%4 == 3:
			w.delete(name)
		default:
			w.edit(name)
		}
	}
}
