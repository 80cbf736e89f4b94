package replay

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// HTTP/2 frame by frame: enough of a server for GETs, with nothing that would
// keep a script from misbehaving.
//
//	reader (serve) ──► one goroutine per stream ──► play ──► writer lock ──► frames
//	     └── PING, SETTINGS, WINDOW_UPDATE, RST_STREAM ──┘

// http2MaxData is the largest frame every peer has to accept.
const http2MaxData = 16384

// http2Conn is one connection.
type http2Conn struct {
	c *conn
	// writing is held (by receiving from it) while frames are written. It is a
	// channel and not a mutex because a writer may wait for the client to read,
	// and a testing/synctest bubble in which somebody waits for a mutex is
	// never idle.
	writing chan struct{}
	fr      *http2.Framer
	enc     *hpack.Encoder
	block   bytes.Buffer // header block under way, written by enc

	mu      sync.Mutex
	streams map[uint32]*http2Stream
	lastID  uint32
	window  int64 // what may still be sent on the connection
	initial int64 // what may be sent on a new stream
	widened chan struct{}
	frozen  bool // nothing is answered any more
	leaving bool // GOAWAY was sent
}

// http2Stream is the stage of one request.
type http2Stream struct {
	h      *http2Conn
	id     uint32
	cancel context.CancelFunc
	ctx    context.Context
	window int64 // guarded by h.mu
	ended  bool  // guarded by h.mu: all is said, END_STREAM is on its way
	open   bool  // the header was sent and the end was not
}

func (c *conn) serveHTTP2() {
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(c.br, preface); err != nil || string(preface) != http2.ClientPreface {
		return
	}
	h := &http2Conn{
		c:       c,
		writing: make(chan struct{}, 1),
		fr:      http2.NewFramer(c.nc, c.br),
		streams: map[uint32]*http2Stream{},
		window:  65535, // RFC 9113, 6.9.2
		initial: 65535,
		widened: make(chan struct{}),
	}
	h.writing <- struct{}{} // nobody is writing
	h.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	h.enc = hpack.NewEncoder(&h.block)

	ctx, cancel := context.WithCancel(c.server.ctx)
	var streams sync.WaitGroup
	// In this order when the connection ends: answers learn that the client is
	// gone, and only when all of them have stopped is the connection let go.
	defer streams.Wait()
	defer cancel()
	if h.write(func() error { return h.fr.WriteSettings() }) != nil {
		return
	}
	for {
		frame, err := h.fr.ReadFrame()
		if err != nil {
			return
		}
		if h.handle(ctx, frame, &streams) != nil {
			return
		}
	}
}

// write runs f with the right to write frames.
func (h *http2Conn) write(f func() error) error {
	<-h.writing
	defer func() { h.writing <- struct{}{} }()
	return f()
}

// handle is what the reader does about one frame.
func (h *http2Conn) handle(ctx context.Context, frame http2.Frame, streams *sync.WaitGroup) error {
	switch f := frame.(type) {
	case *http2.MetaHeadersFrame:
		h.begin(ctx, f, streams)
	case *http2.PingFrame:
		// What tells a peer that is silent from one that has vanished.
		if !f.IsAck() && !h.isFrozen() {
			return h.write(func() error { return h.fr.WritePing(true, f.Data) })
		}
	case *http2.SettingsFrame:
		if !f.IsAck() {
			h.settings(f)
			return h.write(h.fr.WriteSettingsAck)
		}
	case *http2.WindowUpdateFrame:
		h.widen(f.StreamID, int64(f.Increment))
	case *http2.RSTStreamFrame:
		// How a client leaves a watch without leaving the connection.
		h.mu.Lock()
		s := h.streams[f.StreamID]
		h.mu.Unlock()
		if s != nil {
			s.cancel()
		}
	}
	return nil
}

func (h *http2Conn) isFrozen() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.frozen
}

// begin starts the answer to a request.
func (h *http2Conn) begin(ctx context.Context, f *http2.MetaHeadersFrame, streams *sync.WaitGroup) {
	if h.overtaken() {
		h.leave()
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lastID = f.StreamID
	if h.frozen || h.leaving {
		return // after a GOAWAY the client asks again elsewhere
	}
	s := &http2Stream{h: h, id: f.StreamID, window: h.initial}
	s.ctx, s.cancel = context.WithCancel(ctx)
	h.streams[s.id] = s
	h.c.server.setIdle(h.c, false)
	request, err := newHTTP2Request(f)
	streams.Go(func() {
		defer h.forget(s)
		defer s.cancel()
		if err != nil {
			s.rstStream(uint32(http2.ErrCodeProtocol))
			return
		}
		play(s.ctx, h.c.server.answer(h.c.number, request.WithContext(s.ctx)), s)
	})
}

// overtaken reports whether a new request has come on a connection that was
// about to be closed so that the client has to connect:
//
//	server: last step END_STREAM, next exchange Refuse ─► close (not yet done)
//	client: reads END_STREAM, sends the next request on the same connection
//
// The client has done nothing wrong, and is to ask again elsewhere.
func (h *http2Conn) overtaken() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.streams {
		if !s.ended {
			return false
		}
	}
	return !h.c.server.setIdle(h.c, true)
}

// forget drops a stream that is over, and the connection with the last one if
// the script waits for new connections.
func (h *http2Conn) forget(s *http2Stream) {
	h.mu.Lock()
	delete(h.streams, s.id)
	idle := len(h.streams) == 0
	stays := !idle || h.c.server.setIdle(h.c, true)
	h.mu.Unlock()
	if !stays {
		h.leave()
	}
}

// leave closes the connection in such a way that the client asks again
// elsewhere: requests newer than the GOAWAY says have not been looked at.
func (h *http2Conn) leave() {
	h.goAway(http2.ErrCodeNo)
	h.c.finish()
}

// newHTTP2Request makes a request out of a header block.
func newHTTP2Request(f *http2.MetaHeadersFrame) (*http.Request, error) {
	r := &http.Request{
		Method: f.PseudoValue("method"),
		Host:   f.PseudoValue("authority"),
		Header: http.Header{},
		Proto:  "HTTP/2.0", ProtoMajor: 2,
		Body: http.NoBody,
	}
	for _, h := range f.RegularFields() {
		r.Header.Add(h.Name, h.Value)
	}
	var err error
	r.RequestURI = f.PseudoValue("path")
	r.URL, err = url.ParseRequestURI(r.RequestURI)
	return r, err
}

// settings takes over what the client wants; only the window matters here.
func (h *http2Conn) settings(f *http2.SettingsFrame) {
	if v, ok := f.Value(http2.SettingInitialWindowSize); ok {
		h.mu.Lock()
		for _, s := range h.streams { // open streams get the difference (RFC 9113, 6.9.2)
			s.window += int64(v) - h.initial
		}
		h.initial = int64(v)
		h.wake()
		h.mu.Unlock()
	}
}

// widen adds to the window of a stream, or of the connection (id 0).
func (h *http2Conn) widen(id uint32, n int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if id == 0 {
		h.window += n
	} else if s := h.streams[id]; s != nil {
		s.window += n
	}
	h.wake()
}

// wake tells those who wait for a window; mu is held.
func (h *http2Conn) wake() {
	close(h.widened)
	h.widened = make(chan struct{})
}

// take waits until something may be sent and takes up to n bytes of it. A
// client that does not read stops widening the windows, which is the only
// back-pressure there is: its transport goes on reading frames.
func (s *http2Stream) take(n int) (int, error) {
	for {
		s.h.mu.Lock()
		m := min(int64(n), s.window, s.h.window, http2MaxData)
		widened := s.h.widened // got under the lock, so that no widening falls between
		if m > 0 {
			s.window -= m
			s.h.window -= m
		}
		s.h.mu.Unlock()
		if m > 0 {
			return int(m), nil
		}
		select {
		case <-widened:
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
}

func (s *http2Stream) respond(step *Step) error {
	h := s.h
	return h.write(func() error {
		h.block.Reset()
		h.enc.WriteField(hpack.HeaderField{Name: ":status", Value: strconv.Itoa(step.status)})
		lines, _, _ := step.fields()
		for _, l := range lines {
			if strings.EqualFold(l[0], "Connection") || strings.EqualFold(l[0], "Transfer-Encoding") {
				continue // HTTP/2 has none (RFC 9113, 8.2.2)
			}
			h.enc.WriteField(hpack.HeaderField{Name: strings.ToLower(l[0]), Value: l[1]})
		}
		s.open = true
		return h.fr.WriteHeaders(http2.HeadersFrameParam{
			StreamID: s.id, BlockFragment: h.block.Bytes(), EndHeaders: true,
		})
	})
}

func (s *http2Stream) write(body string) error {
	for len(body) > 0 {
		n, err := s.take(len(body))
		if err != nil {
			return err
		}
		if err := s.h.write(func() error { return s.h.fr.WriteData(s.id, false, []byte(body[:n])) }); err != nil {
			return err
		}
		body = body[n:]
	}
	return nil
}

func (s *http2Stream) end() error {
	if !s.open {
		return nil
	}
	s.open = false
	// Before the frame is out: the client may ask again the moment it is.
	s.h.mu.Lock()
	s.ended = true
	s.h.mu.Unlock()
	return s.h.write(func() error { return s.h.fr.WriteData(s.id, true, nil) })
}

func (s *http2Stream) raw(b string) error {
	return s.h.write(func() error {
		_, err := io.WriteString(s.h.c.nc, b)
		return err
	})
}

func (s *http2Stream) cut()   { s.h.c.finish() }
func (s *http2Stream) reset() { reset(s.h.c.raw) }

func (s *http2Stream) freeze() {
	s.h.mu.Lock()
	defer s.h.mu.Unlock()
	s.h.frozen = true
}

func (s *http2Stream) rstStream(code uint32) {
	s.h.write(func() error { return s.h.fr.WriteRSTStream(s.id, http2.ErrCode(code)) })
}

func (s *http2Stream) goAway(code uint32) error { return s.h.goAway(http2.ErrCode(code)) }

func (h *http2Conn) goAway(code http2.ErrCode) error {
	h.mu.Lock()
	h.leaving = true
	last := h.lastID
	h.mu.Unlock()
	return h.write(func() error { return h.fr.WriteGoAway(last, code, nil) })
}
