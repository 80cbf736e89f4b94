package stream_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

const (
	acceptPlain = "application/json"
	acceptTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
)

// accepting is an exchange whose request has to have this Accept header.
func accepting(accept string, e replay.Exchange) replay.Exchange {
	e.Request.Header = map[string]string{"Accept": accept}
	return e
}

func of(v stream.View) func(*stream.Watcher) {
	return func(w *stream.Watcher) { w.View = v }
}

// A server that refuses the header is asked once more, for the plain object,
// and from then on for nothing else.
func TestAServerThatRefusesAView(t *testing.T) {
	refused := on(list, replay.JSON(406, replay.StatusBody(406, "NotAcceptable"))...)
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				accepting(acceptTable, refused),
				accepting(acceptPlain, listOf("10", item("a", "8"))),
				accepting(acceptPlain, watchOf("10", ev("MODIFIED", "a", "11"))),
				accepting(acceptPlain, watchOf("11", ev("MODIFIED", "a", "12"), r.stop()...)),
			}
		}, of(stream.Table))
		r.played("ADDED a 8", "SYNCED 10", "MODIFIED a 11", "MODIFIED a 12")
	})
	bubble(t, "of the plain object", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{accepting(acceptTable, refused), accepting(acceptPlain, refused)}
		}, of(stream.Table))
		r.all()
		assert.ErrorContains(t, r.err, "406")
	})
}

func TestATableWithObjects(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list.With("includeObject", "Object"), replay.JSON(200, replay.ListBody("10"))...),
				on(watch("10").With("includeObject", "Object"), stream200(ev("ADDED", "a", "11"), r.stop()...)...),
			}
		}, of(stream.TableObject))
		r.played("SYNCED 10", "ADDED a 11")
	})
}

// A Table shows the same objects at the same versions, so its checkpoint is
// good for objects too; and what it calls itself is not what they are.
func TestACheckpointIsForAnyTable(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "position")
		r := newRig(t, func(r *rig) replay.Script {
			table := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"10"},"columnDefinitions":[],"rows":[{"cells":["a"],"object":{"metadata":{"name":"a","namespace":"t","resourceVersion":"8"}}}]}`
			return replay.Script{
				on(list, replay.JSON(200, table)...),
				watchOf("10", "", r.stop()...),
			}
		}, of(stream.Table), checkpoint(file))
		r.played("ADDED a 8", "SYNCED 10")
		r = newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("20"), watchOf("20", "", r.stop()...)}
		}, checkpoint(file), func(w *stream.Watcher) { w.ListFirst = true })
		var gone stream.Event
		for ev, err := range r.w.Watch(r.ctx) {
			if err == nil && ev.Type == stream.Deleted {
				gone = ev
			}
		}
		assert.Equal(t, "a", gone.Name)
		assert.Empty(t, gone.Kind, "of what kind it was, a Table does not say")
	})
}

func TestItemsOfAListAreShown(t *testing.T) {
	bubble(t, "", func(t *testing.T) {
		var items []string
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "8")),
				watchOf("10", replay.ErrorEvent(410, "Expired")),
				listOf("20", item("a", "8"), item("b", "15")),
				watchOf("20", "", r.stop()...),
			}
		}, func(w *stream.Watcher) {
			w.Trace.Item = func(object []byte) { items = append(items, string(object)) }
		})
		r.played("ADDED a 8", "SYNCED 10", "GAP 10", "ADDED b 15", "SYNCED 20")
		require.Len(t, items, 3, "the one that was known, too")
		assert.Equal(t, items[0], items[1])
		assert.Contains(t, items[2], `"name":"b"`)
	})
}

func TestViewsInAWord(t *testing.T) {
	assert.Equal(t, "object metadata only table table unknown",
		fmt.Sprintf("%v %v %v %v %v", stream.Object, stream.MetadataOnly, stream.Table, stream.TableObject, stream.View(9)))
}
