package distant

import (
	"net"
	"time"
)

// Proxy is a proxy that listens.
type Proxy struct {
	listener net.Listener
	target   string
	half     time.Duration
}

// Start starts a proxy in front of a target, a host and a port.
func Start(target string, roundTrip time.Duration) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: l, target: target, half: roundTrip / 2}
	go p.serve()
	return p, nil
}

// Address is the host and port that clients dial.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends the proxy for new connections; those there are end with their
// client or their server.
func (p *Proxy) Close() { p.listener.Close() }

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			client.Close()
			continue
		}
		go p.carry(server, client)
		go p.carry(client, server)
	}
}

// piece is what was read at once, and when it is to arrive.
type piece struct {
	bytes []byte
	due   time.Time
}

// onTheWay is how many pieces a direction can hold. They are as large as a read
// makes them, so that this is above any window that is measured.
const onTheWay = 1 << 16

// carry moves bytes one way until the source ends, and then both ends with it.
func (p *Proxy) carry(to, from net.Conn) {
	defer to.Close()
	pieces := make(chan piece, onTheWay)
	go func() {
		defer close(pieces)
		buffer := make([]byte, 64<<10)
		for {
			n, err := from.Read(buffer)
			if n > 0 {
				pieces <- piece{append([]byte(nil), buffer[:n]...), time.Now().Add(p.half)}
			}
			if err != nil {
				return
			}
		}
	}()
	broken := false
	for arriving := range pieces {
		if broken {
			continue // the reader has to come to its end
		}
		time.Sleep(time.Until(arriving.due))
		if _, err := to.Write(arriving.bytes); err != nil {
			from.Close()
			broken = true
		}
	}
}
