package replay

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// http1 is the stage of HTTP/1.1. It is written by hand, since net/http's
// server exists to keep answers from being broken.
type http1 struct {
	c       *conn
	chunked bool
	closes  bool // the client has been told that the connection closes
	gone    bool // it has closed, or been reset
}

// serveHTTP1 reads requests and has them answered until the connection is over.
func (c *conn) serveHTTP1() {
	for {
		r, err := http.ReadRequest(c.br)
		if err != nil {
			return
		}
		// Requests that list or watch have no body; what others have must not be
		// taken for the next request.
		io.Copy(io.Discard, r.Body)
		c.server.setIdle(c, false)

		// While the answer goes out, somebody has to see the client leave. All
		// that can come before the next request is the end of the connection,
		// so a byte that is only looked at tells the two apart.
		ctx, cancel := context.WithCancel(c.server.ctx)
		next := make(chan struct{})
		c.server.done.Go(func() {
			defer close(next)
			if _, err := c.br.Peek(1); err != nil {
				cancel()
			}
		})
		s := &http1{c: c, closes: r.Close}
		proper := play(ctx, c.server.answer(c.number, r.WithContext(ctx)), s)
		// A connection is left in one of three ways. The client is gone: close.
		// A step has ended it: nothing more to do. The answer is over, and the
		// connection with it: FIN, but go on reading, for the reason that finish
		// gives.
		again := proper && !s.closes && c.server.setIdle(c, true)
		if !again && !s.gone {
			if ctx.Err() != nil {
				c.nc.Close() // the client is gone, or the server is
			} else {
				c.nc.(interface{ CloseWrite() error }).CloseWrite()
				c.finish()
			}
		}
		// Whoever looks for the next request has to let go of the reader before
		// this goroutine can use it.
		<-next
		cancel()
		if !again {
			c.drain()
			return
		}
	}
}

func (s *http1) respond(step *Step) error {
	lines, contentLength, closes := step.fields()
	s.closes = s.closes || closes
	s.chunked = !contentLength && bodyAllowed(step.status)
	// One write: a header that arrives in parts is something a script asks for
	// with Raw.
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", step.status, http.StatusText(step.status))
	for _, l := range lines {
		fmt.Fprintf(&b, "%s: %s\r\n", l[0], l[1])
	}
	if s.chunked {
		b.WriteString("Transfer-Encoding: chunked\r\n")
	}
	b.WriteString("\r\n")
	return s.raw(b.String())
}

func (s *http1) write(body string) error {
	if body == "" {
		return nil // an empty chunk would be the last one
	}
	if s.chunked {
		body = fmt.Sprintf("%x\r\n%s\r\n", len(body), body)
	}
	return s.raw(body)
}

func (s *http1) end() error {
	if !s.chunked {
		return nil
	}
	s.chunked = false
	return s.raw("0\r\n\r\n")
}

// raw is one write to the connection: what a step sends arrives together.
func (s *http1) raw(bytes string) error {
	_, err := io.WriteString(s.c.nc, bytes)
	return err
}

func (s *http1) cut() {
	s.gone = true
	s.c.finish()
}

func (s *http1) reset() {
	s.gone = true
	reset(s.c.raw)
}

func (s *http1) freeze()             {} // nothing is sent unasked in HTTP/1.1
func (s *http1) rstStream(uint32)    {} // refused by Script.validate
func (s *http1) goAway(uint32) error { return nil }
