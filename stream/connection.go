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
func (s *settings) open(ctx context.Context, r request, lastByte *atomic.Int64) (*connection, error) {
	c := &connection{sent: time.Now()}
	c.ctx, c.cancel = context.WithCancelCause(ctx)

	// The wait for headers has a limit of its own: a limit on the whole
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
	lastByte.Store(c.opened.UnixNano())
	if resp.StatusCode/100 != 2 {
		return c, status.FromResponse(resp)
	}

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
	var (
		size  *decode.FrameSizeError
		shape *decode.ShapeError
		bad   *decode.SyntaxError
	)
	switch {
	case errors.As(err, &size):
		return &status.End{Kind: status.EndFrameSize, Err: err}
	case errors.As(err, &bad) && c.dog.first == '<':
		return &status.End{Kind: status.EndHTML, Err: err}
	case errors.As(err, &bad):
		return &status.End{Kind: status.EndBadFrame, Err: err}
	case errors.As(err, &shape):
		return &status.End{Kind: status.EndListBody, Err: err}
	}
	return err
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
