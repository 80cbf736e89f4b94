package server

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"

	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// object answers for one object, by its path: as it was when the recording
// first saw it, which is where lists begin, too. ok is false if the path is
// none of an object that could be in the recording.
func (s *Server) object(asked question, wanted part) (answer []replay.Step, why string, ok bool) {
	folder, name := path.Split(asked.path)
	name, err := url.PathUnescape(name)
	if err != nil || asked.watch || name == "" {
		return nil, "", false
	}
	collection := question{what: what{path: folder[:max(len(folder)-1, 0)]}}
	found, of := s.find(collection)
	of.metadata = wanted.metadata
	target, err := stream.ParsePath(found.path)
	if err != nil || !s.has(found.what) {
		return s.namespace(target, name)
	}
	of.name = name
	body, err := s.first(found.path, of)
	switch {
	case err != nil:
		return fail(500, "InternalError", "the recording cannot be read any more: "+err.Error()), "500, the file cannot be read any more", true
	case body == "":
		return notFound(target, name), "404, no such object was recorded", true
	}
	return replay.JSON(200, string(of.cut([]byte(body)))+"\n"), "the object as it was first recorded", true
}

// namespace answers for a namespace, whether it was recorded or not: where
// kubectl finds no object, it looks if the namespace is missing.
func (s *Server) namespace(asked stream.Target, name string) (answer []replay.Step, why string, ok bool) {
	if asked != (stream.Target{Version: "v1", Resource: "namespaces"}) {
		return nil, "", false
	}
	for _, q := range s.questions() {
		if t, err := stream.ParsePath(q.path); err == nil && (t.Namespace == name || t.Namespace == "") {
			return replay.JSON(200, fmt.Sprintf(`{"kind":"Namespace","apiVersion":"v1","metadata":{"name":%s}}`+"\n", quote(name))),
				"what is recorded may be in it", true
		}
	}
	return notFound(asked, name), "404, nothing was recorded in it", true
}

// errFound ends a search.
var errFound = errors.New("found")

// first looks through the recording for the first state of an object; "" if
// it has none.
func (s *Server) first(collection string, of part) (object string, err error) {
	if s.open == nil {
		return "", nil
	}
	r, err := s.open()
	if err != nil {
		return "", err
	}
	sorter := exchange.Sorter{Each: func(p exchange.Part) error {
		if !s.guessed && p.URL.EscapedPath() != collection {
			return nil
		}
		switch ev := &p.Event; p.Kind {
		case exchange.Line:
			if of.takes(&ev.Meta, ev.Object) {
				object = string(ev.Object)
				return errFound
			}
		case exchange.Answer:
			list := decode.NewListReader(bytes.NewReader(p.Bytes), len(p.Bytes)+1)
			for item, err := list.Next(); err == nil; item, err = list.Next() {
				if of.takes(&item.Meta, item.Object) {
					object = string(item.Object)
					return errFound
				}
			}
		}
		return nil
	}}
	if err := sorter.All(r); err != errFound {
		return "", err
	}
	return object, nil
}

// notFound is what an API server says about an object that is not there.
func notFound(t stream.Target, name string) []replay.Step {
	resource := t.Resource
	if t.Group != "" {
		resource += "." + t.Group
	}
	return replay.JSON(http.StatusNotFound, fmt.Sprintf(
		`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%s,"reason":"NotFound","details":{"name":%s,"group":%s,"kind":%s},"code":404}`+"\n",
		quote(fmt.Sprintf("%s %q not found", resource, name)), quote(name), quote(t.Group), quote(t.Resource)))
}
