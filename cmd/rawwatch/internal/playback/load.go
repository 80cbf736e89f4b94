package playback

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Recording is what could be read of a recording.
type Recording struct {
	Tracks []*Track
	// Truncated is what was cut off at the end of the file, or nil.
	Truncated error
	// Took is how long the recording took, from its first record to its last.
	Took time.Duration
	// Unread: so many lists and pieces of a watch are in the recording by
	// their length only, since they might have held Secrets.
	Unread int
}

// Load reads the rest of a recording. With speed 1 the pauses in it are kept,
// with 10 they are a tenth, and with 0 there are none. An event of more than
// maxFrame bytes is an error, as it is for a watch.
func Load(r *replay.Reader, speed float64, maxFrame int) (*Recording, error) {
	l := loader{speed: speed, maxFrame: maxFrame, exchanges: map[int]*exchange{}}
	for {
		rec, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = l.record(rec)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, e := range l.exchanges {
		l.unpack(e)
	}
	out := &Recording{Truncated: r.Truncated(), Took: l.now, Unread: l.unread}
	for _, t := range l.tracks {
		if len(t.script) > 0 {
			t.close(replay.End())
			out.Tracks = append(out.Tracks, t)
		}
	}
	return out, nil
}

// loader sorts records into tracks.
type loader struct {
	speed     float64
	maxFrame  int
	now       time.Duration // since the start of the recording
	tracks    []*Track
	exchanges map[int]*exchange
	unread    int
	scanner   decode.Scanner
}

// exchange is one request, as far as its answer has come.
type exchange struct {
	path  string
	query url.Values
	view  stream.View
	line  int
	watch bool

	status  int
	body    []byte    // of what is no watch
	packed  []byte    // of a compressed watch
	hidden  bool      // a part of it is not in the recording
	initial *[]string // what exists, of a streaming list whose end has not come
}

func (l *loader) record(r *replay.Record) error {
	l.now += r.After
	e := l.exchanges[r.Exchange]
	switch r.Kind {
	case replay.KindRequest:
		l.exchanges[r.Exchange] = l.request(r)
		return nil
	case replay.KindMark, replay.KindFault:
		return nil
	}
	if e == nil {
		return nil // no collection was asked for, or what it was is not known
	}
	switch r.Kind {
	case replay.KindResponse:
		e.status = r.Status
		if (e.watch || e.path == "") && r.Header.Get("Content-Encoding") != "" && r.Status == http.StatusOK {
			e.packed = []byte{}
		}
	case replay.KindEvent:
		return l.line(e, r.Line, r.Bytes)
	case replay.KindRaw:
		return l.raw(e, r)
	case replay.KindBody:
		e.hidden = e.hidden || r.Hidden > 0
		e.body = append(e.body, r.Bytes...)
	case replay.KindEnd:
		delete(l.exchanges, r.Exchange)
		return l.end(e)
	}
	return nil
}

// request begins an exchange; nil if it is not about a collection.
func (l *loader) request(r *replay.Record) *exchange {
	e := &exchange{line: r.Line}
	if r.URL == "" {
		return e // events or an answer alone: what was asked shows in them
	}
	u, err := url.Parse(r.URL)
	if err != nil || (r.Method != "" && r.Method != http.MethodGet) {
		return nil
	}
	if _, err := stream.ParsePath(u.Path); err != nil {
		return nil // discovery, or a single object
	}
	e.path, e.query = u.Path, u.Query()
	e.view = viewOf(r.Header.Get("Accept"))
	e.watch = IsTrue(e.query.Get("watch"))
	// Rows of a Table do not make a list; they are events as others.
	if e.watch && IsTrue(e.query.Get("sendInitialEvents")) && e.view != stream.Table {
		e.initial = new([]string)
	}
	return e
}

// viewOf is what a request asks for first of all.
func viewOf(accept string) stream.View {
	first, _, _ := strings.Cut(accept, ",")
	switch {
	case strings.Contains(first, "as=Table"):
		return stream.Table
	case strings.Contains(first, "as=PartialObjectMetadata"):
		return stream.MetadataOnly
	}
	return stream.Object
}

// IsTrue reads a query value as the server does.
func IsTrue(v string) bool { return v != "" && v != "0" && !strings.EqualFold(v, "false") }

// line adds a line of a watch.
func (l *loader) line(e *exchange, number int, line []byte) error {
	var ev decode.Event
	if err := l.scanner.ScanEvent(line, &ev); err != nil {
		return nil // garbage: a watch gives it up and goes on behind it
	}
	if len(line) > l.maxFrame {
		return &replay.SyntaxError{Line: number, Err: fmt.Errorf("an event of %d bytes, over the limit of %d", len(line), l.maxFrame)}
	}
	t := l.track(e, &ev.Meta)
	switch {
	case string(ev.Type) == "ERROR":
		if isGone(ev.Object) {
			t.gone = string(line)
		}
	case e.initial == nil:
		t.event(l.pause(t), e.query.Get("resourceVersion"), string(line))
	case string(ev.Type) == "ADDED":
		*e.initial = append(*e.initial, string(ev.Object))
	case string(ev.Type) == "BOOKMARK" && ev.InitialEventsEnd:
		list := listOf(*e.initial, &ev.Meta)
		e.initial = nil
		t.run = []page{{body: list}}
		t.list(l.pause(t))
	}
	return nil
}

// raw adds bytes of a watch that could not be recorded as an event: a torn one
// is nothing, and came again; but one that is not UTF-8 was delivered.
func (l *loader) raw(e *exchange, r *replay.Record) error {
	switch {
	case r.Hidden > 0:
		l.unread++
	case e.packed != nil:
		e.packed = append(e.packed, r.Bytes...)
	case bytes.HasSuffix(r.Bytes, []byte("\n")):
		return l.line(e, r.Line, bytes.TrimRight(r.Bytes, "\r\n"))
	}
	return nil
}

// unpack adds what a compressed watch held, up to where it was cut.
func (l *loader) unpack(e *exchange) error {
	if e == nil || len(e.packed) == 0 {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(e.packed))
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(z)
	for line := range bytes.Lines(plain) {
		if err := l.line(e, e.line, bytes.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
	return nil
}

// end adds what only a whole answer can tell: a page of a list.
func (l *loader) end(e *exchange) error {
	if e.packed != nil {
		return l.unpack(e)
	}
	body := e.body
	switch {
	case e.hidden:
		l.unread++
		return nil
	case len(body) == 0:
		return nil
	}
	if e.status != http.StatusOK {
		if t := l.find(e); t != nil && json.Valid(body) && isGone(body) {
			t.gone = strings.TrimSuffix(replay.EventOf("ERROR", string(bytes.TrimSpace(body))), "\n")
		}
		return nil
	}
	header, meta, err := readList(body, l.maxFrame)
	var size *decode.FrameSizeError
	switch {
	case errors.As(err, &size):
		return &replay.SyntaxError{Line: e.line, Err: fmt.Errorf("the list that was asked for here has an item over the limit of %d bytes", l.maxFrame)}
	case err != nil, e.watch:
		return nil // a list counts when its whole body has parsed
	}
	token := e.query.Get("continue")
	if e.query.Get("limit") == "1" && token == "" && header.Continue == "" {
		// A client that wants the resourceVersion alone. (One that asks for
		// pages of one object, and finds one, looks the same; it is as rare as
		// it is slow. Where there are more, its next page tells the two apart.)
		return nil
	}
	t := l.track(e, &meta)
	switch n := len(t.run); {
	case token == "":
		t.run = nil // a list that begins anew
	case n == 0 || t.run[n-1].next != token:
		return nil // a page of some other list
	}
	t.run = append(t.run, page{token, header.Continue, string(body)})
	if header.Continue == "" {
		t.list(l.pause(t))
	}
	return nil
}

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
			first.Namespace = bytes.Clone(item.Namespace)
		}
	}
}

// isGone reports whether a Status says that history is lost.
func isGone(object []byte) bool {
	var s struct {
		Code   int
		Reason string
	}
	return json.Unmarshal(object, &s) == nil && (s.Code == http.StatusGone || s.Reason == "Expired" || s.Reason == "Gone")
}

// listOf makes a list of objects. That of a streaming list is one in all but
// the form.
func listOf(objects []string, end *decode.Meta) string {
	var b strings.Builder
	// Encoded strings: they come out of JSON, with their escapes decoded.
	quoted := func(s []byte) string { q, _ := json.Marshal(string(s)); return string(q) }
	fmt.Fprintf(&b, `{"kind":%s,"apiVersion":%s,"metadata":{"resourceVersion":%s},"items":[`,
		quoted(append(bytes.Clone(end.Kind), "List"...)), quoted(end.APIVersion), quoted(end.ResourceVersion))
	b.WriteString(strings.Join(objects, ","))
	b.WriteString("]}")
	return b.String()
}

// pause is the time since the last step of t, at the speed that is asked for.
func (l *loader) pause(t *Track) time.Duration {
	d := l.now - t.at
	t.at = l.now
	if l.speed <= 0 {
		return 0
	}
	return time.Duration(float64(d) / l.speed)
}
