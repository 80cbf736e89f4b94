package replay

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"iter"
	"net"
	"time"
)

// A conn is one connection a client made. What is spoken on it is in http1.go
// and http2.go; what is common to them is here: how a connection begins and
// ends, and how the steps of an answer are performed.
type conn struct {
	server *Server
	number int
	// raw is the connection as the network has it, nc what bytes go through:
	// the same, or TLS on top. FIN and RST belong to raw.
	raw, nc net.Conn
	br      *bufio.Reader
}

func (s *Server) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		// Numbered here and not in serve, where goroutines overtake each other.
		s.mu.Lock()
		s.dialed++
		number := s.dialed
		s.mu.Unlock()
		s.done.Go(func() { s.serve(nc, number) })
	}
}

func (s *Server) serve(nc net.Conn, number int) {
	defer nc.Close()
	// In memory there is no way around DialContext, which has counted already;
	// to count again could take a connection that was dialled before its time.
	if s.options.TCP {
		if s.refuses() {
			reset(nc)
			return
		}
		if s.drops() {
			return
		}
	}
	c := &conn{server: s, number: number, raw: nc, nc: nc}
	if s.tls != nil {
		c.nc = tls.Server(nc, s.tls)
	}
	if !s.track(c) {
		return
	}
	defer s.untrack(c)
	if t, ok := c.nc.(*tls.Conn); ok && t.HandshakeContext(s.ctx) != nil {
		return // a client that does not trust us says so itself
	}
	c.br = bufio.NewReader(c.nc)
	if s.options.HTTP2 {
		c.serveHTTP2()
	} else {
		c.serveHTTP1()
	}
	if t, ok := c.nc.(*tls.Conn); ok {
		// The goodbye is for clients that look for one; after a Cut or Reset raw
		// is closed and it goes nowhere, as it should.
		t.Close()
	}
}

// track makes Close find the connection; false if Close has been called.
func (s *Server) track(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.conns[c] = true // until the first request has been read
	return true
}

func (s *Server) untrack(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// setIdle notes whether a request is being answered on c. It reports false if
// c is idle and has to go, because the script waits for new connections.
//
// Together with closeIdle it leaves no connection behind, in either order:
//
//	A: answered, setIdle(true) ─► B: advances to a Refuse, closeIdle closes A
//	B: advances to a Refuse, closeIdle passes A over ─► A: setIdle(true) says go
func (s *Server) setIdle(c *conn, idle bool) bool {
	s.mu.Lock()
	s.conns[c] = idle
	s.mu.Unlock()
	return !idle || !s.wantsConnections()
}

// finish sends FIN. Who calls it drains the connection, and only then closes
// it: the kernel turns a close with unread bytes into RST.
func (c *conn) finish() {
	if w, ok := c.raw.(interface{ CloseWrite() error }); ok {
		w.CloseWrite()
	}
}

// reset closes nc with RST.
func reset(nc net.Conn) {
	switch nc := nc.(type) {
	case *memConn:
		nc.reset()
	case *net.TCPConn:
		nc.SetLinger(0)
		nc.Close()
	}
}

// A stage is what the steps of an answer act on: a connection, a stream of one,
// or what net/http gives a handler. An error means that nobody listens any more,
// and ends the answer. Those that return none are the last step of it.
type stage interface {
	respond(*Step) error      // status line and header
	write(body string) error  // a piece of the body, framed, sent at once
	raw(bytes string) error   // bytes without framing
	end() error               // the proper end of the body
	cut()                     // FIN
	reset()                   // RST
	freeze()                  // from now on, answer nothing at all
	rstStream(code uint32)    // HTTP/2: end the stream alone
	goAway(code uint32) error // HTTP/2: take no new streams
}

// play performs steps on to. It reports whether the answer came to its proper
// end, so that the connection can be used again. ctx ends when the client is
// gone.
func play(ctx context.Context, steps iter.Seq[Step], to stage) bool {
	ended := false
	for step := range steps {
		var err error
		switch step.kind {
		case stepRespond:
			ended = false // a second answer, on the idle connection
			err = to.respond(&step)
		case stepWrite:
			// Each piece is a write of its own, so that a client can see them apart.
			for piece := range step.pieces() {
				if err = to.write(piece); err != nil {
					break
				}
			}
		case stepRaw:
			err = to.raw(step.bytes)
		case stepPause:
			err = sleep(ctx, step.delay)
		case stepDo:
			step.do()
		case stepEnd:
			ended = true
			err = to.end()
		case stepGoAway:
			err = to.goAway(step.code)
		case stepCut:
			to.cut()
			return false
		case stepReset:
			to.reset()
			return false
		case stepRstStream:
			to.rstStream(step.code)
			return false
		case stepFreeze:
			to.freeze()
			<-ctx.Done()
			return false
		case stepHold:
			<-ctx.Done()
			return false
		}
		if err != nil || ctx.Err() != nil {
			return false
		}
	}
	return ended || to.end() == nil // an answer that does not say how it ends, ends well
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain reads until the other end is gone.
func (c *conn) drain() { io.Copy(io.Discard, c.br) }
