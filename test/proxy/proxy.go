package proxy

import (
	"fmt"
	"net"
	"sync"
	"testing"

	"example.com/rawwatch/test/internal/port"
)

// Proxy listens on a port of 127.0.0.1 and forwards to one target. Its methods
// are safe for concurrent use.
type Proxy struct {
	target string
	port   int

	mu       sync.Mutex
	listener net.Listener // nil while refusing
	links    map[*link]struct{}
	accepted int
	received int64         // bytes from the server that were let through
	budget   int64         // how many more are, before the cut; negative: no cut is due
	flow     chan struct{} // closed while bytes may move
	closed   bool

	running sync.WaitGroup
}

// Start starts a proxy for a target, a host and a port. It ends with the test.
func Start(t testing.TB, target string) *Proxy {
	t.Helper()
	p := &Proxy{target: target, links: make(map[*link]struct{}), budget: -1, flow: make(chan struct{})}
	close(p.flow)
	if err := p.listenAnywhere(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

// listenAnywhere finds a port. It is one that stays free while the proxy
// refuses; see package port.
func (p *Proxy) listenAnywhere() (err error) {
	for range 10 {
		if p.port, err = port.Free(); err != nil {
			return err
		}
		if err = p.listen(); err == nil {
			return nil
		}
	}
	return err
}

// Address is the host and port that clients dial.
func (p *Proxy) Address() string { return port.Address(p.port) }

// Stall stops all bytes, of links to come too.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flowing() {
		p.flow = make(chan struct{})
	}
}

// Flow ends a stall. What was held back arrives.
func (p *Proxy) Flow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.flowing() {
		close(p.flow)
	}
}

// Freeze stops all bytes of the links there are, for ever. Links to come are
// not concerned.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.flow = make(chan struct{})
	}
}

func (p *Proxy) flowing() bool {
	select {
	case <-p.flow:
		return true
	default:
		return false
	}
}

// CutAfter lets n more bytes from the server through, counted over all links,
// and then cuts them all, once. 0 cuts at the next byte; use Cut not to wait
// for one.
func (p *Proxy) CutAfter(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budget = n
}

// Cut cuts all links.
func (p *Proxy) Cut() { p.closeLinks(func(l *link) { l.close() }) }

// Reset resets all links.
func (p *Proxy) Reset() { p.closeLinks(func(l *link) { l.reset() }) }

func (p *Proxy) closeLinks(end func(*link)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.budget = -1
	for l := range p.links {
		end(l)
	}
}

// Refuse stops listening: new connections are refused.
func (p *Proxy) Refuse() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil {
		p.listener.Close()
		p.listener = nil
	}
}

// Accept listens again, on the same port. Without a Refuse before, it does
// nothing.
func (p *Proxy) Accept(t testing.TB) {
	t.Helper()
	if err := p.listen(); err != nil {
		t.Fatal(err)
	}
}

// Open is the number of links now.
func (p *Proxy) Open() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.links)
}

// Accepted is the number of connections that clients have made so far, those
// included for which the target could not be reached.
func (p *Proxy) Accepted() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.accepted
}

// Received is the number of bytes from the server that were let through.
func (p *Proxy) Received() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.received
}

func (p *Proxy) listen() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listener != nil || p.closed {
		return nil
	}
	l, err := net.Listen("tcp", p.Address())
	if err != nil {
		return fmt.Errorf("proxy: %w", err)
	}
	p.listener = l
	p.running.Go(func() { p.serve(l) })
	return nil
}

// serve makes a link of each connection until the listener is closed.
func (p *Proxy) serve(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.accepted++
		p.mu.Unlock()
		p.running.Go(func() { p.link(client.(*net.TCPConn)) })
	}
}

// close ends everything and waits until it has ended.
func (p *Proxy) close() {
	p.Refuse()
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.Cut()
	p.running.Wait()
}
