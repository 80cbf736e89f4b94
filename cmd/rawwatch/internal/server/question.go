package server

import (
	"encoding/json"
	"net/http"

	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
	"example.com/rawwatch/stream/replay"
)

// what is asked about: a collection, or another path.
type what struct{ path, labels, fields string }

// question is what matters about a request; the rest (limits, timeouts,
// bookmarks, views) may be other than it was when it was recorded.
type question struct {
	what
	watch     bool
	streaming bool   // it wants what exists first, and a bookmark behind that
	version   string // resourceVersion
	token     string // of a page
}

func newQuestion(r *http.Request) question {
	q := r.URL.Query()
	return question{
		what:      what{r.URL.EscapedPath(), q.Get("labelSelector"), q.Get("fieldSelector")},
		watch:     exchange.IsTrue(q.Get("watch")),
		streaming: exchange.IsTrue(q.Get("sendInitialEvents")),
		version:   q.Get("resourceVersion"), token: q.Get("continue"),
	}
}

// recorded is the question that an exchange answers.
func recorded(e *replay.Exchange) question {
	q := e.Request.Query
	return question{
		what:      what{e.Request.Path, q["labelSelector"], q["fieldSelector"]},
		watch:     exchange.IsTrue(q["watch"]),
		streaming: exchange.IsTrue(q["sendInitialEvents"]),
		version:   q["resourceVersion"], token: q["continue"],
	}
}

// is reports whether the answer to r is one to q.
func (q question) is(r question) bool { return q == r }

// isLike reports whether it will do. Clients ask for lists at any version
// (informers at 0, and after a loss at the one they lost), also if they are
// streamed; and where a version was not recorded, any is it.
func (q question) isLike(r question) bool {
	if !q.watch || q.streaming || r.version == unknownVersion {
		q.version = r.version
	}
	return q == r
}

// isFrom is isLike for a watch that may begin anywhere: where r does.
func (q question) isFrom(r question) bool { return q.what == r.what && r.watch }

// initial: it wants what exists first.
func (q question) initial() bool { return q.watch && (q.streaming || anyVersion(q.version)) }

// lists: it is about what exists, from the first page on.
func (q question) lists() bool { return q.initial() || !q.watch && q.token == "" }

// begins: it is not the question of a client that has come further. Who lists
// again names the version that it knows.
func (q question) begins() bool { return q.lists() && anyVersion(q.version) }

// asList is the list of what a streaming list streams, asStream the reverse,
// and from the watch that goes on behind either.
func (q question) asList() question { return question{what: q.what, version: q.version} }
func (q question) asStream() question {
	return question{what: q.what, watch: true, streaming: true, version: q.version}
}
func (q question) from(version string) question {
	return question{what: q.what, watch: true, version: version}
}

func anyVersion(v string) bool { return v == "" || v == "0" }

// unknownVersion is in questions that were not recorded with their answers. It
// is a number, as some clients expect, and no server counts from it.
const unknownVersion = "1"

// quote is s as a JSON string.
func quote(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}
