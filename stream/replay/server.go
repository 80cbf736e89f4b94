package replay

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"iter"
	"net"
	"net/http"
	"net/url"
	"slices"
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
	// AnyOrder takes the first exchange that matches and has not been played
	// yet, instead of the next one. Refuse and Drop are skipped then.
	AnyOrder bool
}

// Seen is a request that reached a Server.
type Seen struct {
	Method string
	URL    *url.URL
	Header http.Header
	Conn   int       // number of the connection it came on, from 1 in order of accepting
	Time   time.Time // when its header had been read
}

// A Server plays a [Script], or shows a [Store].
type Server struct {
	t       TB
	options Options
	list    *playlist // nil: no script
	take    func(*http.Request) (iter.Seq[Step], error)

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
	seen   []Seen
	conns  map[*conn]bool // true: idle
	dialed int            // connections accepted so far
}

// NewServer starts a server that plays script. It is closed by t's cleanup,
// and fails t if a request does not match the next exchange or an exchange is
// never asked for.
func NewServer(t TB, script Script, options Options) *Server {
	t.Helper()
	if err := script.validate(options.HTTP2); err != nil {
		t.Fatalf("%v", err)
	}
	list := newPlaylist(script, options.AnyOrder)
	return startServer(t, list, list.take, options)
}

// startServer starts a server that does about each request what take says.
func startServer(t TB, list *playlist, take func(*http.Request) (iter.Seq[Step], error), options Options) *Server {
	t.Helper()
	s := &Server{t: t, options: options, list: list, take: take, conns: map[*conn]bool{}}
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

// Kubeconfig is a kubeconfig that points at the server, in JSON, which is YAML
// too. Other programs can use it if the server listens on TCP.
func (s *Server) Kubeconfig() []byte {
	cluster := map[string]any{"server": s.url.String()}
	if s.tls != nil {
		block := pem.Block{Type: "CERTIFICATE", Bytes: s.tls.Certificates[0].Certificate[0]}
		cluster["certificate-authority-data"] = pem.EncodeToMemory(&block)
	}
	named := func(kind string, of any) []any { return []any{map[string]any{"name": "replay", kind: of}} }
	b, _ := json.MarshalIndent(map[string]any{ // maps of strings and bytes always encode
		"apiVersion": "v1", "kind": "Config", "current-context": "replay",
		"clusters": named("cluster", cluster),
		"contexts": named("context", map[string]any{"cluster": "replay", "user": "replay"}),
		"users":    named("user", map[string]any{}),
	}, "", "  ")
	return append(b, '\n')
}

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
		// From the outside in: no new connections, no open ones, no goroutines;
		// only then is the script final, and may be judged.
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

// checkPlayed reports what is left of the script.
func (s *Server) checkPlayed() {
	s.t.Helper()
	if s.list == nil {
		return
	}
	if err := s.list.left(); err != nil {
		s.t.Errorf("%v\nrequests that came:%s", err, story(s.seen))
	}
}

// answer decides what to do about a request: it is called once for each, when
// its header has been read.
func (s *Server) answer(conn int, r *http.Request) iter.Seq[Step] {
	s.mu.Lock()
	s.seen = append(s.seen, Seen{Method: r.Method, URL: r.URL, Header: r.Header.Clone(), Conn: conn, Time: time.Now()})
	s.mu.Unlock()
	steps, err := s.take(r)
	if err == nil {
		// The exchange is taken, so the script may be waiting for connections
		// from here on, and those that are open would hide that.
		s.closeIdle()
		return steps
	}
	// Only the first request that does not match is answered; those behind it
	// are held, because an answer would make the client under test go round as
	// fast as it can.
	if err == errFailed {
		return slices.Values([]Step{Hold()})
	}
	// Errorf before the answer: a test that ends on it finds itself failed.
	s.t.Errorf("%v", err)
	s.fail(err)
	return slices.Values(JSON(599, err.Error()+"\n", "Content-Type: text/plain"))
}

// closeIdle closes the idle connections if the script waits for new ones.
func (s *Server) closeIdle() {
	if !s.wantsConnections() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, idle := range s.conns {
		if idle {
			c.raw.Close()
		}
	}
}

func (s *Server) wantsConnections() bool { return s.list != nil && s.list.wantsConnections() }
func (s *Server) refuses() bool          { return s.list != nil && s.list.refuses() }
func (s *Server) drops() bool            { return s.list != nil && s.list.drops() }
