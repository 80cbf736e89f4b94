package metrics

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Address is where addr, as a person writes it, is to be listened on: a port
// alone means the loopback address.
func Address(addr string) (string, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		if _, number := strconv.ParseUint(addr, 10, 16); number != nil {
			return "", fmt.Errorf("%q is no address to listen on: write PORT or HOST:PORT", addr)
		}
		host, port = "", addr
	}
	if host == "" {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// Server serves the pages until it is closed.
type Server struct {
	Addr string // where it listens

	http *http.Server
	over chan struct{}
}

// Serve listens on addr ("127.0.0.1:9090") and serves the pages of e.
func Serve(addr string, e *Exporter) (*Server, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{
		Addr: listener.Addr().String(),
		http: &http.Server{Handler: e, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute},
		over: make(chan struct{}),
	}
	go func() {
		defer close(s.over)
		s.http.Serve(listener) // ends when the server is closed, as nothing else can end it
	}()
	return s, nil
}

// Close stops listening, and gives pages that are being written a moment.
func (s *Server) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if s.http.Shutdown(ctx) != nil {
		s.http.Close()
	}
	<-s.over
}
