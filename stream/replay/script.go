package replay

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Script is everything a server will do, in order. The requests must come in
// this order too: a watch client is a sequence of decisions, and a test that
// let them come in any order would not notice a wrong one.
type Script []Exchange

// An Exchange is one request and what the server does about it. [On] makes
// one, and so do [Refuse] and [Drop], which wait for connections instead.
type Exchange struct {
	Request Request
	Answer  []Step

	// How many attempts to connect are turned away before the script goes on.
	// An exchange with one of these has neither Request nor Answer.
	refuse, drop int
}

// On is the exchange that answers request with steps. Steps that stop before
// the answer is over (no End, Cut, Reset, Hold, …) are followed by [End].
func On(request Request, steps ...Step) Exchange {
	return Exchange{Request: request, Answer: steps}
}

// Refuse is not a request: the next n attempts to connect fail with
// syscall.ECONNREFUSED, as on a server whose process is gone. Idle connections
// are closed first, or a client would not need to connect. Only clients that
// dial through the server ([Server.Client], [Server.DialContext]) can be
// refused; any other one is accepted and reset. What is counted is attempts,
// and on HTTP/2 with TLS net/http may make two of them for one request.
func Refuse(n int) Exchange { return Exchange{refuse: n} }

// Drop is not a request: the next n connections are accepted and closed at
// once, as by a load balancer with nothing behind it. Idle connections are
// closed first.
func Drop(n int) Exchange { return Exchange{drop: n} }

// connects reports whether the exchange waits for connections, not a request.
func (e *Exchange) connects() bool { return e.refuse > 0 || e.drop > 0 }

func (e *Exchange) String() string {
	switch {
	case e.refuse > 0:
		return fmt.Sprintf("%d refused connections", e.refuse)
	case e.drop > 0:
		return fmt.Sprintf("%d dropped connections", e.drop)
	}
	return e.Request.String()
}

// A Request says what the next request must be. The zero value takes any GET.
type Request struct {
	Method string // "" = GET
	Path   string // exact, still escaped as on the wire; "" = any
	// Query holds the wanted first value of each key; "" means that the key
	// must be absent or empty. Keys that are not named are free.
	Query map[string]string
	// Header is the same for header fields.
	Header map[string]string
	// Check, if not nil, has the last word. It is called from a goroutine of
	// the server.
	Check func(*http.Request) error
}

// List is a GET of path for a list: no watch, no continue token, and
// resourceVersion absent or empty.
func List(path string) Request {
	return Request{Path: path, Query: map[string]string{"watch": "", "resourceVersion": "", "continue": ""}}
}

// Watch is a GET of path with watch=true and the given resourceVersion; rv ""
// means that the request must carry none.
func Watch(path, rv string) Request {
	return Request{Path: path, Query: map[string]string{"watch": "true", "resourceVersion": rv}}
}

// With returns a copy of r that also wants value for key in the query, or
// wants key to be absent if value is "".
func (r Request) With(key, value string) Request {
	q := maps.Clone(r.Query)
	if q == nil {
		q = map[string]string{}
	}
	q[key] = value
	r.Query = q
	return r
}

// String is the request line that would match.
func (r Request) String() string {
	q := url.Values{}
	for k, v := range r.Query {
		if v != "" {
			q.Set(k, v)
		}
	}
	path := r.Path
	if path == "" {
		path = "*"
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return r.method() + " " + path
}

func (r Request) method() string {
	if r.Method == "" {
		return http.MethodGet
	}
	return r.Method
}

// differences lists what keeps got from being the wanted request, one line
// each; none means that it matches. The count is what "nearest" is measured by
// when nothing matches.
func (r Request) differences(got *http.Request) []string {
	var diff []string
	if got.Method != r.method() {
		diff = append(diff, fmt.Sprintf("method: want %s, got %s", r.method(), got.Method))
	}
	if path := got.URL.EscapedPath(); r.Path != "" && path != r.Path {
		diff = append(diff, fmt.Sprintf("path: want %s, got %s", r.Path, path))
	}
	query := got.URL.Query()
	for _, k := range slices.Sorted(maps.Keys(r.Query)) {
		if v := query.Get(k); !sameValue(k, r.Query[k], v) {
			diff = append(diff, fmt.Sprintf("query %s: want %q, got %q", k, r.Query[k], v))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(r.Header)) {
		switch v := got.Header.Get(k); {
		case v == r.Header[k]:
		case secretHeader(k):
			// A test's log is public; even a made-up token there teaches
			// readers that tokens in logs are fine.
			diff = append(diff, fmt.Sprintf("header %s: not the wanted value (%d bytes)", k, len(v)))
		default:
			diff = append(diff, fmt.Sprintf("header %s: want %q, got %q", k, r.Header[k], v))
		}
	}
	if len(diff) == 0 && r.Check != nil {
		// Only a request that is right otherwise: a check may rely on the path.
		if err := r.Check(got); err != nil {
			diff = append(diff, "check: "+err.Error())
		}
	}
	return diff
}

// sameValue compares query values as the server does: of the boolean ones
// everything but "0" and "false" is true.
func sameValue(key, want, got string) bool {
	switch key {
	case "watch", "sendInitialEvents", "allowWatchBookmarks":
		return truth(want) == truth(got)
	}
	return want == got
}

func truth(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }
