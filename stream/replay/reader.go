package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// maxLine is how long a line of a recording may be: a frame of 16 MiB that had
// to be written in escapes.
const maxLine = 128 << 20

// A Reader reads a recording record by record; it holds one at a time. It
// takes
//
//   - .rwr files,
//   - files of bare event lines, as a client or `kubectl get -w
//     --output-watch-events -o json` prints them (in one line each): one watch
//     without pauses,
//   - HTTP answers as `curl -i --raw` writes them,
//
// and each of these in gzip.
type Reader struct {
	Header RecordingHeader

	// next reads one record. It is one of three functions, by what the file is,
	// and a fourth that repeats the error once there was one.
	br        *bufio.Reader
	line      int
	next      func() (*Record, error)
	truncated error
	first     []byte // a line that was read ahead
	buf       []byte
	state     int // of bareEvents
}

// A SyntaxError says where a recording cannot be read.
type SyntaxError struct {
	Line int
	Err  error
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("replay: line %d: %v", e.Line, e.Err) }
func (e *SyntaxError) Unwrap() error { return e.Err }

// NewReader reads as much of r as tells what it is, and the header.
func NewReader(r io.Reader) (*Reader, error) {
	// By its first bytes and not by its name: recordings come through pipes.
	br := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := br.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("replay: %w", err)
		}
		br = bufio.NewReaderSize(z, 64<<10)
	}
	d := &Reader{br: br}
	if start, _ := br.Peek(5); string(start) == "HTTP/" {
		dump := &dumpReader{br: br}
		d.next = dump.next
		return d, nil
	}
	return d, d.begin()
}

// begin looks at the first line that says something.
func (d *Reader) begin() error {
	d.next = d.bareEvents
	line, err := d.readLine()
	if err == io.EOF {
		line = bytes.TrimSpace(d.buf)
		if len(line) == 0 || line[0] == '{' || line[0] == '#' {
			return nil // an empty file is an empty recording, cut short or not
		}
	} else if err != nil {
		return err
	}
	if !isJSON(line) {
		return &SyntaxError{d.line, errors.New("not a recording: neither a JSON line nor an HTTP answer")}
	}
	if lookup(line, "rwr") == nil {
		if lookup(line, "type") == nil {
			return &SyntaxError{d.line, errors.New(`not a recording: no "rwr" and no "type" in the first line`)}
		}
		d.first = line
		return nil
	}
	var h struct {
		RWR      int
		Tool     string
		Start    time.Time
		Redacted []string
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return &SyntaxError{d.line, err}
	}
	if h.RWR != 1 {
		return &SyntaxError{d.line, fmt.Errorf("format version %d: only 1 is known here", h.RWR)}
	}
	d.Header = RecordingHeader{h.RWR, h.Tool, h.Start, h.Redacted}
	d.next = d.record
	return nil
}

// Next returns the next record, valid until the next call, or io.EOF. Any
// other error ends the reading, too: a *SyntaxError, or one of the underlying
// reader's. A last line or a gzip stream that is cut off is no error; see
// [Reader.Truncated].
func (d *Reader) Next() (*Record, error) {
	r, err := d.next()
	if err != nil {
		d.next = func() (*Record, error) { return nil, err }
	}
	return r, err
}

// Truncated returns, once Next has returned io.EOF, what was cut off at the
// end of the file, or nil.
func (d *Reader) Truncated() error { return d.truncated }

// readLine returns the next line that is neither blank nor a comment, without
// its newline. A tail that cannot be a whole line is dropped.
func (d *Reader) readLine() ([]byte, error) {
	if line := d.first; line != nil {
		d.first = nil
		return line, nil
	}
	for {
		line, err := d.readRawLine()
		if errors.Is(err, io.ErrUnexpectedEOF) { // of gzip
			d.truncated = &SyntaxError{d.line, fmt.Errorf("the compressed file is cut off: %w", io.ErrUnexpectedEOF)}
			return nil, io.EOF
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		if t := bytes.TrimSpace(line); len(t) == 0 || t[0] == '#' {
			if err == io.EOF {
				return nil, io.EOF
			}
			continue
		}
		// A recorder that was killed leaves half a line at most, and a last line
		// that is whole is good without its newline.
		if err == io.EOF && !isJSON(line) {
			d.truncated = &SyntaxError{d.line, fmt.Errorf("the last line is cut off: %w", io.ErrUnexpectedEOF)}
			return nil, io.EOF
		}
		return line, nil
	}
}

// readRawLine returns a line without its newline; with io.EOF if it had none.
func (d *Reader) readRawLine() ([]byte, error) {
	d.line++
	d.buf = d.buf[:0]
	for {
		part, err := d.br.ReadSlice('\n')
		d.buf = append(d.buf, part...)
		if err != bufio.ErrBufferFull {
			return bytes.TrimSuffix(d.buf, []byte("\n")), err
		}
		if len(d.buf) > maxLine {
			return nil, &SyntaxError{d.line, fmt.Errorf("longer than %d bytes", maxLine)}
		}
	}
}

// bareEvents makes one watch of event lines: a request of which nothing is
// known, an answer, the lines, a clean end.
func (d *Reader) bareEvents() (*Record, error) {
	const asked, answered, lines, over = 0, 1, 2, 3
	switch d.state {
	case asked:
		d.state = answered
		return &Record{Exchange: 1, Kind: KindRequest, Method: http.MethodGet}, nil
	case answered:
		d.state = lines
		return &Record{Exchange: 1, Kind: KindResponse, Status: 200, Header: jsonHeader()}, nil
	case over:
		return nil, io.EOF
	}
	line, err := d.readLine()
	if err == io.EOF {
		d.state = over
		if d.truncated != nil {
			return nil, io.EOF
		}
		return &Record{Line: d.line, Exchange: 1, Kind: KindEnd, Why: WhyEOF}, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Record{Line: d.line, Exchange: 1, Kind: KindEvent, Bytes: line}
	if !isEventLine(line) {
		r.Kind, r.Bytes = KindRaw, append(line, '\n')
	}
	return r, nil
}

func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// record reads one line of an .rwr file.
func (d *Reader) record() (*Record, error) {
	for {
		line, err := d.readLine()
		if err != nil {
			return nil, err
		}
		r, err := parseRecord(line)
		if err != nil {
			return nil, &SyntaxError{d.line, err}
		}
		r.Line = d.line
		if r.known() {
			return r, nil
		}
	}
}

func (r *Record) known() bool {
	switch r.Kind {
	case KindRequest, KindResponse, KindEvent, KindRaw, KindBody, KindEnd, KindError, KindMark, KindFault:
		return true
	}
	return false
}

// parseRecord reads a line. Bytes of the record are those of the line where
// they stand in it as they are.
func parseRecord(line []byte) (*Record, error) {
	if !isJSON(line) {
		return nil, errors.New("not JSON")
	}
	// One shape for all kinds: a key that a kind does not use is ignored, as an
	// unknown one is.
	var w struct {
		C      int
		D      float64
		T      Kind
		Method string
		URL    string
		Status int
		H      map[string]json.RawMessage
		Cut    []int
		Len    int
		Hash   string
		Why    Why
		Text   *string
		B64    *string
		LF     bool
		Error  string
		Name   string
		Fault  string
	}
	// The payload stays where it is; what is decoded is the line without it.
	payload, rest := payloadOf(line)
	if err := json.Unmarshal(rest, &w); err != nil {
		return nil, err
	}
	if w.T == "" {
		return nil, errors.New(`no "t": what kind of record is it?`)
	}
	r := &Record{
		After: time.Duration(w.D * float64(time.Second)), Exchange: w.C, Kind: w.T,
		Method: w.Method, URL: w.URL, Status: w.Status, Cuts: w.Cut,
		Hidden: w.Len, Hash: w.Hash, Why: w.Why, Text: w.Error + w.Name + w.Fault,
	}
	for k, v := range w.H {
		if r.Header == nil {
			r.Header = http.Header{}
		}
		var one string
		var several []string
		if json.Unmarshal(v, &one) == nil {
			several = []string{one}
		} else if err := json.Unmarshal(v, &several); err != nil {
			return nil, fmt.Errorf("header %s: neither a string nor strings", k)
		}
		r.Header[http.CanonicalHeaderKey(k)] = several
	}
	switch {
	case w.T == KindEvent:
		r.Bytes, r.checked = payload["ev"], true
	case w.T == KindBody && w.LF:
		r.Bytes = append(bytes.Clone(payload["json"]), '\n')
	case w.T == KindBody:
		r.Bytes = payload["json"]
	}
	switch {
	case w.Text != nil && r.Bytes == nil:
		r.Bytes = []byte(*w.Text)
	case w.B64 != nil && r.Bytes == nil:
		var err error
		if r.Bytes, err = base64.StdEncoding.DecodeString(*w.B64); err != nil {
			return nil, err
		}
	}
	return r, r.check()
}

// payloadOf finds the members of a line that hold JSON as it was recorded, and
// returns the line with nulls in their places: an event may be megabytes, and
// decoding it to throw the result away would be most of the work.
func payloadOf(line []byte) (payload map[string][]byte, rest []byte) {
	last := 0
	for key, at := range members(line) {
		if key != "ev" && key != "json" {
			continue
		}
		if payload == nil {
			payload = map[string][]byte{}
		}
		payload[key] = at.of(line)
		rest = append(append(rest, line[last:at.start]...), "null"...)
		last = at.end
	}
	return payload, append(rest, line[last:]...)
}

// check finds what would make a record impossible to play.
func (r *Record) check() error {
	if r.After < 0 {
		return errors.New(`"d" is negative`)
	}
	if r.Kind == KindEvent && !(hasType(r.Bytes) && fitsInLine(r.Bytes)) {
		return errors.New(`"ev" is not an event: no object with a "type"`)
	}
	last := 0
	for _, c := range r.Cuts {
		if c <= last || c > len(r.Bytes) {
			return fmt.Errorf(`"cut" %v: not ascending between 1 and %d`, r.Cuts, len(r.Bytes))
		}
		last = c
	}
	if r.Hidden < 0 || r.Hidden > maxLine {
		return fmt.Errorf(`"len" %d`, r.Hidden)
	}
	return nil
}
