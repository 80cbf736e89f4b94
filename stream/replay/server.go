package replay

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// TB is the part of testing.TB that a Server needs. It is spelled out so that
// programs that use this package do not link package testing.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
}

// Options say how a Server is reached. The zero value is HTTP/1.1 in memory,
// not encrypted, which works inside a testing/synctest bubble; so does every
// combination without TCP.
type Options struct {
	TCP   bool // listen on loopback
	TLS   bool // with a certificate made for this server
	HTTP2 bool // HTTP/2 only; without TLS by prior knowledge (h2c)
}

// Seen is a request that reached a Server.
type Seen struct {
	Method string
	URL    *url.URL
	Header http.Header
	Conn   int       // number of the connection it came on, from 1 in order of accepting
	Time   time.Time // when its header had been read
}

// A Server plays a [Script].
type Server struct {
	t       TB
	options Options
	script  Script

	listener net.Listener
	url      *url.URL
	tls      *tls.Config
	client   *http.Client

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	health context.Context // ends when the script has failed, or with Close
	fail   context.CancelCauseFunc
	done   sync.WaitGroup // every goroutine of the server
	closed sync.Once

	mu     sync.Mutex
	next   int // exchange to be played next
	used   int // connections that a Refuse or Drop at next has turned away
	failed bool
	seen   []Seen
	conns  map[*conn]bool
	dialed int // connections accepted so far
}

// NewServer starts a server that plays script. It is closed by t's cleanup,
// and fails t if a request does not match the next exchange or an exchange is
// never asked for.
func NewServer(t TB, script Script, options Options) *Server {
	t.Helper()
	if err := script.validate(options.HTTP2); err != nil {
		t.Fatalf("%v", err)
	}
	s := &Server{t: t, options: options, script: script, conns: map[*conn]bool{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.health, s.fail = context.WithCancelCause(s.ctx)
	if err := s.listen(); err != nil {
		t.Fatalf("replay: %v", err)
	}
	t.Cleanup(s.Close)
	s.done.Go(s.accept)
	return s
}

func (s *Server) listen() (err error) {
	host := "replay.test" // .test is reserved: no such host will ever be asked for by mistake
	if s.options.TCP {
		if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
		host = s.listener.Addr().String()
	} else {
		s.listener = newMemListener()
	}
	s.url = &url.URL{Scheme: "http", Host: host}
	transport := &http.Transport{DialContext: s.DialContext, Protocols: new(http.Protocols)}
	if s.options.TLS {
		s.url.Scheme = "https"
		cert, err := newCertificate(s.url.Hostname())
		if err != nil {
			return err
		}
		s.tls = &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"http/1.1"}}
		if s.options.HTTP2 {
			s.tls.NextProtos = []string{"h2"}
		}
		pool := x509.NewCertPool()
		pool.AddCert(cert.Leaf)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	transport.Protocols.SetHTTP1(!s.options.HTTP2)
	transport.Protocols.SetHTTP2(s.options.HTTP2 && s.options.TLS)
	transport.Protocols.SetUnencryptedHTTP2(s.options.HTTP2 && !s.options.TLS)
	s.client = &http.Client{Transport: transport}
	return nil
}

// URL is where the server is; in memory only [Server.Client] can reach it.
// The caller may not change it.
func (s *Server) URL() *url.URL { return s.url }

// Client reaches the server. Its Transport is an *http.Transport of its own
// that trusts the server's certificate.
func (s *Server) Client() *http.Client { return s.client }

// DialContext connects to the server whatever the address, for transports
// other than the Client's.
func (s *Server) DialContext(ctx context.Context, _, _ string) (net.Conn, error) {
	if s.refuses() {
		return nil, errRefused(s.listener.Addr().Network())
	}
	if s.drops() {
		client, server := memPipe()
		return client, server.Close()
	}
	if l, ok := s.listener.(*memListener); ok {
		return l.dial(ctx)
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", s.listener.Addr().String())
}

// Context ends when a request has not matched the script, with that as its
// cause, and when the server is closed. A loop under test that runs in it ends
// with the failure instead of retrying against a server that has nothing left
// to say.
func (s *Server) Context() context.Context { return s.health }

// Requests are those that have come so far, in order.
func (s *Server) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Close ends every connection, waits until the server's goroutines are gone,
// and fails the test if part of the script was never asked for. The test's
// cleanup calls it; a second call does nothing.
func (s *Server) Close() {
	s.closed.Do(func() {
		s.t.Helper()
		s.cancel()
		s.client.CloseIdleConnections()
		s.listener.Close()
		s.mu.Lock()
		for c := range s.conns {
			c.raw.Close() // not nc: a TLS goodbye can wait for a client that does not read
		}
		s.mu.Unlock()
		s.done.Wait()
		s.checkPlayed()
	})
}

// checkPlayed reports what is left of the script. After a mismatch everything
// behind it is left over for that one reason, which has been told already.
func (s *Server) checkPlayed() {
	s.t.Helper()
	if s.failed || s.next == len(s.script) {
		return
	}
	var b strings.Builder
	for i := s.next; i < len(s.script); i++ {
		fmt.Fprintf(&b, "\n\t%d: %v", i+1, &s.script[i])
	}
	s.t.Errorf("replay: %d of %d exchanges were never asked for:%s\nrequests that came:%s",
		len(s.script)-s.next, len(s.script), b.String(), s.story())
}

// story is the requests so far, one a line.
func (s *Server) story() string {
	var b strings.Builder
	for _, r := range s.seen {
		fmt.Fprintf(&b, "\n\t%s %s (connection %d)", r.Method, r.URL, r.Conn)
	}
	return cmp.Or(b.String(), " none")
}

// answer decides what to do about a request: it is called once for each, when
// its header has been read.
func (s *Server) answer(conn int, r *http.Request) iter.Seq[Step] {
	s.mu.Lock()
	s.seen = append(s.seen, Seen{Method: r.Method, URL: r.URL, Header: r.Header.Clone(), Conn: conn, Time: time.Now()})
	if s.failed {
		s.mu.Unlock()
		return slices.Values([]Step{Hold()})
	}
	n := s.next
	if n < len(s.script) && !s.script[n].connects() {
		s.advance() // taken before Check runs, which may call back
	} else {
		s.failed = true
	}
	s.mu.Unlock()

	switch {
	case n == len(s.script):
		return s.mismatch(n, r, "the script is over: no request was expected")
	case s.script[n].connects():
		return s.mismatch(n, r, fmt.Sprintf("want first: %v", &s.script[n]))
	}
	if diff := s.script[n].Request.differences(r); len(diff) > 0 {
		return s.mismatch(n, r, fmt.Sprintf("want: %v\n\t%s", &s.script[n], strings.Join(diff, "\n\t")))
	}
	return slices.Values(s.script[n].Answer)
}

// mismatch fails the test and makes the answer to the request that did not
// fit. Only this one is answered; what comes after it is held, because an
// answer would make the client under test go round as fast as it can.
func (s *Server) mismatch(n int, r *http.Request, why string) iter.Seq[Step] {
	text := fmt.Sprintf("replay: request %d of %d does not match\n\tgot:  %s %s\n\t%s",
		n+1, len(s.script), r.Method, r.URL, why)
	if near := s.nearest(n, r); near >= 0 {
		text += fmt.Sprintf("\n\tit would match exchange %d", near+1)
	}
	s.mu.Lock()
	s.failed = true
	s.mu.Unlock()
	s.t.Errorf("%s", text)
	s.fail(errors.New(text))
	return slices.Values(JSON(599, text+"\n", "Content-Type: text/plain"))
}

// nearest is another exchange that would have taken the request: the usual
// cause of a mismatch is one request too many or too few. -1 if there is none.
func (s *Server) nearest(not int, r *http.Request) int {
	for i := range s.script {
		if i != not && !s.script[i].connects() && len(s.script[i].Request.differences(r)) == 0 {
			return i
		}
	}
	return -1
}

// advance goes on to the next exchange; mu is held.
func (s *Server) advance() {
	s.next++
	s.used = 0
	if s.wantsConnections() {
		for c, idle := range s.conns {
			if idle {
				c.raw.Close()
			}
		}
	}
}

// wantsConnections reports whether the script waits for attempts to connect;
// mu is held.
func (s *Server) wantsConnections() bool {
	return s.next < len(s.script) && s.script[s.next].connects()
}

// refuses counts an attempt to connect and reports whether to refuse it.
func (s *Server) refuses() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next < len(s.script) && s.turnAway(s.script[s.next].refuse)
}

// drops counts a connection and reports whether to close it at once.
func (s *Server) drops() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next < len(s.script) && s.turnAway(s.script[s.next].drop)
}

func (s *Server) turnAway(n int) bool {
	if s.used >= n {
		return false
	}
	if s.used++; s.used == n {
		s.advance()
	}
	return true
}
