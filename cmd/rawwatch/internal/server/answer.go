package server

import (
	"fmt"
	"net/http"

	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// give writes an answer.
type give func(http.ResponseWriter, *http.Request)

// answer decides what a request gets, and says it in a few words.
func (s *Server) answer(r *http.Request) (answer give, what string) {
	if r.Method != http.MethodGet {
		return plainly(fail(405, "MethodNotAllowed", "a recording is read-only")), "405, a recording is read-only"
	}
	asked, of := s.find(newQuestion(r))
	of.metadata = exchange.ViewOf(r.Header.Get("Accept")) == stream.MetadataOnly
	if !s.has(asked.what) {
		if steps, what, ok := s.object(asked, of); ok {
			return plainly(steps), what
		}
		if asked.isEvents() {
			// kubectl describe NAME fails without. Other types that were not
			// recorded are no empty lists: a test has to learn that its client
			// asks for what is not there.
			return plainly(replay.JSON(200, listOf(decode.ListHeader{Kind: "EventList", APIVersion: "v1", ResourceVersion: unknownVersion}, nil))), "no events were recorded: an empty list"
		}
		return plainly(fail(404, "NotFound", "the recording has nothing like this; it has:"+s.paths())), "404, it is not in the recording"
	}
	answer, what = s.form(asked)
	bookmarks := exchange.IsTrue(r.URL.Query().Get("allowWatchBookmarks"))
	switch whole := answer; {
	case of.isAll() && (bookmarks || !asked.watch):
	case asked.watch:
		answer = func(w http.ResponseWriter, r *http.Request) {
			some := watched(w, of, bookmarks)
			whole(some, r)
			some.close()
		}
	default:
		answer = func(w http.ResponseWriter, r *http.Request) {
			capture(r, whole, nil).only(w, r, of)
		}
	}
	if !of.isAll() {
		what += ", the part that was asked for"
	}
	return answer, what
}

// form is the answer to a question about a collection that was recorded,
// whole, in the form that it is asked for.
func (s *Server) form(asked question) (answer give, what string) {
	exchange := func(n int, as string) (give, string) {
		return s.play(n), fmt.Sprintf("exchange %d of %d%s", n+1, len(s.script), as)
	}
	if n, ok := s.take(asked); ok {
		return exchange(n, "")
	}
	switch {
	case asked.initial() && s.hasList(asked.what):
		if n, ok := s.take(asked.asStream()); ok {
			return exchange(n, "")
		}
		return func(w http.ResponseWriter, r *http.Request) { s.streamed(w, r, asked) }, "the recorded list, as a stream"
	case asked.streaming:
		// As servers without the feature do. Clients list instead.
		return plainly(fail(422, "Invalid", "sendInitialEvents: Forbidden: the recording has no list here")), "422, no list was recorded"
	case asked.watch:
		if anyVersion(asked.version) {
			if n, ok := s.takeOne(asked, asked.isFrom); ok {
				return exchange(n, "")
			}
		}
		if n, ok := s.takeBehind(asked); ok {
			return func(w http.ResponseWriter, r *http.Request) { s.rest(w, r, n) }, fmt.Sprintf("exchange %d of %d, behind its initial events", n+1, len(s.script))
		}
		return silence, "nothing was recorded after this: silence"
	case asked.token != "":
		return plainly(noPage), "410, no such page was recorded"
	}
	if n, ok := s.take(asked.asStream()); ok {
		return func(w http.ResponseWriter, r *http.Request) { s.gathered(w, r, asked, n) }, fmt.Sprintf("exchange %d of %d, as a list", n+1, len(s.script))
	}
	// A recording that begins with a watch. What existed is not in it, and a
	// client that lists first would otherwise see nothing at all.
	s.rewind()
	return plainly(replay.JSON(200, s.empty(asked.what))), "no list was recorded: an empty one, at the version of the first watch"
}

// noPage: a continue token that was not recorded is one that has expired.
var noPage = fail(410, "Expired", "the recording has no such page")

// empty is a list of nothing.
func (s *Server) empty(of what) string {
	k := s.kinds[of.path]
	return fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":{"resourceVersion":%s},"items":[]}`,
		quote(k.name+"List"), quote(k.apiVersion), quote(s.firstWatch(of)))
}
