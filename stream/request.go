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
	q := s.selectors()
	if limit > 0 {
		q.Set("limit", strconv.Itoa(limit))
	}
	switch {
	case token != "":
		q.Set("continue", token)
	case version != "":
		q.Set("resourceVersion", version)
		q.Set("resourceVersionMatch", "NotOlderThan")
	}
	return s.request(request{verb: List, page: page}, q)
}

// watchRequest asks for the events after version. Bookmarks are always asked
// for: they keep the resume point of a quiet collection fresh.
//
// Identity: a server or proxy that compresses event by event may hold back
// each event until the next (the reader of a gzip member waits for what comes
// after it).
func (s *settings) watchRequest(version string, timeout time.Duration) request {
	q := s.selectors()
	q.Set("watch", "true")
	q.Set("allowWatchBookmarks", "true")
	q.Set("timeoutSeconds", strconv.Itoa(int(timeout/time.Second)))
	if version != "" {
		q.Set("resourceVersion", version)
	}
	r := s.request(request{verb: Watch, version: version, timeout: timeout, idle: timeout + watchIdleGrace}, q)
	r.header.Set("Accept-Encoding", "identity")
	return r
}

// streamRequest is a watchRequest that asks for what exists first. The three
// parameters go together: servers refuse one without the others.
func (s *settings) streamRequest(timeout time.Duration) request {
	r := s.watchRequest("", timeout)
	q := r.url.Query()
	q.Set("sendInitialEvents", "true")
	q.Set("resourceVersionMatch", "NotOlderThan")
	r.url.RawQuery = q.Encode()
	r.idle = streamIdleTimeout
	return r
}

// selectors are the parameters every request carries unchanged: a resume with
// other selectors would be another watch.
func (s *settings) selectors() url.Values {
	q := url.Values{}
	if s.target.LabelSelector != "" {
		q.Set("labelSelector", s.target.LabelSelector)
	}
	if f := s.target.fieldSelector(); f != "" {
		q.Set("fieldSelector", f)
	}
	return q
}

func (s *settings) request(r request, q url.Values) request {
	at := *s.server
	at.User = nil
	at.Path, at.RawPath = below(at.Path, s.target.path(asIs)), below(at.EscapedPath(), s.target.path(url.PathEscape))
	r.url = &at
	if s.view == TableObject {
		q.Set("includeObject", "Object")
	}
	r.url.RawQuery = q.Encode()
	r.header = http.Header{
		"Accept":     {accept(s.view, r.verb)},
		"User-Agent": {s.userAgent},
	}
	return r
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
