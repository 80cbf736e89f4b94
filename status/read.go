package status

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"time"
)

const (
	maxBody     = 64 << 10
	maxBodyTime = 10 * time.Second
	closeGrace  = 100 * time.Millisecond
)

// FromResponse reads a response that is not a list or a stream. It reads at
// most 64 KiB and 10 s of the body, less if the context of its request ends,
// and closes it. The HTTP status is known by then, so a body that does not
// come costs detail, never the verdict.
func FromResponse(resp *http.Response) *Error {
	body, cut := readBody(resp)
	e := &Error{HTTPStatus: resp.StatusCode, Size: len(body), Cut: cut}
	e.Status, e.Body = parse(unzip(body))
	e.redact(resp.Request)
	e.RetryAfter = max(e.Status.RetryAfter, retryAfter(resp.Header, time.Now()))
	if e.redirect() {
		e.Location = location(resp)
	}
	return e
}

// FromEvent reads the object of an ERROR event; none at all and null are
// allowed. It keeps no part of object. request is that of the stream, so that
// its credentials can be taken out of what the server says; nil is allowed.
func FromEvent(object []byte, request *http.Request) *Error {
	e := &Error{HTTPStatus: http.StatusOK, Event: true, Size: len(object)}
	e.Status, e.Body = parse(object)
	e.redact(request)
	e.RetryAfter = e.Status.RetryAfter
	return e
}

// redact takes the credentials of request out of every text of e, and clips
// the message: any sooner, and it could end in the first half of one.
func (e *Error) redact(request *http.Request) {
	e.Message = clip(redact(e.Message, request), maxMessage)
	for _, text := range []*string{&e.Status.Status, &e.Reason, &e.Group, &e.Kind, &e.Name} {
		*text = redact(*text, request)
	}
	for i := range e.Causes {
		c := &e.Causes[i]
		c.Type, c.Message, c.Field = redact(c.Type, request), redact(c.Message, request), redact(c.Field, request)
	}
}

// readBody reads and closes. The read runs on a goroutine of its own, because
// nothing else bounds a body that trickles, or stalls, for ever. The schedule
// it guards against:
//
//  1. the server sends 500, a first chunk, and then one byte a second;
//  2. the 64 KiB would be full after 18 hours;
//  3. at 10 s the body is closed, which in every real transport makes the read
//     under way return, and the bytes that came are used.
//
// A reader that ignores Close is left behind: its goroutine ends when it does.
func readBody(resp *http.Response) (body []byte, cut bool) {
	if resp.Body == nil {
		return nil, false
	}
	done := make(chan []byte, 1)
	go func() {
		// One byte more than is kept, so that the end of a body of just that
		// length is seen and its connection can be used again.
		data, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
		done <- data
	}()
	var cancelled <-chan struct{}
	if resp.Request != nil {
		cancelled = resp.Request.Context().Done()
	}
	limit := time.NewTimer(maxBodyTime)
	defer limit.Stop()
	select {
	case body = <-done:
		resp.Body.Close()
	case <-cancelled:
		cut = true
	case <-limit.C:
		cut = true
	}
	if cut {
		// Close may wait for the read that is under way (net/http's plain
		// body does), so it is not waited for.
		go resp.Body.Close()
		limit.Reset(closeGrace)
		select {
		case body = <-done:
		case <-limit.C:
		}
	}
	if len(body) > maxBody {
		return body[:maxBody], true
	}
	return body, cut
}

// unzip undoes a gzip that was not asked for. What comes out is bounded like
// what went in.
func unzip(body []byte) []byte {
	if !bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		return body
	}
	zipped, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body
	}
	plain, _ := io.ReadAll(io.LimitReader(zipped, maxBody))
	return plain
}

// location returns the host of the target of a redirect, its own if the
// target is relative.
func location(resp *http.Response) string {
	target, err := resp.Location()
	if err != nil {
		return ""
	}
	return clip(target.Host, maxField)
}
