package stream_test

import (
	"testing"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// Failures of one kind: what a list says, and what it says by not saying it.

func TestFailureB07DeletesOfAGapAreFound(t *testing.T) {
	for name, answer := range map[string][]replay.Step{
		"cut": stream200(ev("MODIFIED", "a", "11"), cut), "ended": stream200(ev("MODIFIED", "a", "11"), end),
		"reset": stream200(ev("MODIFIED", "a", "11"), replay.Reset()),
	} {
		bubble(t, name+": a reconnect carries the last version, and the server tells the rest", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10", item("a", "9"), item("b", "8")),
					on(watch("10"), answer...),
					watchOf("11", ev("DELETED", "b", "12"), r.stop()...),
				}
			})
			r.played("ADDED a 9", "ADDED b 8", "SYNCED 10", "MODIFIED a 11", "DELETED b 12")
		})
	}
	bubble(t, "after a loss, what is missing in the list is deleted, and what is unchanged is no news", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9"), item("b", "8")),
				watchOf("10", gone, end),
				listOf("30", item("a", "9")),
				watchOf("30", "", r.stop()...),
			}
		})
		r.played("ADDED a 9", "ADDED b 8", "SYNCED 10", "GAP 10", "DELETED b 8 inferred", "SYNCED 30")
	})
	bubble(t, "an object made anew under its old name is another one", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9"), item("b", "8")),
				watchOf("10", gone, end),
				listOf("30", item("a", "9"), replay.ItemUID("b", "u-b2", "25")),
				watchOf("30", "", r.stop()...),
			}
		})
		r.played("ADDED a 9", "ADDED b 8", "SYNCED 10", "GAP 10", "DELETED b 8 inferred", "ADDED b 25", "SYNCED 30")
	})
	bubble(t, "objects the watch brought are deleted like those of the list", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", ev("ADDED", "b", "11")+ev("DELETED", "a", "12")+gone, end),
				listOf("30"),
				watchOf("30", "", r.stop()...),
			}
		})
		r.played("ADDED a 9", "SYNCED 10", "ADDED b 11", "DELETED a 12", "GAP 12", "DELETED b 11 inferred", "SYNCED 30")
	})
}

func TestFailureB14NullIsAnEmptyList(t *testing.T) {
	for name, body := range map[string]string{
		"null items":  `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":null}`,
		"no items":    `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"}}`,
		"sorted keys": `{"apiVersion":"v1","items":[],"kind":"ConfigMapList","metadata":{"continue":"","resourceVersion":"10"}}`,
		"null last":   `{"apiVersion":"v1","kind":"ConfigMapList","metadata":{"continue":null,"resourceVersion":"10"},"items":null}`,
		"pretty":      "{\n  \"kind\": \"ConfigMapList\",\n  \"metadata\": {\n    \"resourceVersion\": \"10\"\n  },\n  \"items\": []\n}",
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{on(list, replay.JSON(200, body)...), watchOf("10", "", r.stop()...)}
			})
			r.played("SYNCED 10")
		})
		bubble(t, "a relist with "+name+" deletes everything", func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("5", item("a", "3")), watchOf("5", gone, end),
					on(list, replay.JSON(200, body)...), watchOf("10", "", r.stop()...),
				}
			})
			r.played("ADDED a 3", "SYNCED 5", "GAP 5", "DELETED a 3 inferred", "SYNCED 10")
		})
	}
	bubble(t, "an event with null in it is an event", func(t *testing.T) {
		odd := replay.EventOf("MODIFIED", `{"kind":"Pod","metadata":{"name":"a","uid":"u-a","resourceVersion":"11","labels":null,"annotations":null},"spec":{"containers":null},"status":null}`)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), watchOf("10", odd, cut), watchOf("11", "", r.stop()...)}
		})
		r.played("SYNCED 10", "MODIFIED a 11")
	})
	bubble(t, "an item that is null is a broken list, and the error says which", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			bad := on(list, replay.JSON(200, `{"kind":"ConfigMapList","metadata":{"resourceVersion":"10"},"items":[`+item("a", "3")+`,null]}`)...)
			return replay.Script{bad, bad, bad}
		})
		assert.Equal(t, []string{"ADDED a 3"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrNotStream)
		var shape *decode.ShapeError
		if assert.ErrorAs(t, r.err, &shape) {
			assert.Equal(t, 1, shape.Index)
		}
	})
}
