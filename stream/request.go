package stream

import (
	"net/http"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Version is sent in the User-Agent of every request.
const Version = "0.1.0"

// The User-Agent must not begin like a browser's or curl's: those get
// indented lists (apiserver pkg/endpoints/handlers/negotiation).
const defaultUserAgent = "rawwatch/" + Version + " (" + runtime.GOOS + "/" + runtime.GOARCH + ")"

// request is a request about to be sent. Every request of this package is
// built in this file.
type request struct {
	verb   Verb
	url    *url.URL
	header http.Header

	version string        // of a watch: the resourceVersion it starts from
	timeout time.Duration // of a watch: the timeoutSeconds asked for
	page    int           // of a list: 0 is the first
	idle    time.Duration // how long it may say nothing; 0 is what a list may
}

// listRequest asks for one page, not older than version if there is one.
// Without, it is a consistent read. The token of a page carries its own
// version, and servers refuse any beside it.
func (s *settings) listRequest(limit int, token, version string, page int) request {
	var q query
	switch {
	case token != "":
		q.add("continue", token)
	case version != "":
		q.add("resourceVersion", version)
		q.add("resourceVersionMatch", "NotOlderThan")
	}
	if limit > 0 {
		q.add("limit", strconv.Itoa(limit))
	}
	return s.request(request{verb: List, page: page}, q)
}

// watchRequest asks for the events after version. Bookmarks are always asked
// for: they keep the resume point of a quiet collection fresh.
func (s *settings) watchRequest(version string, timeout time.Duration) request {
	var q query
	if version != "" {
		q.add("resourceVersion", version)
	}
	return s.watch(request{version: version, timeout: timeout, idle: timeout + watchIdleGrace}, q)
}

// streamRequest is a watchRequest that asks for what exists first. The three
// parameters go together: servers refuse one without the others.
func (s *settings) streamRequest(timeout time.Duration) request {
	var q query
	q.add("sendInitialEvents", "true")
	q.add("resourceVersionMatch", "NotOlderThan")
	return s.watch(request{timeout: timeout, idle: streamIdleTimeout}, q)
}

// watch adds what all watches have.
//
// Identity: a server or proxy that compresses event by event may hold back
// each event until the next (the reader of a gzip member waits for what comes
// after it).
func (s *settings) watch(r request, q query) request {
	q.add("watch", "true")
	q.add("allowWatchBookmarks", "true")
	q.add("timeoutSeconds", strconv.Itoa(int(r.timeout/time.Second)))
	r.verb = Watch
	r = s.request(r, q)
	r.header.Set("Accept-Encoding", "identity")
	return r
}

// request adds what every request carries unchanged: a resume with other
// selectors, or in another view, would be another watch.
func (s *settings) request(r request, q query) request {
	if s.target.LabelSelector != "" {
		q.add("labelSelector", s.target.LabelSelector)
	}
	if f := s.target.fieldSelector(); f != "" {
		q.add("fieldSelector", f)
	}
	if s.view == TableObject {
		q.add("includeObject", "Object")
	}
	at := *s.server
	at.User = nil
	at.RawPath = below(at.EscapedPath(), s.target.path(url.PathEscape))
	at.Path = below(at.Path, s.target.path(asIs))
	at.RawQuery = string(q)
	r.url = &at
	r.header = http.Header{
		"Accept":     {accept(s.view, r.verb)},
		"User-Agent": {s.userAgent},
	}
	return r
}

// query is the parameters of a request. url.Values would sort them.
type query string

func (q *query) add(name, value string) {
	if *q != "" {
		*q += "&"
	}
	*q += query(name + "=" + url.QueryEscape(value))
}

// below puts a path under the prefix of a server. url.URL.JoinPath does it too,
// and cleans: all that would do is to follow dots in names.
func below(prefix, path string) string { return strings.TrimRight(prefix, "/") + path }

func asIs(s string) string { return s }

// accept asks for a view, and for the plain object from servers that do not
// know it. The metadata view has one name for lists and another for watches;
// the wrong one is refused with 406.
func accept(v View, verb Verb) string {
	as := ""
	switch {
	case v == MetadataOnly && verb == List:
		as = "PartialObjectMetadataList"
	case v == MetadataOnly:
		as = "PartialObjectMetadata"
	case v == Table || v == TableObject:
		as = "Table"
	default:
		return plainAccept
	}
	return "application/json;as=" + as + ";v=v1;g=meta.k8s.io," + plainAccept
}

const plainAccept = "application/json"
