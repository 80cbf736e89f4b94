package server

import (
	"net/url"
	"regexp"
	"slices"

	"example.com/rawwatch/stream"
)

// take finds the exchange that a question gets: of those that fit, the first
// that has not been played. What fits better comes first.
func (s *Server) take(asked question) (n int, ok bool) {
	return s.takeOne(asked, asked.is, asked.isLike)
}

func (s *Server) takeOne(asked question, fits ...func(question) bool) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fit := range fits {
		for n := range s.script {
			if !s.played[n] && fit(recorded(&s.script[n])) && s.due(asked, n) {
				s.played[n] = true
				return n, true
			}
		}
	}
	loosest := fits[len(fits)-1]
	if asked.lists() && !asked.begins() {
		// client-go lists again when a watch was too short for it. It gets the
		// list that it knows, and goes on with what comes behind.
		for n := len(s.script) - 1; n >= 0; n-- {
			if s.played[n] && loosest(recorded(&s.script[n])) {
				return n, true
			}
		}
	}
	for n := range s.script {
		if !loosest(recorded(&s.script[n])) {
			continue
		}
		switch {
		case asked.lists():
			s.clear() // everything behind this is there again
		case n == len(s.script)-1:
			continue // the end of the recording; it does not come again and again
		}
		s.played[n] = true
		return n, true
	}
	return 0, false
}

// due reports whether the time of exchange n has come: the recorded client
// listed again when its watch was over, and somebody who lists before that is
// another client, which begins.
//
//	recorded:  LIST  WATCH…410        LIST  WATCH
//	kubectl:   LIST  (leaves)
//	informer:                   LIST: the first one
//	                 WATCH…410        LIST: the second one
func (s *Server) due(asked question, n int) bool {
	if !asked.lists() {
		return true
	}
	watched := false
	for n--; n >= 0; n-- {
		q := recorded(&s.script[n])
		if q.what != asked.what {
			continue
		}
		if q.watch && s.over[n] {
			return true
		}
		watched = watched || q.watch
		if q.lists() {
			break
		}
	}
	return !watched
}

// rewind makes everything there again.
func (s *Server) rewind() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clear()
}

func (s *Server) clear() {
	clear(s.played)
	clear(s.over)
}

// ended is told that exchange n was played, and that it was not the client who
// ended it.
func (s *Server) ended(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over[n] = true
}

// point is where a client stands that got a list made of a streaming list.
type point struct {
	what
	version string
}

// listed keeps the place behind the initial events of exchange n.
func (s *Server) listed(at point, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.behind == nil {
		s.behind = map[point]int{}
	}
	s.behind[at] = n
}

// takeBehind finds the streaming list that a watch from the version of a list
// goes on in. It does so once: a client that resumes there has seen its end.
func (s *Server) takeBehind(asked question) (n int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := point{asked.what, asked.version}
	n, ok = s.behind[at]
	delete(s.behind, at)
	return n, ok
}

// has reports whether something of it was recorded.
func (s *Server) has(asked what) bool {
	return slices.ContainsFunc(s.questions(), func(q question) bool { return q.what == asked })
}

// hasList reports whether what existed was recorded, as a list or a stream.
func (s *Server) hasList(asked what) bool {
	return slices.ContainsFunc(s.questions(), func(q question) bool {
		return q.what == asked && (!q.watch || q.streaming)
	})
}

func (s *Server) questions() []question {
	all := make([]question, len(s.script))
	for n := range s.script {
		all[n] = recorded(&s.script[n])
	}
	return all
}

// firstWatch is where the first recorded watch of what is asked began.
func (s *Server) firstWatch(asked what) string {
	for _, q := range s.questions() {
		if q.what == asked && q.watch {
			return q.version
		}
	}
	return ""
}

var inNamespace = regexp.MustCompile(`/namespaces/[^/]+/`)

// find finds the recorded collection that a question is about, and which part
// of it.
func (s *Server) find(asked question) (found question, of part) {
	if s.guessed {
		asked.path = inNamespace.ReplaceAllString(asked.path, "/")
	}
	try := []question{asked}
	if wider := s.wider(asked.path); wider != "" {
		q := asked
		q.path = wider
		try = append(try, q)
	}
	narrow, ok := narrowed(asked.fields)
	for _, narrower := range []bool{false, true} {
		for _, q := range try {
			of := part{}
			if narrower {
				if !ok {
					continue
				}
				q.fields, of = "", narrow
			}
			if !s.has(q.what) {
				continue
			}
			if t, err := stream.ParsePath(asked.path); err == nil && q.path != asked.path {
				of.namespace = t.Namespace
			}
			return q, of
		}
	}
	return asked, part{}
}

// wider is the path of a collection with that of path in it: all namespaces
// for one of them. The other way round it is the only namespace that was
// recorded, for them all.
func (s *Server) wider(path string) string {
	t, err := stream.ParsePath(path)
	if err != nil {
		return ""
	}
	if t.Namespace != "" {
		return inNamespace.ReplaceAllString(path, "/")
	}
	only := ""
	for _, q := range s.questions() {
		recorded, err := stream.ParsePath(q.path)
		if err != nil || recorded.Namespace == "" || inNamespace.ReplaceAllString(q.path, "/") != path {
			continue
		}
		if only != "" && only != q.path {
			return ""
		}
		only = q.path
	}
	return only
}

// paths lists what the recording is about.
func (s *Server) paths() string {
	text, seen := "", map[what]bool{}
	for _, q := range s.questions() {
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
