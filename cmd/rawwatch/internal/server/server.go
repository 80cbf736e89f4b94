package server

import (
	"fmt"
	"net/http"
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
	open   func() (*replay.Reader, error)
	// guessed: the recording has no requests, so it cannot say in which
	// namespace it was watched, and answers for all.
	guessed bool

	mu     sync.Mutex
	played []bool        // given to a client
	over   []bool        // and ended by the server
	behind map[point]int // where clients go on that got a list of streamed events
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
	s.played, s.over = make([]bool, len(s.script)), make([]bool, len(s.script))
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
	give, what := s.answer(r)
	if s.Log != nil {
		s.Log("%s %s: %s", r.Method, r.URL.RequestURI(), what)
	}
	give(w, r)
}

// fail is a Status.
func fail(code int, reason, message string) []replay.Step {
	return replay.JSON(code, fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%s,"reason":%q,"code":%d}`,
		quote(message), reason, code))
}

// silence is a watch in which nothing happens, for as long as it asks for.
func silence(w http.ResponseWriter, r *http.Request) {
	const atMost = 24 * 60 * 60
	seconds, err := strconv.Atoi(r.URL.Query().Get("timeoutSeconds"))
	if err != nil || seconds <= 0 || seconds > atMost {
		plainly([]replay.Step{replay.Respond(200), replay.Hold()})(w, r)
		return
	}
	plainly([]replay.Step{replay.Respond(200), replay.Pause(time.Duration(seconds) * time.Second), replay.End()})(w, r)
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
