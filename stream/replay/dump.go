package replay

import (
	"bufio"
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
)

// dumpReader makes records of HTTP answers as they came over the wire: status
// line, header, body with its framing; several one after the other are several
// exchanges. What was asked for is not in such a file.
//
// It holds one line of a watch at a time, and of another body as much as goes
// into one record:
//
//	next ─► stage ─► body.read ─► split
//	          │        a piece      │ a record
//	          └── request, response ┴── end
type dumpReader struct {
	br       *bufio.Reader
	exchange int
	stage    func() (*Record, error) // nil: between two answers

	header http.Header
	status int
	body   *dumpBody
	piece  []byte // of the body, read and not yet given out
	held   []byte // of a body that is no watch, not yet given out
	lines  lineSplitter
}

func (d *dumpReader) next() (*Record, error) {
	for {
		if d.stage == nil {
			if _, err := d.br.Peek(1); err != nil {
				return nil, err
			}
			if err := d.begin(); err != nil {
				return nil, err
			}
			// There was a request, or there would be no answer; a script takes any.
			return d.of(&Record{Kind: KindRequest, Method: http.MethodGet}), nil
		}
		if r, err := d.stage(); r != nil || err != nil {
			return r, err
		}
	}
}

func (d *dumpReader) of(r *Record) *Record {
	r.Exchange = d.exchange
	return r
}

// begin reads the header of an answer.
func (d *dumpReader) begin() error {
	d.exchange++
	tp := textproto.NewReader(d.br)
	first, err := tp.ReadLine()
	if err != nil {
		return fmt.Errorf("replay: answer %d: %w", d.exchange, err)
	}
	proto, rest, _ := strings.Cut(first, " ")
	code, _, _ := strings.Cut(rest, " ")
	d.status, err = strconv.Atoi(code)
	if err != nil || !strings.HasPrefix(proto, "HTTP/") {
		return fmt.Errorf("replay: answer %d does not begin with a status line", d.exchange)
	}
	header, err := tp.ReadMIMEHeader()
	if err != nil {
		return fmt.Errorf("replay: answer %d: header: %w", d.exchange, err)
	}
	d.header, d.body = http.Header(header), newDumpBody(d.br, http.Header(header))
	d.lines = lineSplitter{}
	d.stage = d.respond
	return nil
}

func (d *dumpReader) respond() (*Record, error) {
	d.stage = d.decide
	if d.header.Get("Content-Encoding") != "" {
		d.stage = d.packed
	}
	return d.of(&Record{Kind: KindResponse, Status: d.status, Header: d.header}), nil
}

// decide looks at the first line: if it is an event, the body is a watch.
func (d *dumpReader) decide() (*Record, error) {
	r := d.line()
	if r == nil && !d.body.over {
		return nil, nil
	}
	d.stage = d.events
	switch {
	case r == nil:
		return nil, nil // nothing at all
	case r.Kind == KindEvent, isEventLine(r.Bytes):
		return d.of(r), nil
	}
	d.held = append(d.held[:0], r.Bytes...)
	d.stage = d.whole
	return nil, nil
}

// line is the next line of the body, or nil if another piece of it is needed,
// or nothing is left. A piece ends where a chunk does: what the server wrote
// at once, and as near as a dump comes to what a read was.
func (d *dumpReader) line() *Record {
	if r := d.lines.next(&d.piece); r != nil {
		return own(r)
	}
	if d.body.over {
		return own(d.lines.rest())
	}
	if d.body.boundary {
		d.lines.cut()
	}
	d.piece = d.body.read()
	return nil
}

// own copies a record of the splitter's, which uses it again, so that whoever
// reads the dump may keep it; only Bytes are lent, as Next says.
func own(r *Record) *Record {
	if r == nil {
		return nil
	}
	record := *r
	record.Cuts = slices.Clone(r.Cuts)
	return &record
}

func (d *dumpReader) events() (*Record, error) {
	r := d.line()
	if r == nil && d.body.over && len(d.piece) == 0 && len(d.lines.buf) == 0 {
		return d.end()
	}
	if r == nil {
		return nil, nil
	}
	return d.of(r), nil
}

// packed gives out what is compressed as it comes.
func (d *dumpReader) packed() (*Record, error) {
	if p := d.body.read(); len(p) > 0 {
		return d.of(&Record{Kind: KindRaw, Bytes: p}), nil
	}
	if d.body.over {
		return d.end()
	}
	return nil, nil
}

// whole gives out a body that is no watch: in one record, unless it is very
// long.
func (d *dumpReader) whole() (*Record, error) {
	switch p := d.piece; {
	case len(d.held) > maxHeldBack, d.body.over && len(p) == 0 && len(d.held) > 0:
		r := d.of(&Record{Kind: KindBody, Bytes: d.held})
		d.held = nil
		return r, nil
	case len(p) > 0:
		d.held, d.piece = append(d.held, p...), nil
	case d.body.over:
		return d.end()
	default:
		d.piece = d.body.read()
	}
	return nil, nil
}

func (d *dumpReader) end() (*Record, error) {
	d.stage = nil
	return d.of(&Record{Kind: KindEnd, Why: d.body.why}), nil
}

// dumpBody takes the framing off a body.
type dumpBody struct {
	br       *bufio.Reader
	buf      []byte
	chunked  bool
	left     int64 // of the chunk, or of the Content-Length; negative: to the end of the file
	boundary bool  // the last piece was the end of a chunk
	over     bool
	why      Why
}

// newDumpBody takes the framing fields out of h unless they say something
// about the content.
func newDumpBody(br *bufio.Reader, h http.Header) *dumpBody {
	b := &dumpBody{br: br, buf: make([]byte, 32<<10), left: -1}
	if length := h.Get("Content-Length"); length != "" {
		n, err := strconv.ParseInt(length, 10, 64)
		if b.left = max(n, 0); err != nil {
			b.end(WhyUnexpectedEOF)
		}
	}
	if strings.EqualFold(h.Get("Transfer-Encoding"), "chunked") {
		b.chunked, b.left, b.over = true, 0, false
	}
	h.Del("Content-Length")
	h.Del("Transfer-Encoding")
	return b
}

func (b *dumpBody) end(why Why) { b.over, b.why = true, why }

// read returns the next piece, valid until the next call; none when it is
// over, or has to be called again.
func (b *dumpBody) read() []byte {
	if b.over {
		return nil
	}
	if b.left == 0 {
		if !b.chunked {
			b.end(WhyEOF)
			return nil
		}
		if !b.nextChunk() {
			return nil
		}
	}
	p := b.buf
	if b.left > 0 {
		p = p[:min(b.left, int64(len(p)))]
	}
	n, err := b.br.Read(p)
	switch {
	case b.left > 0:
		b.left -= int64(n)
		if err != nil {
			b.end(WhyUnexpectedEOF)
		}
	case err != nil:
		// No framing: the end of the connection was the end of the body, and
		// nobody can tell whether it was a proper one.
		b.end(WhyEOF)
	}
	if b.boundary = b.chunked && b.left == 0; b.boundary && n > 0 {
		b.br.Discard(2) // CR LF behind the chunk
	}
	return p[:n]
}

// nextChunk reads the size of the next chunk; false if there is none.
func (b *dumpBody) nextChunk() bool {
	line, err := b.br.ReadString('\n')
	size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
	n, bad := strconv.ParseUint(size, 16, 31)
	switch {
	case err != nil, bad != nil:
		b.end(WhyUnexpectedEOF)
		return false
	case n > 0:
		b.left = int64(n)
		return true
	}
	for { // trailers, and the empty line
		line, err := b.br.ReadString('\n')
		if err != nil || strings.TrimSpace(line) == "" {
			b.end(WhyEOF)
			return false
		}
	}
}
