package e2e

import (
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

func TestEveryKindInEveryView(t *testing.T) {
	s := cluster.Shared(t)
	definition := s.CustomResource(t)
	for kindName, kindOf := range map[string]func(namespace string) kind{
		"configmaps": configMaps,
		"pods":       pods,
		"widgets":    func(namespace string) kind { return widgets(definition, namespace) },
	} {
		t.Run(kindName, func(t *testing.T) {
			t.Parallel()
			w := newWriter(t, s, kindOf(s.Namespace(t)))
			w.create("one", "two", "three")
			w.edit("two")

			var observers []observer
			views := map[stream.View]*consumer{}
			for v, name := range viewNames {
				c := consume(t, name, newWatcher(t, s, w.in, view(v)), nil, nil)
				views[v] = c
				observers = append(observers, c)
			}
			resource := w.in.Resource
			if w.in.Group != "" {
				resource += "." + w.in.Group
			}
			observers = append(observers,
				run(t, s, s.Admin, nil, resource, "-n", w.in.Namespace, "-o", "json", "--markers"),
				run(t, s, s.Admin, nil, w.in.Path(), "-o", "json", "--markers", "--metadata-only"))
			awaitSynced(t, observers...)

			w.churn(20)
			w.delete("one")
			w.create("one")
			verify(t, w.ledger, observers...)

			for v, c := range views {
				t.Run(viewNames[v], func(t *testing.T) { contentIsTheServers(t, c, w, v) })
				assert.Equal(t, w.ledger.Len()+len(c.foreign), c.watcher.State().Objects)
				assert.Equal(t, []string{"HTTP/2.0"}, c.protocols())
			}
		})
	}
}

var viewNames = map[stream.View]string{
	stream.Object:       "object",
	stream.MetadataOnly: "metadata only",
	stream.Table:        "table",
}

// identity is what every object is known by, whatever the view.
type identity struct {
	Kind       string
	APIVersion string
	Metadata   struct {
		Namespace, Name, UID, ResourceVersion string

		Labels map[string]string
	}
}

// contentIsTheServers checks the bytes of each event against its fields, and
// those of the last one of an object that exists against what was written.
func contentIsTheServers(t *testing.T, c *consumer, w *writer, view stream.View) {
	latest := map[string]stream.Event{}
	for _, ev := range c.received() {
		if ev.Type == stream.Synced {
			assert.Nil(t, ev.Object)
			continue
		}
		latest[ev.Name] = ev
		if ev.Type == stream.Deleted {
			delete(latest, ev.Name)
		}
		object := ev.Object
		if view == stream.Table {
			table, err := stream.As[table](ev)
			require.NoError(t, err)
			require.Len(t, table.Rows, 1)
			assert.Equal(t, ev.Name, table.Rows[0].Cells[0])
			assert.Equal(t, "Table", ev.Kind)
			object = table.Rows[0].Object
		} else if view == stream.MetadataOnly {
			assert.Equal(t, "PartialObjectMetadata", ev.Kind)
		} else {
			assert.Contains(t, []string{"ConfigMap", "Pod", "Widget"}, ev.Kind)
		}
		var o identity
		require.NoError(t, json.Unmarshal(object, &o))
		if view != stream.Table {
			assert.Equal(t, ev.Kind, o.Kind)
			assert.Equal(t, ev.APIVersion, o.APIVersion)
		}
		assert.Equal(t, ev.Namespace, o.Metadata.Namespace)
		assert.Equal(t, ev.Name, o.Metadata.Name)
		assert.Equal(t, ev.UID, o.Metadata.UID)
		assert.Equal(t, ev.ResourceVersion, o.Metadata.ResourceVersion)
		_, err := strconv.Atoi(o.Metadata.Labels["n"])
		assert.NoError(t, err, "the label that every writer sets")
	}
	require.Len(t, latest, w.ledger.Len())
	if view != stream.Object {
		return
	}
	for name, ev := range latest {
		assert.JSONEq(t, string(w.client.Get(t, w.in, name).JSON), string(ev.Object))
	}
}

type table struct {
	ColumnDefinitions []struct{ Name string }
	Rows              []struct {
		Cells  []any
		Object json.RawMessage
	}
}

func TestManyPagesAreOneList(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	for name, kind := range map[string]kind{
		"version before the items": configMaps(s.Namespace(t)),
		"version after the items":  widgets(s.CustomResource(t), s.Namespace(t)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWriter(t, s, kind)
			const objects = 150
			for i := range objects {
				w.create("many-" + strconv.Itoa(i))
			}
			paged := consume(t, "paged", newWatcher(t, s, w.in, func(w *stream.Watcher) { w.PageSize = 7 }), nil, nil)
			whole := consume(t, "whole", newWatcher(t, s, w.in, func(w *stream.Watcher) { w.PageSize = -1 }), nil, nil)
			cached := consume(t, "cached", newWatcher(t, s, w.in, func(w *stream.Watcher) { w.PageSize, w.CachedList = 7, true }), nil, nil)
			command := run(t, s, s.Admin, nil, w.in.Path(), "-o", "json", "--markers", "--chunk-size", "7")
			awaitSynced(t, paged, whole, cached, command)
			w.churn(10)
			verify(t, w.ledger, paged, whole, cached, command)

			pages := func(c *consumer) (n int) {
				for _, r := range c.requests() {
					if r.Verb == stream.List {
						n++
					}
				}
				return n
			}
			assert.Equal(t, (objects+6)/7, pages(paged))
			assert.Equal(t, 1, pages(whole))
			assert.Equal(t, 1, pages(cached), "the server's cache knows no pages")
		})
	}
}

func TestOneNameAmongMany(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	all := newWriter(t, s, configMaps(s.Namespace(t)))
	// What happens to the one is written down; of the others nothing may come.
	one := newWriter(t, s, all.kind)
	all.create("one-1", "on")
	one.create("one")

	c := consume(t, "library", newWatcher(t, s, one.in, func(w *stream.Watcher) { w.Target.Name = "one" }), nil, nil)
	command := run(t, s, s.Admin, nil, "configmap/one", "-n", one.in.Namespace, "-o", "json", "--markers")
	awaitSynced(t, c, command)
	all.edit("on")
	one.edit("one")
	all.delete("one-1")
	one.delete("one")
	all.create("one-1")
	one.create("one")
	verify(t, one.ledger, c, command)
}

// An object that leaves a selector is reported as deleted, with its old
// content and the version of the edit; one that enters it, as added.
func TestSelectors(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, pods(s.Namespace(t)))
	label := func(name, value string) cluster.Object {
		return w.client.Patch(t, w.in, name, cluster.Manifest{"metadata": cluster.Manifest{"labels": cluster.Manifest{"colour": value}}})
	}
	w.create("in", "out")
	o := label("in", "red")
	w.ledger = new(history.Ledger) // only what is selected counts
	w.ledger.Did(w.key("in"), o.UID, o.ResourceVersion)

	byLabel := consume(t, "label selector", newWatcher(t, s, w.in, func(w *stream.Watcher) { w.Target.LabelSelector = "colour in (red)" }), nil, nil)
	command := run(t, s, s.Admin, nil, "pods", "-n", w.in.Namespace, "-l", "colour=red,n", "-o", "json", "--markers")
	fields := func(selector string) option {
		return func(w *stream.Watcher) { w.Target.FieldSelector = selector }
	}
	none := consume(t, "field selector of none", newWatcher(t, s, w.in, fields("status.phase=Running")), nil, nil)
	all := consume(t, "field selector of all", newWatcher(t, s, w.in, fields("status.phase!=Running")), nil, nil)
	awaitSynced(t, byLabel, command, none, all)

	left := label("in", "blue")
	w.ledger.Gone(w.key("in"), left.UID, left.ResourceVersion)
	entered := label("out", "red")
	w.ledger.Did(w.key("out"), entered.UID, entered.ResourceVersion)
	back := label("in", "red")
	w.ledger.Did(w.key("in"), back.UID, back.ResourceVersion)
	verify(t, w.ledger, byLabel, command)

	for _, ev := range byLabel.received() {
		if ev.Type == stream.Deleted {
			assert.Contains(t, string(ev.Object), `"colour":"red"`, "the old content")
		}
	}
	await(t, all, "the last edit", func(events []history.Event) bool {
		return len(events) > 0 && events[len(events)-1].Version == back.ResourceVersion
	})
	assert.Equal(t, []string{"ADDED in", "ADDED out", "SYNCED", "MODIFIED in", "MODIFIED out", "MODIFIED in"}, words(all.seen()))
	assert.Equal(t, []string{"SYNCED"}, words(none.seen()))
}
