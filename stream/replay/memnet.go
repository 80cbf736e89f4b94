package replay

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// The in-memory network: connections with the behaviour of loopback TCP that
// matters to an HTTP client (buffering with back-pressure, half close, reset,
// deadlines) and without its file descriptors. A goroutine that waits here
// waits on a sync.Cond or a channel, which testing/synctest can tell from
// being busy; a socket it cannot, and its clock would stand still.

// memWindow is how much one direction holds before a writer has to wait: about
// what a kernel's socket buffers take.
const memWindow = 64 << 10

// memListener is a net.Listener that is dialled directly.
type memListener struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// newMemListener returns a listener without a backlog: who dials waits until the
// server accepts, or has closed.
func newMemListener() *memListener {
	return &memListener{incoming: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *memListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.incoming:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *memListener) Addr() net.Addr { return memAddr("server") }

func (l *memListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := memPipe()
	// Not buffered: a connection that nobody accepts would never be closed.
	select {
	case l.incoming <- server:
		return client, nil
	case <-l.closed:
		return nil, errRefused("memory")
	case <-ctx.Done():
		return nil, &net.OpError{Op: "dial", Net: "memory", Addr: l.Addr(), Err: ctx.Err()}
	}
}

// errRefused is what net.Dial returns when nobody listens.
func errRefused(network string) error {
	return &net.OpError{Op: "dial", Net: network, Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
}

type memAddr string

func (memAddr) Network() string  { return "memory" }
func (a memAddr) String() string { return string(a) }

// memConn is one end: it reads from in and writes to out, and the other end
// has them the other way round.
type memConn struct {
	in, out       *half
	local, remote memAddr
}

func memPipe() (client, server *memConn) {
	up, down := newHalf(), newHalf()
	return &memConn{in: down, out: up, local: "client", remote: "server"},
		&memConn{in: up, out: down, local: "server", remote: "client"}
}

func (c *memConn) Read(p []byte) (int, error)  { return c.in.read(p) }
func (c *memConn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close sends FIN; what this end has not read yet is lost.
func (c *memConn) Close() error {
	c.out.finish(io.EOF)
	c.in.abandon(syscall.EPIPE)
	return nil
}

// CloseWrite sends FIN and goes on reading.
func (c *memConn) CloseWrite() error {
	c.out.finish(io.EOF)
	return nil
}

// reset sends RST.
func (c *memConn) reset() {
	c.out.finish(syscall.ECONNRESET)
	c.in.abandon(syscall.ECONNRESET)
}

func (c *memConn) LocalAddr() net.Addr  { return c.local }
func (c *memConn) RemoteAddr() net.Addr { return c.remote }

func (c *memConn) SetDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

func (c *memConn) SetReadDeadline(t time.Time) error {
	c.in.setDeadline(&c.in.readBy, t)
	return nil
}

func (c *memConn) SetWriteDeadline(t time.Time) error {
	c.out.setDeadline(&c.out.writeBy, t)
	return nil
}

// half is one direction of a connection.
//
//	writer ──► buf[start:] ──► reader
//
// finished and abandoned are set once, by the end that leaves; each is what
// the other end gets from then on. The reader still gets what is in buf.
type half struct {
	mu        sync.Mutex
	changed   *sync.Cond // any field below
	buf       []byte
	start     int
	finished  error // the writer has left: io.EOF, or ECONNRESET
	abandoned error // the reader has left
	lost      bool  // something was written after that
	readBy    deadline
	writeBy   deadline
}

// deadline is a moment, and the timer that wakes those who wait for it.
type deadline struct {
	at    time.Time
	timer *time.Timer
}

func (d *deadline) passed() bool { return !d.at.IsZero() && !time.Now().Before(d.at) }

func newHalf() *half {
	h := &half{}
	h.changed = sync.NewCond(&h.mu)
	return h
}

func (h *half) read(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		// In order: what this end has done itself, then time, then what there is
		// to read, and what the other end has done only when that is used up.
		switch {
		case h.abandoned != nil:
			return 0, opError("read", net.ErrClosed)
		case h.readBy.passed():
			return 0, opError("read", os.ErrDeadlineExceeded)
		case len(p) == 0:
			return 0, nil
		case h.start < len(h.buf):
			n := copy(p, h.buf[h.start:])
			h.start += n
			if h.start == len(h.buf) {
				h.buf, h.start = h.buf[:0], 0
			}
			h.changed.Broadcast()
			return n, nil
		case h.finished == io.EOF:
			return 0, io.EOF
		case h.finished != nil:
			return 0, opError("read", os.NewSyscallError("read", h.finished))
		}
		h.changed.Wait()
	}
}

func (h *half) write(p []byte) (n int, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for {
		switch {
		case h.finished != nil:
			return n, opError("write", net.ErrClosed)
		case h.abandoned == syscall.EPIPE && !h.lost:
			// The kernel takes what is written to a closed connection, and
			// learns from the answer (RST) that nobody wanted it.
			h.lost = true
			return n + len(p), nil
		case h.abandoned != nil:
			return n, opError("write", os.NewSyscallError("write", h.abandoned))
		case h.writeBy.passed():
			return n, opError("write", os.ErrDeadlineExceeded)
		case len(p) == 0:
			return n, nil
		}
		if free := memWindow - (len(h.buf) - h.start); free > 0 {
			// Move what is unread to the front instead of growing: the window
			// is the most that is ever held.
			if h.start > 0 {
				h.buf = h.buf[:copy(h.buf, h.buf[h.start:])]
				h.start = 0
			}
			m := min(free, len(p))
			h.buf = append(h.buf, p[:m]...)
			p, n = p[m:], n+m
			h.changed.Broadcast()
			continue
		}
		h.changed.Wait()
	}
}

// finish is the writer leaving; the first reason stays.
func (h *half) finish(reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.finished == nil {
		h.finished = reason
	} else if reason == syscall.ECONNRESET {
		h.finished = reason // an RST after the FIN still kills the connection
	}
	h.writeBy.stop()
	h.changed.Broadcast()
}

// abandon is the reader leaving: what is buffered goes nowhere.
func (h *half) abandon(reason error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.abandoned == nil {
		h.abandoned = reason
	}
	h.buf, h.start = nil, 0
	h.readBy.stop()
	h.changed.Broadcast()
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}

func (h *half) setDeadline(d *deadline, t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	d.stop()
	*d = deadline{at: t}
	if !t.IsZero() {
		d.timer = time.AfterFunc(time.Until(t), func() {
			h.mu.Lock() // or the broadcast could fall between check and Wait
			defer h.mu.Unlock()
			h.changed.Broadcast()
		})
	}
	h.changed.Broadcast()
}

func opError(op string, err error) error {
	return &net.OpError{Op: op, Net: "memory", Err: err}
}
