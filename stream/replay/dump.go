package replay

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strconv"
	"strings"
)

// dumpReader makes records of HTTP answers as they came over the wire: status
// line, header, body with its framing; several one after the other are several
// exchanges. What was asked for is not in such a file.
type dumpReader struct {
	br       *bufio.Reader
	exchange int
	queue    []*Record
}

func (d *dumpReader) next() (*Record, error) {
	if len(d.queue) == 0 {
		if _, err := d.br.Peek(1); err != nil {
			return nil, err
		}
		if err := d.answer(); err != nil {
			return nil, err
		}
	}
	r := d.queue[0]
	d.queue = d.queue[1:]
	return r, nil
}

// answer reads one answer into the queue.
func (d *dumpReader) answer() error {
	d.exchange++
	tp := textproto.NewReader(d.br)
	first, err := tp.ReadLine()
	if err != nil {
		return fmt.Errorf("replay: answer %d: %w", d.exchange, err)
	}
	proto, rest, _ := strings.Cut(first, " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || !strings.HasPrefix(proto, "HTTP/") {
		return fmt.Errorf("replay: answer %d does not begin with a status line", d.exchange)
	}
	header, err := tp.ReadMIMEHeader()
	if err != nil {
		return fmt.Errorf("replay: answer %d: header: %w", d.exchange, err)
	}
	// There was a request, or there would be no answer; a script takes any.
	d.add(&Record{Kind: KindRequest, Method: http.MethodGet})
	h := http.Header(header)
	body, cuts, why := d.body(h)
	d.add(&Record{Kind: KindResponse, Status: status, Header: h})
	d.split(body, cuts, h)
	d.add(&Record{Kind: KindEnd, Why: why})
	return nil
}

func (d *dumpReader) add(r *Record) {
	r.Exchange = d.exchange
	d.queue = append(d.queue, r)
}

// body reads the body and where its chunks ended. It takes the framing fields
// out of h unless they say something about the content.
func (d *dumpReader) body(h http.Header) (body []byte, cuts []int, why Why) {
	length := h.Get("Content-Length")
	chunked := strings.EqualFold(h.Get("Transfer-Encoding"), "chunked")
	h.Del("Content-Length")
	h.Del("Transfer-Encoding")
	switch {
	case chunked:
		return d.chunks()
	case length != "":
		n, err := strconv.ParseInt(length, 10, 64)
		body, _ = io.ReadAll(io.LimitReader(d.br, max(n, 0)))
		if err != nil || int64(len(body)) < n {
			return body, nil, WhyUnexpectedEOF
		}
		return body, nil, WhyEOF
	}
	// Neither: the end of the connection was the end of the body, and nobody can
	// tell whether it was a proper one.
	body, _ = io.ReadAll(d.br)
	return body, nil, WhyEOF
}

// chunks reads a chunked body, whose end may be missing.
func (d *dumpReader) chunks() (body []byte, cuts []int, why Why) {
	for {
		line, err := d.br.ReadString('\n')
		size, _, _ := strings.Cut(strings.TrimSpace(line), ";")
		n, perr := strconv.ParseUint(size, 16, 31)
		if err != nil || perr != nil {
			return body, cuts, WhyUnexpectedEOF
		}
		if n == 0 {
			for { // trailers, and the empty line
				line, err := d.br.ReadString('\n')
				if err != nil || strings.TrimSpace(line) == "" {
					return body, cuts, WhyEOF
				}
			}
		}
		chunk, _ := io.ReadAll(io.LimitReader(d.br, int64(n)))
		body = append(body, chunk...)
		cuts = append(cuts, len(body))
		if uint64(len(chunk)) < n {
			return body, cuts, WhyUnexpectedEOF
		}
		d.br.Discard(2) // CR LF behind the chunk; if it is missing, the next size is
	}
}

// split makes events of a body that begins with one, raw bytes of what follows
// or is compressed, and a body record of everything else.
func (d *dumpReader) split(body []byte, cuts []int, h http.Header) {
	first, _, _ := bytes.Cut(body, []byte("\n"))
	packed := h.Get("Content-Encoding") != ""
	if len(body) == 0 {
		return
	}
	if !packed && !isEventLine(first) {
		d.add(&Record{Kind: KindBody, Bytes: body})
		return
	}
	// A chunk is what the server wrote at once, and as near as a dump comes to
	// what a read was.
	var l lineSplitter
	last := 0
	for _, c := range append(cuts, len(body)) {
		switch {
		case c == last:
		case packed:
			d.add(&Record{Kind: KindRaw, Bytes: body[last:c]})
		default:
			for _, r := range l.write(body[last:c]) {
				d.add(r)
			}
		}
		last = c
	}
	if r := l.rest(); r != nil {
		d.add(r)
	}
}
