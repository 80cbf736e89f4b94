package playback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// step is what a track does next: a line of its watch, or a list.
type step struct {
	*question
	object *decode.Meta // an object of it; lent, as line is
	line   []byte       // without its newline
	pages  []page       // of a list; nil is none
	loss   []byte       // the ERROR event that ends a watch before the list
}

// page is one page of a list: the token it was asked for with, and that of the
// page behind it.
type page struct {
	token, next string
	body        []byte
}

// question is a request for a collection.
type question struct {
	track   string // what the requests of one track have in common
	target  stream.Target
	view    stream.View
	version string // where a watch began
	token   string // of a page
	head    bool   // a list that was asked for its resourceVersion alone
	bare    bool   // it is not recorded what was asked for

	// streamed are the objects of a streaming list whose end has not come.
	streamed *[][]byte
}

// script makes steps of a recording, for all of its tracks.
type script struct {
	exchange.Sorter
	maxFrame int
	each     func(step) error // its error ends the reading
	unread   int              // pieces that are hidden

	questions map[*exchange.Exchange]*question
	lists     map[string]*list // by track
}

// list is a list that is not whole, and why there is one.
type list struct {
	pages []page
	gone  []byte // the last ERROR event that said that history is lost
}

func newScript(maxFrame int, each func(step) error) *script {
	s := &script{maxFrame: maxFrame, each: each, questions: map[*exchange.Exchange]*question{}, lists: map[string]*list{}}
	s.Each = s.part
	return s
}

func (s *script) part(p exchange.Part) error {
	q := s.questions[p.Exchange]
	switch {
	case p.Kind == exchange.Asked:
		if q := newQuestion(p.Exchange); q != nil {
			s.questions[p.Exchange] = q
		}
	case q == nil: // discovery, or a single object
	case p.Kind == exchange.Hidden:
		s.unread++
	case p.Kind == exchange.Line:
		return s.event(q, &p)
	case p.Kind == exchange.Answer:
		return s.answer(q, &p)
	case p.Kind == exchange.Ended:
		delete(s.questions, p.Exchange)
	}
	return nil
}

// newQuestion is nil for a request that is not about a collection.
func newQuestion(e *exchange.Exchange) *question {
	if e.URL.Path == "" {
		return &question{bare: true}
	}
	target, err := stream.ParsePath(e.URL.Path)
	if err != nil || e.Method != "" && e.Method != http.MethodGet {
		return nil
	}
	target.LabelSelector, target.FieldSelector = e.Query.Get("labelSelector"), e.Query.Get("fieldSelector")
	q := &question{target: target, view: exchange.ViewOf(e.Header.Get("Accept")), version: e.Query.Get("resourceVersion"), token: e.Query.Get("continue")}
	q.track = fmt.Sprintf("%q %q %q %d", e.URL.Path, target.LabelSelector, target.FieldSelector, q.view)
	q.head = e.Query.Get("limit") == "1" && q.token == ""
	// Rows of a Table do not make a list; they are events as others.
	if e.Watch && exchange.IsTrue(e.Query.Get("sendInitialEvents")) && q.view != stream.Table {
		q.streamed = new([][]byte)
	}
	return q
}

// list is that of q's track.
func (s *script) list(q *question) *list {
	l := s.lists[q.track]
	if l == nil {
		l = &list{}
		s.lists[q.track] = l
	}
	return l
}

// event takes a line of a watch.
func (s *script) event(q *question, p *exchange.Part) error {
	ev := &p.Event
	if len(p.Bytes) > s.maxFrame {
		return &replay.SyntaxError{Line: p.At, Err: fmt.Errorf("an event of %d bytes, over the limit of %d", len(p.Bytes), s.maxFrame)}
	}
	switch {
	case string(ev.Type) == "ERROR":
		if isGone(ev.Object) {
			s.list(q).gone = bytes.Clone(p.Bytes)
		}
	case q.streamed == nil:
		return s.each(step{question: q, object: &ev.Meta, line: p.Bytes})
	case string(ev.Type) == "ADDED":
		*q.streamed = append(*q.streamed, bytes.Clone(ev.Object))
	case string(ev.Type) == "BOOKMARK" && ev.InitialEventsEnd:
		l := s.list(q)
		l.pages = []page{{body: listOf(*q.streamed, &ev.Meta)}}
		q.streamed = nil
		return s.listed(q, l, &ev.Meta)
	}
	return nil
}

// answer takes an answer: a page of a list, or the news that there is none.
func (s *script) answer(q *question, p *exchange.Part) error {
	if p.Status != http.StatusOK {
		if isGone(p.Bytes) && json.Valid(p.Bytes) {
			s.list(q).gone = bytes.TrimSpace([]byte(replay.EventOf("ERROR", string(bytes.TrimSpace(p.Bytes)))))
		}
		return nil
	}
	header, first, err := readList(p.Bytes, s.maxFrame)
	if _, ok := errors.AsType[*decode.FrameSizeError](err); ok {
		return &replay.SyntaxError{Line: p.Exchange.Line, Err: fmt.Errorf("the list that was asked for here has an item over the limit of %d bytes", s.maxFrame)}
	}
	if err != nil || p.Watch {
		return nil // a list counts when its whole body has parsed
	}
	if q.head && header.Continue == "" {
		// A client that asks for pages of one object, and finds one, looks the
		// same; it is as rare as it is slow. Where there are more, its next page
		// tells the two apart.
		return nil
	}
	l := s.list(q)
	switch n := len(l.pages); {
	case q.token == "":
		l.pages = nil // a list that begins anew
	case n == 0 || l.pages[n-1].next != q.token:
		return nil // a page of some other list
	}
	l.pages = append(l.pages, page{q.token, header.Continue, p.Bytes})
	if header.Continue != "" {
		return nil
	}
	return s.listed(q, l, &first)
}

// listed is the step of a list that is whole.
func (s *script) listed(q *question, l *list, first *decode.Meta) error {
	st := step{question: q, object: first, pages: l.pages, loss: l.gone}
	if st.loss == nil {
		st.loss = listedAgain // the recorded client had a reason
	}
	*l = list{}
	return s.each(st)
}

var listedAgain = []byte(strings.TrimSpace(replay.EventOf("ERROR", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",`+
	`"message":"the recorded client listed again","reason":"Expired","code":410}`)))

// readList reads a list to its end, for what it says about itself and about
// its first item.
func readList(body []byte, maxFrame int) (header decode.ListHeader, first decode.Meta, err error) {
	items := decode.NewListReader(bytes.NewReader(body), maxFrame)
	for n := 0; ; n++ {
		item, err := items.Next()
		if err == io.EOF {
			return items.Header(), first, nil
		}
		if err != nil {
			return header, first, err
		}
		if n == 0 {
			first.Kind, first.APIVersion = bytes.Clone(item.Kind), bytes.Clone(item.APIVersion)
		}
	}
}

// isGone reports whether a Status says that history is lost.
func isGone(object []byte) bool { return errors.Is(status.FromEvent(object, nil), status.ErrExpired) }

// listOf makes a list of objects. That of a streaming list is one in all but
// the form.
func listOf(objects [][]byte, end *decode.Meta) []byte {
	// Encoded strings: they come out of JSON, with their escapes decoded.
	quoted := func(s []byte) []byte { q, _ := json.Marshal(string(s)); return q }
	head := fmt.Sprintf(`{"kind":%s,"apiVersion":%s,"metadata":{"resourceVersion":%s},"items":[`,
		quoted(append(bytes.Clone(end.Kind), "List"...)), quoted(end.APIVersion), quoted(end.ResourceVersion))
	return append(append([]byte(head), bytes.Join(objects, []byte(","))...), "]}"...)
}
