package stream

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// Why a connection was given up from this side. They are causes of its
// context, so that a read that fails can be told from one that was cut short.
var (
	errNoHeaders = errors.New("stream: no response headers in time")
	errIdle      = errors.New("stream: nothing was sent in time")
	errClosed    = errors.New("stream: connection closed")
)

// connection is one request and its open body.
type connection struct {
	ctx    context.Context
	cancel context.CancelCauseFunc

	response *http.Response
	dog      *watchdog
	body     io.Reader // the response's, guarded and decompressed

	sent   time.Time
	opened time.Time // when the headers came
}

// open sends a request and waits for success headers. The connection is never
// nil, and must be closed; the error is a *status.Error for an answer that is
// a failure.
func (s *settings) open(ctx context.Context, r *request, lastByte *atomic.Int64) (*connection, error) {
	c := &connection{sent: time.Now()}
	c.ctx, c.cancel = context.WithCancelCause(ctx)

	// The wait for headers has a limit of its own, since a limit on the whole
	// request would end a healthy watch.
	timer := time.AfterFunc(s.headerTimeout, func() { c.cancel(errNoHeaders) })
	defer timer.Stop()

	req := &http.Request{Method: http.MethodGet, URL: r.url, Header: r.header, Host: r.url.Host}
	resp, err := s.client.Do(req.WithContext(c.ctx))
	c.opened = time.Now()
	if err != nil {
		return c, c.failure(err)
	}
	c.response = resp
	if resp.StatusCode/100 != 2 {
		return c, status.FromResponse(resp)
	}
	lastByte.Store(c.opened.UnixNano())

	idle := cmp.Or(s.idleTimeout, r.idle, listIdleTimeout)
	c.dog = guard(resp.Body, idle, lastByte, func() { c.cancel(errIdle) })
	c.body = c.dog
	if strings.EqualFold(resp.Header.Get("Content-Encoding"), "gzip") {
		c.body = newMembers(c.dog)
	}
	return c, nil
}

// close ends the request. A body that was not read to its end takes its
// connection with it (HTTP/1) or resets its stream (HTTP/2).
func (c *connection) close() {
	c.cancel(errClosed)
	if c.response != nil {
		c.response.Body.Close()
	}
}

func (c *connection) bytes() int64 {
	if c.dog == nil {
		return 0
	}
	return c.dog.bytes
}

// failure says what err, from the transport or from decode, means. What this
// side did wins over what it looked like to the reader.
func (c *connection) failure(err error) error {
	switch context.Cause(c.ctx) {
	case errNoHeaders:
		return &status.End{Kind: status.EndNoHeaders, Err: errNoHeaders}
	case errIdle:
		return &status.End{Kind: status.EndIdle, Err: errIdle}
	}
	if c.dog == nil {
		return err // before the headers
	}
	kind := status.EndTorn
	switch {
	case err == io.EOF:
		kind = status.EndClean
	case is[*decode.FrameSizeError](err):
		kind = status.EndFrameSize
	case c.dog.first == '<' && (is[*decode.SyntaxError](err) || is[*decode.TornError](err)):
		kind = status.EndHTML
	case is[*decode.SyntaxError](err):
		kind = status.EndBadFrame
	case is[*decode.ShapeError](err):
		kind = status.EndListBody
	}
	return &status.End{Kind: kind, Err: err}
}

// is reports whether there is an E in err.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// describe is the connection for Trace.
func (c *connection) describe(verb Verb, err error) Response {
	d := Response{Verb: verb, Took: c.opened.Sub(c.sent)}
	if c.response == nil {
		d.Err = err
		return d
	}
	d.StatusCode, d.Proto = c.response.StatusCode, c.response.Proto
	return d
}
