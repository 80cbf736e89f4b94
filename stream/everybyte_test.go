package stream_test

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A session from the first list to the watch after a relist, broken once, at
// every byte that the server sends: status lines, headers and chunk framing
// included. The consumer must be told the same story each time, as package
// history judges it.
func TestBrokenAtEveryByte(t *testing.T) {
	for name, start := range map[string]stream.Start{"list": stream.StartList, "streaming list": stream.StartStream} {
		for fault, how := range map[string]breakage{"cut": cutWire, "reset": resetWire, "stall": stallWire} {
			t.Run(name+", "+fault, func(t *testing.T) {
				t.Parallel()
				story := readStory(t)
				synctest.Test(t, func(t *testing.T) { breakEverywhere(t, story, start, how) })
			})
		}
	}
}

func breakEverywhere(t *testing.T, story *story, start stream.Start, how breakage) {
	// The line break after the last chunk is not waited for.
	length := brokenSession(t, story, start, math.MaxInt, how).total - len("\r\n")
	require.Greater(t, length, 1000)
	for at := range length {
		w := brokenSession(t, story, start, at, how)
		assert.True(t, w.broken, "the session ended before the break")
		if t.Failed() {
			t.Fatalf("broken at byte %d of %d", at, length)
		}
	}
	t.Logf("%d bytes", length)
}

// brokenSession plays the session, and breaks the wire after so many bytes.
func brokenSession(t *testing.T, story *story, start stream.Start, at int, how breakage) *wire {
	server := &forgetful{story: story}
	store := &replay.Store{Intercept: server.answer}
	srv := store.NewServer(closedByHand{t}, replay.Options{})
	defer srv.Close()
	network := &wire{dial: srv.DialContext, left: at, how: how}
	transport := &http.Transport{DialContext: network.DialContext}
	defer transport.CloseIdleConnections()
	w := &stream.Watcher{
		Client: &http.Client{Transport: transport}, Server: srv.URL(), Target: target,
		Start: start, PageSize: 1, Bookmarks: true, Rand: rand.New(rand.NewPCG(uint64(at), 0)),
	}
	ctx, cancel := contextFor(t, 24*time.Hour)
	defer cancel()
	var seen []history.Event
	for ev, err := range w.Watch(ctx) {
		if !assert.NoError(t, err) {
			break
		}
		if ev.Type != stream.Bookmark {
			seen = append(seen, told(ev))
		} else if ev.ResourceVersion == server.end {
			break
		}
	}
	assert.NoError(t, server.ledger.Check(nil, seen))
	assert.LessOrEqual(t, len(srv.Requests()), 10, "one break leads to a few requests and no storm")
	return network
}

// closedByHand is a test that keeps nothing of the thousands of servers in it.
type closedByHand struct{ *testing.T }

func (closedByHand) Cleanup(func()) {}

// breakage is what a broken connection does to a read of the client.
type breakage int

const (
	cutWire   breakage = iota // FIN, at a clean end or not
	resetWire                 // RST
	stallWire                 // nothing more, ever
)

// wire is a network that breaks once: the connection that would carry one byte
// more than the limit is lost, and those after it are whole.
type wire struct {
	dial func(ctx context.Context, network, address string) (net.Conn, error)
	how  breakage

	mu     sync.Mutex
	left   int // bytes until it breaks
	total  int // bytes that the client has read
	broken bool
}

func (w *wire) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := w.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &wireConn{Conn: c, wire: w, closed: make(chan struct{})}, nil
}

// wireConn is the client's end of a connection.
type wireConn struct {
	net.Conn
	wire   *wire
	lost   bool // it is the one that broke; of the reading goroutine
	once   sync.Once
	closed chan struct{}
}

func (c *wireConn) Read(p []byte) (int, error) {
	c.wire.mu.Lock()
	if !c.wire.broken && c.wire.left == 0 {
		c.wire.broken, c.lost = true, true
	}
	if !c.wire.broken {
		p = p[:min(len(p), c.wire.left)]
	}
	c.wire.mu.Unlock()
	if c.lost {
		return 0, c.failure()
	}
	n, err := c.Conn.Read(p)
	c.wire.mu.Lock()
	defer c.wire.mu.Unlock()
	c.wire.left -= n
	c.wire.total += n
	return n, err
}

func (c *wireConn) failure() error {
	switch c.wire.how {
	case cutWire:
		c.Conn.Close()
		return io.EOF
	case resetWire:
		c.Conn.Close()
		return &net.OpError{Op: "read", Net: "memory", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
	}
	<-c.closed
	return net.ErrClosed
}

func (c *wireConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
