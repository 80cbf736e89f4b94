package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream/replay"
)

// streamed answers with a streaming list made of a list and of the watch that
// was recorded behind it.
func (s *Server) streamed(w http.ResponseWriter, r *http.Request, asked question) {
	header, items, whole := s.pages(w, r, asked)
	if !whole {
		return
	}
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	for _, item := range items {
		io.WriteString(w, replay.EventOf("ADDED", string(item.Object)))
	}
	if asked.streaming {
		io.WriteString(w, endOf(header))
	}
	if out.Flush() != nil {
		return
	}
	rest := &behind{ResponseWriter: w}
	n, ok := s.take(asked.from(header.ResourceVersion))
	if !ok {
		silence(rest, r)
		return
	}
	s.play(n)(rest, r)
	rest.close()
}

// pages plays a list, page by page. A page that is none is the answer itself,
// and has been given when pages returns.
func (s *Server) pages(w http.ResponseWriter, r *http.Request, asked question) (header decode.ListHeader, items []decode.Item, whole bool) {
	page := asked.asList()
	for {
		n, ok := s.take(page)
		if !ok {
			plainly(noPage)(w, r)
			return header, nil, false
		}
		c := capture(r, s.play(n), nil)
		var more []decode.Item
		var err error
		header, more, err = c.list()
		if c.broken || c.status != http.StatusOK || err != nil {
			c.relay(w)
			return header, nil, false
		}
		items = append(items, more...)
		if header.Continue == "" {
			return header, items, true
		}
		page.token = header.Continue
	}
}

// endOf is the bookmark between what exists and what happens.
func endOf(list decode.ListHeader) string {
	kind, apiVersion := strings.TrimSuffix(list.Kind, "List"), list.APIVersion
	return replay.EventOf("BOOKMARK", fmt.Sprintf(
		`{"kind":%s,"apiVersion":%s,"metadata":{"resourceVersion":%s,"annotations":{"k8s.io/initial-events-end":"true"}}}`,
		quote(kind), quote(apiVersion), quote(list.ResourceVersion)))
}

// behind is where a watch goes that comes behind a header and events of
// another making. If it was refused, that is now an ERROR event.
type behind struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer // of a refusal
}

func (b *behind) WriteHeader(status int) { b.status = status }

func (b *behind) Write(p []byte) (int, error) {
	if b.status != http.StatusOK {
		return b.body.Write(p)
	}
	return b.ResponseWriter.Write(p)
}

func (b *behind) close() {
	if object := bytes.TrimSpace(b.body.Bytes()); len(object) > 0 {
		line := bytes.Join(bytes.Split(object, []byte("\n")), nil) // an event is one line
		io.WriteString(b.ResponseWriter, replay.EventOf("ERROR", string(line)))
	}
}

func (b *behind) Unwrap() http.ResponseWriter { return b.ResponseWriter }

// Header is a place for what is too late to send.
func (b *behind) Header() http.Header { return http.Header{} }

// gathered answers with a list made of the initial events of streaming list n.
// A watch from there goes on in the same exchange.
func (s *Server) gathered(w http.ResponseWriter, r *http.Request, asked question, n int) {
	var (
		end     decode.Event
		objects []string
		over    = errors.New("the list is whole")
	)
	c := capture(r, plainly(s.script[n].Answer), func(line []byte) error {
		var ev decode.Event
		if decode.ScanEvent(line, &ev) != nil {
			return nil
		}
		switch {
		case string(ev.Type) == "ADDED":
			objects = append(objects, string(ev.Object))
		case string(ev.Type) == "BOOKMARK" && ev.InitialEventsEnd:
			end = ev // of a line that is lent; nothing is read after it
			return over
		}
		return nil
	})
	if c.status != http.StatusOK || end.ResourceVersion == nil {
		c.broken = c.broken || c.status == http.StatusOK // a list that never comes to its end
		c.relay(w)
		return
	}
	version := string(end.ResourceVersion)
	s.listed(point{asked.what, version}, n)
	list := decode.ListHeader{Kind: string(end.Kind) + "List", APIVersion: string(end.APIVersion), ResourceVersion: version}
	plainly(replay.JSON(200, listOf(list, objects)))(w, r)
}

// rest answers with what comes behind the initial events of streaming list n.
func (s *Server) rest(w http.ResponseWriter, r *http.Request, n int) {
	reached := false
	l := &lines{ResponseWriter: w}
	l.each = func(line []byte) error {
		if reached {
			_, err := w.Write(line)
			return err
		}
		var ev decode.Event
		reached = decode.ScanEvent(line, &ev) == nil && string(ev.Type) == "BOOKMARK" && ev.InitialEventsEnd
		return nil
	}
	s.play(n)(l, r)
	l.close()
}

// listOf makes a list of objects.
func listOf(h decode.ListHeader, objects []string) string {
	token := ""
	if h.Continue != "" {
		token = `,"continue":` + quote(h.Continue)
	}
	return fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":{"resourceVersion":%s%s},"items":[%s]}`+"\n",
		quote(h.Kind), quote(h.APIVersion), quote(h.ResourceVersion), token, strings.Join(objects, ","))
}

// only gives w that part of a list which was asked for.
func (c *captured) only(w http.ResponseWriter, r *http.Request, of part) {
	header, items, err := c.list()
	if err != nil || c.broken || c.status != http.StatusOK {
		c.relay(w)
		return
	}
	var objects []string
	for _, item := range items {
		if of.takes(&item.Meta, item.Object) {
			objects = append(objects, string(of.cut(item.Object)))
		}
	}
	plainly(replay.JSON(200, listOf(of.cutList(header), objects)))(w, r)
}

// watched is the part of a watch that was asked for: of some objects, and
// without bookmarks for clients that want none. (kubectl would show them as
// objects without a name.)
func watched(w http.ResponseWriter, of part, bookmarks bool) *lines {
	return &lines{ResponseWriter: w, each: func(line []byte) error {
		var ev decode.Event
		if decode.ScanEvent(line, &ev) == nil {
			switch string(ev.Type) {
			case "BOOKMARK":
				if !bookmarks {
					return nil
				}
				line = of.cutEvent(&ev, line)
			case "ADDED", "MODIFIED", "DELETED":
				if !of.takes(&ev.Meta, ev.Object) {
					return nil
				}
				line = of.cutEvent(&ev, line)
			}
		}
		_, err := w.Write(line)
		return err
	}}
}
