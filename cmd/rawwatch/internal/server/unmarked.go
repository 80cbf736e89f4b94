package server

import (
	"bytes"
	"net/http"
)

// unmarked leaves bookmarks out of a watch, for clients that did not ask for
// any: kubectl would show them as objects without a name.
type unmarked struct {
	http.ResponseWriter
	inside bool // of a bookmark that comes in pieces
}

var bookmark = []byte(`{"type":"BOOKMARK"`)

// Write gets one event at a time, or a piece of one.
func (u *unmarked) Write(b []byte) (int, error) {
	if !u.inside && !bytes.HasPrefix(b, bookmark) {
		return u.ResponseWriter.Write(b)
	}
	u.inside = !bytes.HasSuffix(b, []byte("\n"))
	return len(b), nil
}

// Unwrap gives http.ResponseController what this one does not do.
func (u *unmarked) Unwrap() http.ResponseWriter { return u.ResponseWriter }
