package server

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Server plays a recording. It is an http.Handler.
type Server struct {
	// Log, if not nil, is told of every request and what it got. It is called
	// from several goroutines.
	Log func(format string, args ...any)

	script replay.Script
	api    *replay.Handler // answers discovery
	kinds  map[string]kind // of objects that are watched, by path
	// guessed: the recording has no requests, so it cannot say in which
	// namespace it was watched, and answers for all.
	guessed bool

	mu     sync.Mutex
	played []bool
}

// New makes a Server of a script, whose requests all have paths.
func New(script replay.Script) *Server {
	s := &Server{api: replay.NewHandler(script, true)}
	s.api.Discovery = true
	for _, e := range script {
		// Discovery is answered from what there is, in the form that a client
		// asks for; and nobody can be refused who has connected already.
		if len(e.Answer) > 0 && !isDiscovery(e.Request.Path) {
			s.script = append(s.script, e)
		}
	}
	s.played = make([]bool, len(s.script))
	return s
}

// Len is how many exchanges can be asked for.
func (s *Server) Len() int { return len(s.script) }

// isDiscovery reports whether a path is one by which clients find out what
// there is.
func isDiscovery(path string) bool {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch parts[0] {
	case "version", "healthz", "livez", "readyz":
		return len(parts) == 1
	case "api":
		return len(parts) <= 2
	case "apis":
		return len(parts) <= 3
	}
	return false
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && isDiscovery(r.URL.Path) {
		s.api.ServeHTTP(w, r)
		return
	}
	steps, what := s.answer(r)
	if s.Log != nil {
		s.Log("%s %s: %s", r.Method, r.URL.RequestURI(), what)
	}
	answer := replay.Exchange{Request: replay.Request{Method: r.Method}, Answer: steps}
	if !isTrue(r.URL.Query().Get("allowWatchBookmarks")) {
		w = &unmarked{ResponseWriter: w}
	}
	replay.NewHandler(replay.Script{answer}, true).ServeHTTP(w, r)
}

var inNamespace = regexp.MustCompile(`/namespaces/[^/]+/`)

// answer decides what a request gets, and says it in a few words.
func (s *Server) answer(r *http.Request) (steps []replay.Step, what string) {
	if r.Method != http.MethodGet {
		return fail(405, "MethodNotAllowed", "a recording is read-only"), "405, a recording is read-only"
	}
	asked := newQuestion(r)
	if s.guessed {
		asked.path = inNamespace.ReplaceAllString(asked.path, "/")
	}
	if n, ok := s.take(asked); ok {
		return s.script[n].Answer, fmt.Sprintf("exchange %d of %d", n+1, len(s.script))
	}
	version, known := s.firstWatch(asked)
	switch {
	case !known:
		return fail(404, "NotFound", "the recording has nothing like this; it has:"+s.paths()), "404, it is not in the recording"
	case asked.streaming:
		// As servers without the feature do. Clients list instead.
		return fail(422, "Invalid", "sendInitialEvents: Forbidden: the recording has no streaming list here"), "422, no streaming list was recorded"
	case asked.watch:
		return silence(r), "nothing was recorded after this: silence"
	case asked.token == "" && version != "":
		// A recording that begins with a watch. What existed is not in it, and
		// a client that lists first would otherwise see nothing at all.
		s.rewind()
		k := s.kinds[asked.path]
		return replay.JSON(200, fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":{"resourceVersion":%s},"items":[]}`,
				quote(k.name+"List"), quote(k.apiVersion), quote(version))),
			"no list was recorded: an empty one, at the version of the first watch"
	}
	return fail(410, "Expired", "the recording has no such page"), "410, no such page was recorded"
}

// take finds the exchange that a request gets. Among those that fit to the
// letter and those that nearly do, the first come first.
func (s *Server) take(asked question) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fits := range []func(question) bool{asked.is, asked.isLike} {
		for n := range s.script {
			if !s.played[n] && fits(recorded(&s.script[n])) {
				s.played[n] = true
				return n, true
			}
		}
	}
	for n := range s.script {
		if !asked.isLike(recorded(&s.script[n])) {
			continue
		}
		switch {
		case asked.begins():
			clear(s.played) // everything behind this is there again
		case n == len(s.script)-1:
			continue // the end of the recording; it does not come again and again
		}
		s.played[n] = true
		return n, true
	}
	return 0, false
}

// rewind makes everything there again.
func (s *Server) rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.played)
}

// firstWatch is where the first recorded watch of what is asked began; known
// is false if nothing of it was recorded.
func (s *Server) firstWatch(asked question) (version string, known bool) {
	for n := range s.script {
		if q := recorded(&s.script[n]); q.what == asked.what {
			known = true
			if q.watch {
				return q.version, true
			}
		}
	}
	return "", known
}

// paths lists what the recording is about.
func (s *Server) paths() string {
	text, seen := "", map[what]bool{}
	for n := range s.script {
		q := recorded(&s.script[n])
		if seen[q.what] {
			continue
		}
		seen[q.what] = true
		text += " " + q.path
		selectors := url.Values{}
		for key, value := range map[string]string{"labelSelector": q.labels, "fieldSelector": q.fields} {
			if value != "" {
				selectors.Set(key, value)
			}
		}
		if len(selectors) > 0 {
			text += "?" + selectors.Encode()
		}
	}
	return text
}

// fail is a Status.
func fail(code int, reason, message string) []replay.Step {
	return replay.JSON(code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%s,"reason":%q,"code":%d}`,
		quote(message), reason, code))
}

// silence is a watch in which nothing happens, for as long as it asks for.
func silence(r *http.Request) []replay.Step {
	const atMost = 24 * 60 * 60
	seconds, err := strconv.Atoi(r.URL.Query().Get("timeoutSeconds"))
	if err != nil || seconds <= 0 || seconds > atMost {
		return []replay.Step{replay.Respond(200), replay.Hold()}
	}
	return []replay.Step{replay.Respond(200), replay.Pause(time.Duration(seconds) * time.Second), replay.End()}
}

// Namespace is the one that all collections of the recording are in, or "".
func (s *Server) Namespace() string {
	namespace := ""
	for n := range s.script {
		t, err := stream.ParsePath(s.script[n].Request.Path)
		switch {
		case err != nil:
		case t.Namespace == "" || namespace != "" && namespace != t.Namespace:
			return ""
		default:
			namespace = t.Namespace
		}
	}
	return namespace
}

// Example is a path to try: that of the first exchange.
func (s *Server) Example() string {
	if len(s.script) == 0 {
		return ""
	}
	return s.script[0].Request.Path
}
