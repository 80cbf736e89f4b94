package replay

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A Recorder is an http.RoundTripper that writes what passes through another
// one into a recording. The client gets every byte when the server's read
// returns it, and the recording is written on the side; if that fails, the
// client does not notice, and Close returns the error.
//
// Credentials in headers and queries, the values of Secrets and the tokens of
// TokenRequests are not written, unless KeepSecrets is set. Request bodies are
// never written. Of a watch of Secrets, bytes that are not a whole event are
// written as their length and a keyed hash.
//
// Set the fields before the first request.
type Recorder struct {
	Base        http.RoundTripper // nil is http.DefaultTransport
	To          io.Writer         // gets whole lines: one Write for all that a read brought
	Tool        string            // for the recording's header; "" is "rawwatch"
	KeepSecrets bool

	once     sync.Once
	w        *Writer
	redactor *redactor
	number   atomic.Int64

	mu   sync.Mutex // the order of the lines, and last
	last time.Time  // of the line before
	err  error
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	r.start()
	base := r.Base
	if base == nil {
		base = http.DefaultTransport
	}
	// The request is written before it is sent: of a client that is killed while
	// it waits, the recording shows what it waited for.
	e := &recorded{r: r, number: int(r.number.Add(1)), scope: scopeOf(req.URL.Path), ctx: req.Context()}
	asked := &Record{Kind: KindRequest, Method: req.Method, URL: req.URL.RequestURI(), Header: req.Header}
	if !r.KeepSecrets {
		asked.URL, asked.Header = r.redactor.url(req.URL), r.redactor.header(req.Header)
	}
	e.write(asked)

	resp, err := base.RoundTrip(req)
	if err != nil {
		text := err.Error()
		if !r.KeepSecrets {
			text = withoutHeaders(text, req.Header)
			text = strings.ReplaceAll(text, req.URL.RequestURI(), asked.URL)
		}
		e.write(&Record{Kind: KindError, Why: failure(err), Text: text})
		return resp, err
	}
	header := resp.Header
	if !r.KeepSecrets {
		e.echoes = echoesIn(req, resp)
		header = r.redactor.header(header)
		for _, values := range header { // copies
			for i := range values {
				values[i] = string(e.withoutEchoes([]byte(values[i])))
			}
		}
	}
	e.write(&Record{Kind: KindResponse, Status: resp.StatusCode, Header: header})
	if resp.StatusCode == http.StatusSwitchingProtocols {
		e.write(&Record{Kind: KindEnd, Why: WhyClientCancel})
		return resp, nil // what is spoken from here on is not HTTP
	}
	e.body = resp.Body
	e.left = resp.ContentLength
	e.packed = resp.Header.Get("Content-Encoding") != ""
	// Only what a watch answers is cut into lines; a list may be one line of
	// megabytes, or many if it is pretty-printed.
	e.watch = resp.StatusCode == http.StatusOK && truth(req.URL.Query().Get("watch"))
	resp.Body = e
	return resp, nil
}

// Mark writes a record with a name into the recording: a place to find again.
func (r *Recorder) Mark(name string) {
	r.start()
	r.write(&Record{Kind: KindMark, Text: name})
}

// Close returns the first error of writing the recording. Answers that are
// still being read stay without an end in it. It does not close To.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Recorder) start() {
	r.once.Do(func() {
		h := RecordingHeader{Tool: r.Tool, Start: time.Now()}
		if h.Tool == "" {
			h.Tool = "rawwatch"
		}
		if !r.KeepSecrets {
			r.redactor = newRedactor()
			h.Redacted = []string{"headers", "query", "secrets"}
		}
		r.last = h.Start
		r.w, r.err = NewWriter(r.To, h)
	})
}

// write stamps the record with the time since the one before, and writes it.
func (r *Recorder) write(rec *Record) {
	r.hold(rec)
	r.flush()
}

// hold stamps a record, and leaves it to flush to write it with others. A read
// often brings a dozen events, and to a file a write costs as much as all else.
func (r *Recorder) hold(rec *Record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	now := time.Now()
	// Rounded as the file has it, so that errors of rounding do not add up.
	rec.After = now.Sub(r.last).Truncate(time.Microsecond)
	r.last = r.last.Add(rec.After)
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.err = r.w.add(rec)
}

func (r *Recorder) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.err = r.w.flush()
}

// recorded is one exchange, and the body its client reads.
type recorded struct {
	r      *Recorder
	number int
	scope  scope
	ctx    context.Context
	body   io.ReadCloser
	watch  bool     // lines are events
	packed bool     // compressed: only raw bytes make sense
	echoes [][]byte // credentials of the request, which servers repeat

	mu    sync.Mutex // Close may come while Read waits
	lines lineSplitter
	whole []byte // of a body that is no watch, up to maxHeldBack
	given bool   // it was too long for that, and is written in parts
	left  int64  // of a Content-Length; negative if there was none
	over  bool
}

func (e *recorded) write(rec *Record) {
	rec.Exchange = e.number
	e.r.write(rec)
}

func (e *recorded) Read(p []byte) (int, error) {
	// Not under the lock: a read may wait for an hour, and Close has to get by.
	n, err := e.body.Read(p)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		return n, err
	}
	if n > 0 {
		e.left -= int64(n)
		e.bytes(p[:n])
	}
	if err != nil {
		e.end(e.why(err))
	}
	return n, err
}

func (e *recorded) Close() error {
	err := e.body.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		why := WhyClientCancel
		if e.left == 0 { // all was read, if not the EOF behind it
			why = WhyEOF
		}
		e.end(why)
	}
	return err
}

// bytes records what one read brought.
func (e *recorded) bytes(p []byte) {
	switch {
	case e.watch && e.packed:
		e.write(e.hide(&Record{Kind: KindRaw, Bytes: p}))
	case e.watch:
		for rec := e.lines.next(&p); rec != nil; rec = e.lines.next(&p) {
			rec = e.hide(rec)
			rec.Exchange = e.number
			e.r.hold(rec)
		}
		e.lines.cut()
		e.r.flush()
	default:
		// Held back until it is whole, or the secrets in it could not be found.
		if e.whole = append(e.whole, p...); len(e.whole) > maxHeldBack {
			e.giveBody()
		}
	}
}

// giveBody writes what has come of a body that is no watch. In parts it cannot
// be searched for Secrets.
func (e *recorded) giveBody() {
	if len(e.whole) == 0 {
		return
	}
	e.given = e.given || len(e.whole) > maxHeldBack
	e.write(e.hide(&Record{Kind: KindBody, Bytes: e.whole}))
	e.whole = nil
}

func (e *recorded) end(why Why) {
	e.over = true
	e.giveBody()
	if rec := e.lines.rest(); rec != nil {
		e.write(e.hide(rec))
	}
	e.write(&Record{Kind: KindEnd, Why: why})
}

// hide takes the secrets out of a record: values out of whole JSON texts, all
// of it where nobody can tell what it holds.
func (e *recorded) hide(rec *Record) *Record {
	if e.r.redactor == nil {
		return rec
	}
	without := e.withoutEchoes(rec.Bytes)
	if !rec.checked && !bytes.HasSuffix(without, []byte("\n")) {
		without = e.withoutTornEcho(without)
	}
	if !bytes.Equal(without, rec.Bytes) {
		rec.Bytes, rec.Cuts, rec.checked = without, nil, false
	}
	text, lf := bytes.CutSuffix(rec.Bytes, []byte("\n"))
	clean, ok := []byte(nil), false
	switch {
	case rec.checked:
		clean, ok = e.r.redactor.event(text, e.lines.kind, e.scope), true
	case !e.given: // a part of a body is no JSON, or by accident
		clean, ok = e.r.redactor.json(text, e.scope)
	}
	switch {
	case !ok && (e.scope != plainScope || mayHoldSecret(rec.Bytes)):
		e.conceal(rec)
	case !ok:
	case len(clean) == len(text) && bytes.Equal(clean, text):
	default:
		if lf {
			clean = append(clean, '\n')
		}
		rec.Bytes, rec.Cuts = clean, nil // the cuts are offsets in what was there before
	}
	return rec
}

// conceal leaves the length of the bytes, and a hash.
func (e *recorded) conceal(rec *Record) {
	rec.Hidden, rec.Hash = len(rec.Bytes), hex.EncodeToString(e.r.redactor.hash(rec.Bytes))
	rec.Bytes, rec.Cuts = nil, nil
}

// why tells how a body ended. The client's own doing comes first: a cancelled
// read fails in whatever way the transport likes.
func (e *recorded) why(err error) Why {
	switch {
	case err == io.EOF:
		return WhyEOF
	case errors.Is(e.ctx.Err(), context.DeadlineExceeded):
		return WhyTimeout
	case e.ctx.Err() != nil:
		return WhyClientCancel
	}
	if why := failure(err); why != WhyOther {
		return why
	}
	return WhyUnexpectedEOF
}

// failure classifies an error of a transport. net/http has no types for what
// HTTP/2 peers send, so their codes are looked for in the text.
func failure(err error) Why {
	var ne net.Error
	switch text := err.Error(); {
	case errors.Is(err, context.Canceled):
		return WhyClientCancel
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return WhyTimeout
	case errors.As(err, &ne) && ne.Timeout():
		return WhyTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return WhyRefused
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		strings.Contains(text, "stream error"), strings.Contains(text, "GOAWAY"):
		return WhyReset
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF),
		strings.Contains(text, "server closed idle connection"):
		return WhyUnexpectedEOF
	}
	return WhyOther
}

// withoutHeaders is an error's text without the secret header values of the
// request, should something have put them there.
func withoutHeaders(text string, h http.Header) string {
	for k, values := range h {
		for _, v := range values {
			if secretHeader(k) && v != "" {
				text = strings.ReplaceAll(text, v, redacted)
				if _, token, ok := strings.Cut(v, " "); ok && token != "" {
					text = strings.ReplaceAll(text, token, redacted)
				}
			}
		}
	}
	return text
}
