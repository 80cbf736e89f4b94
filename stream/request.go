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
// Without, it is a consistent read.
func (s *settings) listRequest(limit int, token, version string, page int) *request {
	size, match := "", ""
	if limit > 0 {
		size = strconv.Itoa(limit)
	}
	if token != "" {
		version = "" // the token carries its own, and servers refuse any beside it
	}
	if version != "" {
		match = "NotOlderThan"
	}
	return s.request(&request{verb: List, page: page},
		"limit", size, "continue", token, "resourceVersion", version, "resourceVersionMatch", match)
}

// watchRequest asks for the events after version.
func (s *settings) watchRequest(version string, timeout time.Duration) *request {
	return s.watchFrom(&request{version: version, timeout: timeout, idle: timeout + watchIdleGrace}, "", "")
}

// streamRequest asks for what exists and then for the events after it. The
// three parameters go together: servers refuse one without the others.
func (s *settings) streamRequest(timeout time.Duration) *request {
	return s.watchFrom(&request{timeout: timeout, idle: streamIdleTimeout}, "true", "NotOlderThan")
}

// watchFrom adds what all watches have. Bookmarks are always asked for: they
// keep the resume point of a quiet collection fresh.
//
// Identity: a server or proxy that compresses event by event may hold back
// each event until the next (the reader of a gzip member waits for what comes
// after it).
func (s *settings) watchFrom(r *request, initial, match string) *request {
	r.verb = Watch
	s.request(r, "watch", "true", "allowWatchBookmarks", "true", "timeoutSeconds", strconv.Itoa(int(r.timeout/time.Second)),
		"resourceVersion", r.version, "sendInitialEvents", initial, "resourceVersionMatch", match)
	r.header.Set("Accept-Encoding", "identity")
	return r
}

// request completes r. Parameters are names and values in turn; those without a
// value are left out. The selectors and the view are on every request: with
// others, a resume would be another watch.
func (s *settings) request(r *request, parameters ...string) *request {
	whole := ""
	if s.view == TableObject {
		whole = "Object"
	}
	parameters = append(parameters, "labelSelector", s.target.LabelSelector, "fieldSelector", s.target.fieldSelector(), "includeObject", whole)
	at := *s.server
	at.User, at.RawQuery = nil, ""
	for i := 0; i < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			at.RawQuery += "&" + parameters[i] + "=" + url.QueryEscape(parameters[i+1])
		}
	}
	at.RawQuery = strings.TrimPrefix(at.RawQuery, "&")
	at.RawPath = below(at.EscapedPath(), s.target.path(url.PathEscape))
	at.Path = below(at.Path, s.target.path(asIs))
	r.url = &at
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
