package exchange

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream/replay"
)

// Exchange is one request of a recording, and what is known of its answer.
type Exchange struct {
	Number int
	Line   int // of the request, in the file
	Method string
	// URL is what was asked for: path and query. It is never nil; where it was
	// not recorded, it is empty.
	URL    *url.URL
	Query  url.Values
	Header http.Header // of the request
	// Watch is what the request was for. A recording without requests has
	// lines of a watch all the same.
	Watch  bool
	Status int // 0: no answer has come

	packed  bool
	body    []byte // of an answer, or of a watch that is compressed
	partial bool   // some of it is not there to be held
}

// A Kind says what a [Part] is.
type Kind int

const (
	Asked  Kind = iota // the request
	Line               // an event of a watch
	Broken             // bytes of a watch that are no event
	Answer             // all that was answered, other than by a watch
	Hidden             // bytes known by their length alone
	Ended              // nothing follows
)

// Part is what a record adds to an exchange.
type Part struct {
	*Exchange
	Kind Kind
	At   int // the line in the file
	// Bytes of a Line are without its newline, and lent until Each returns, as
	// Event is, which points into them. Those of an Answer are for keeps.
	Bytes []byte
	Event decode.Event
}

// Sorter sorts records into exchanges, and hands out each part of one as soon
// as it is whole.
type Sorter struct {
	// Each gets the parts. Its error is that of Add and Close.
	Each func(Part) error
	// MaxAnswer is how many bytes of an answer are held; a longer one is left
	// out. 0 is no limit.
	MaxAnswer int
	// Now is the time since the start of the recording.
	Now time.Duration

	open    map[int]*Exchange
	scanner decode.Scanner
}

// All sorts the rest of a recording.
func (s *Sorter) All(r *replay.Reader) error {
	for {
		record, err := r.Next()
		if err == io.EOF {
			return s.Close()
		}
		if err == nil {
			err = s.Add(record)
		}
		if err != nil {
			return err
		}
	}
}

// Add takes the next record.
func (s *Sorter) Add(r *replay.Record) error {
	s.Now += r.After
	if r.Kind == replay.KindRequest {
		return s.ask(r)
	}
	e := s.open[r.Exchange]
	if e == nil {
		return nil // a mark, or what is left of something
	}
	if r.Hidden > 0 {
		e.partial = true
		return s.Each(Part{Exchange: e, Kind: Hidden, At: r.Line})
	}
	switch r.Kind {
	case replay.KindResponse:
		e.Status, e.packed = r.Status, r.Header.Get("Content-Encoding") != ""
	case replay.KindEvent:
		return s.line(e, r.Line, r.Bytes)
	case replay.KindRaw:
		if !e.packed {
			return s.raw(e, r)
		}
		s.hold(e, r.Bytes)
	case replay.KindBody:
		s.hold(e, r.Bytes)
	case replay.KindError, replay.KindEnd:
		delete(s.open, r.Exchange)
		if err := s.whole(e, r.Line); err != nil {
			return err
		}
		return s.Each(Part{Exchange: e, Kind: Ended, At: r.Line})
	}
	return nil
}

// Close tells what can be told of exchanges whose end was not recorded: of a
// compressed watch that is what came before.
func (s *Sorter) Close() error {
	for _, n := range slices.Sorted(maps.Keys(s.open)) {
		e := s.open[n]
		delete(s.open, n)
		if !e.packed {
			continue
		}
		if err := s.whole(e, e.Line); err != nil {
			return err
		}
	}
	return nil
}

// ask begins an exchange.
func (s *Sorter) ask(r *replay.Record) error {
	e := &Exchange{Number: r.Exchange, Line: r.Line, Method: r.Method, URL: new(url.URL), Header: r.Header}
	if u, err := url.Parse(r.URL); err == nil {
		e.URL = u
	}
	e.Query = e.URL.Query()
	e.Watch = IsTrue(e.Query.Get("watch"))
	if s.open == nil {
		s.open = map[int]*Exchange{}
	}
	s.open[r.Exchange] = e
	return s.Each(Part{Exchange: e, Kind: Asked, At: r.Line})
}

// raw takes bytes of a watch that could not be recorded as an event: half of
// one, or a line with bytes that are no UTF-8, which servers may send.
func (s *Sorter) raw(e *Exchange, r *replay.Record) error {
	if !bytes.HasSuffix(r.Bytes, []byte("\n")) {
		return s.Each(Part{Exchange: e, Kind: Broken, At: r.Line})
	}
	return s.line(e, r.Line, r.Bytes)
}

// line hands out a line of a watch.
func (s *Sorter) line(e *Exchange, at int, line []byte) error {
	line = bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	p := Part{Exchange: e, Kind: Line, At: at, Bytes: line}
	if s.scanner.ScanEvent(line, &p.Event) != nil {
		p = Part{Exchange: e, Kind: Broken, At: at}
	}
	return s.Each(p)
}

func (s *Sorter) limit() int { return cmp.Or(s.MaxAnswer, math.MaxInt-1) }

// hold keeps a piece of what can be looked into when it is whole.
func (s *Sorter) hold(e *Exchange, piece []byte) {
	if len(e.body)+len(piece) > s.limit() {
		e.partial = true
	}
	if e.partial {
		e.body = nil
		return
	}
	e.body = append(e.body, piece...)
}

// whole hands out what was held.
func (s *Sorter) whole(e *Exchange, at int) error {
	body := e.body
	if e.body = nil; e.partial || len(body) == 0 {
		return nil
	}
	if e.packed {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil
		}
		body, _ = io.ReadAll(io.LimitReader(z, int64(s.limit())+1)) // as much as came
		if first, _, _ := bytes.Cut(body, []byte("\n")); decode.ScanEvent(first, new(decode.Event)) == nil {
			for line := range bytes.Lines(body) {
				if err := s.line(e, e.Line, line); err != nil {
					return err
				}
			}
			return nil
		}
		if len(body) > s.limit() {
			return nil
		}
	}
	return s.Each(Part{Exchange: e, Kind: Answer, At: at, Bytes: body})
}
