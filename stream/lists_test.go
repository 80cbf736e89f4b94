package stream_test

import (
	"strings"
	"testing"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// Lists that come in pages, and in pieces.

func TestLists(t *testing.T) {
	next := func(token string) replay.Request {
		return replay.Request{Path: path, Query: map[string]string{"continue": token, "watch": "", "resourceVersion": ""}}
	}
	page := func(rv, token string, items ...string) []replay.Step {
		return replay.JSON(200, replay.ListPage(rv, token, items...))
	}
	bubble(t, "a failed page is asked for again with its token, and its items come once", func(t *testing.T) {
		torn := replay.ListPage("10", "t2", item("b", "2"), item("c", "3"))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, page("10", "t1", item("a", "1"))...),
				on(next("t1"), replay.Respond(200), replay.Write(torn[:len(torn)-60]), cut),
				on(next("t1"), refused(503, "ServiceUnavailable")...),
				on(next("t1"), page("10", "t2", item("b", "2"), item("c", "3"))...),
				on(next("t2"), page("10", "", item("d", "4"))...),
				watchOf("10", "", r.stop()...),
			}
		})
		r.played("ADDED a 1", "ADDED b 2", "ADDED c 3", "ADDED d 4", "SYNCED 10")
	})
	bubble(t, "an expired token starts the run over, without the token of the refusal", func(t *testing.T) {
		expired := replay.JSON(410, `{"kind":"Status","metadata":{"continue":"inconsistent"},"reason":"Expired","code":410}`)
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, page("10", "t1", item("a", "1"), item("b", "2"))...),
				on(next("t1"), expired...),
				on(list, page("20", "t1", item("a", "1"), item("c", "15"))...),
				on(next("t1"), expired...),
				on(list, page("30", "t1", item("a", "1"))...),
				on(next("t1"), expired...),
				on(list.With("limit", ""), page("40", "", item("a", "1"), item("c", "15"), item("d", "35"))...),
				watchOf("40", "", r.stop()...),
			}
		})
		r.played("ADDED a 1", "ADDED b 2", "ADDED c 15", "ADDED d 35", "DELETED b 2 inferred", "SYNCED 40")
	})
	bubble(t, "half a list deletes nothing, a whole one does", func(t *testing.T) {
		whole := replay.ListBody("20", item("a", "1"))
		for_ := func(body string, then replay.Step) replay.Exchange {
			return on(list, replay.Respond(200), replay.Write(body), then)
		}
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "1"), item("b", "2")),
				watchOf("10", gone, end),
				for_(whole[:len(whole)-1], end), // lacks its last brace
				for_(whole[:len(whole)-2]+replay.StatusBody(500, "InternalError"), end),
				for_(whole+"{}", end),
				on(list, replay.JSON(200, replay.StatusBody(200, ""))...),
				on(list, replay.JSON(200, "")...),
				listOf("20", item("a", "1")),
				watchOf("20", "", r.stop()...),
			}
		})
		r.played("ADDED a 1", "ADDED b 2", "SYNCED 10", "GAP 10", "DELETED b 2 inferred", "SYNCED 20")
	})
	bubble(t, "page one, read again, is another snapshot", func(t *testing.T) {
		torn := replay.ListBody("10", item("a", "1"), item("b", "2"))
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				on(list, replay.Respond(200), replay.Write(torn[:len(torn)-3]), cut),
				listOf("11", item("a", "1")),
				watchOf("11", "", r.stop()...),
			}
		})
		// Whether b came before the cut is up to the reader; if it did, its
		// delete must too.
		got := r.all()
		if len(got) == 2 {
			assert.Equal(t, []string{"ADDED a 1", "SYNCED 11"}, got)
		} else {
			assert.Equal(t, []string{"ADDED a 1", "ADDED b 2", "DELETED b 2 inferred", "SYNCED 11"}, got)
		}
	})
}

func TestDeliveredOnce(t *testing.T) {
	bubble(t, "a server that repeats itself after a resume", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", ev("ADDED", "b", "11")+ev("DELETED", "a", "12"), cut),
				watchOf("12", ev("ADDED", "b", "11")+ev("DELETED", "a", "12")+ev("MODIFIED", "b", "13"), r.stop()...),
			}
		})
		var left []string
		r.w.Trace.Duplicate = func(ev stream.Event) { left = append(left, line(ev)) }
		r.played("ADDED a 9", "SYNCED 10", "ADDED b 11", "DELETED a 12", "MODIFIED b 13")
		assert.Equal(t, []string{"ADDED b 11", "DELETED a 12"}, left)
	})
	bubble(t, "another object under an old name deletes the old one first", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", item("a", "9")),
				watchOf("10", replay.EventOf("ADDED", replay.ItemUID("a", "other", "11"))+ev("DELETED", "a", "12"), r.stop()...),
			}
		})
		// The last DELETED is of the object that is gone already.
		r.played("ADDED a 9", "SYNCED 10", "DELETED a 9 inferred", "ADDED a 11")
	})
	bubble(t, "objects without uid and version come again rather than never, and their deletes are found", func(t *testing.T) {
		bare := func(name string) string { return `{"metadata":{"name":"` + name + `"}}` }
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", bare("a"), bare("b")),
				watchOf("10", replay.EventOf("MODIFIED", bare("a"))+gone, end),
				listOf("20", bare("a")),
				watchOf("20", replay.EventOf("DELETED", bare("a")), r.stop()...),
			}
		})
		r.played("ADDED a", "ADDED b", "SYNCED 10", "MODIFIED a", "GAP 10", "MODIFIED a", "DELETED b inferred", "SYNCED 20", "DELETED a")
		assert.Equal(t, "20", r.w.State().ResourceVersion, "none of them said where it is")
	})
	bubble(t, "objects without uid", func(t *testing.T) {
		bare := func(rv string) string { return `{"metadata":{"name":"a","resourceVersion":"` + rv + `"}}` }
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10", bare("9")),
				watchOf("10", replay.EventOf("MODIFIED", bare("9"))+replay.EventOf("MODIFIED", bare("11"))+gone, end),
				listOf("20", bare("11")),
				watchOf("20", replay.EventOf("DELETED", bare("21")), r.stop()...),
			}
		})
		r.played("ADDED a 9", "SYNCED 10", "MODIFIED a 11", "GAP 11", "SYNCED 20", "DELETED a 21")
	})
}

func TestStatusAmongTheItemsIsNoItem(t *testing.T) {
	bubble(t, "it is the end of a list that a server could not finish", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			body, _, _ := strings.Cut(replay.ListBody("10", item("a", "3"), item("b", "4")), item("b", "4"))
			return replay.Script{
				on(list, stream200(body+replay.StatusBody(500, "InternalError"), end)...),
				listOf("12", item("a", "3"), item("b", "4")),
				watchOf("12", "", r.stop()...),
			}
		})
		r.played("ADDED a 3", "ADDED b 4", "SYNCED 12")
	})
}
