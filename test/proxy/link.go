package proxy

import (
	"io"
	"net"
	"sync"
	"time"
)

// link is a client's connection and the one to the server behind it.
type link struct {
	client, server *net.TCPConn
	once           sync.Once
	ended          chan struct{} // closed with the connections
	flow           chan struct{} // closed while bytes may move; guarded by Proxy.mu
}

// dialWithin bounds the way to the target, and so the wait for the end of a
// proxy: a server that is too busy to accept leaves the system trying for
// minutes.
const dialWithin = 10 * time.Second

// link serves one connection of a client until either side is done.
func (p *Proxy) link(client *net.TCPConn) {
	server, err := net.DialTimeout("tcp", p.target, dialWithin)
	if err != nil {
		// What a client of a server that is down sees, as far as a proxy that
		// has already accepted can show it.
		client.SetLinger(0)
		client.Close()
		return
	}
	l := &link{client: client, server: server.(*net.TCPConn), ended: make(chan struct{}), flow: make(chan struct{})}
	close(l.flow)
	defer l.close()
	if !p.add(l) {
		return
	}
	defer p.remove(l)

	var up sync.WaitGroup
	up.Go(func() { p.pump(l, l.server, l.client, false) })
	p.pump(l, l.client, l.server, true)
	up.Wait()
}

// add counts a link in. A proxy that has been closed takes no more: the one
// that closes it has already ended those it knew.
func (p *Proxy) add(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.links[l] = struct{}{}
	return true
}

func (p *Proxy) remove(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.links, l)
}

// pump moves bytes one way until their source ends, and then passes the end on.
func (p *Proxy) pump(l *link, to, from *net.TCPConn, fromServer bool) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if !p.waitForFlow(l) {
			return
		}
		cut := false
		if fromServer {
			n, cut = p.spend(n)
		}
		if _, werr := to.Write(buf[:n]); werr != nil {
			l.close()
			return
		}
		if cut {
			p.Cut()
			return
		}
		switch err {
		case nil:
		case io.EOF:
			to.CloseWrite()
			return
		default:
			l.close()
			return
		}
	}
}

// waitForFlow waits out a stall; false when the link has ended meanwhile, as
// one that is frozen has to.
func (p *Proxy) waitForFlow(l *link) bool {
	p.mu.Lock()
	all, own := p.flow, l.flow
	p.mu.Unlock()
	for _, flow := range []chan struct{}{own, all} {
		select {
		case <-flow:
		case <-l.ended:
			return false
		}
	}
	return true
}

// spend says how many of n bytes may pass, and whether a cut follows them.
func (p *Proxy) spend(n int) (allowed int, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.budget >= 0 && n > 0 {
		cut = int64(n) >= p.budget
		n = int(min(int64(n), p.budget))
		p.budget -= int64(n)
	}
	p.received += int64(n)
	return n, cut
}

func (l *link) close() {
	l.once.Do(func() {
		close(l.ended)
		l.client.Close()
		l.server.Close()
	})
}

// reset: with linger 0 the system answers unsent and unread bytes alike with
// RST in place of FIN.
func (l *link) reset() {
	l.client.SetLinger(0)
	l.close()
}
