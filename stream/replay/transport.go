package replay

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// A Transport is an http.RoundTripper that gets its answers from a script,
// whatever host is asked. Between it and the script is a real connection in
// memory, so that its errors are those of net/http.
type Transport struct {
	server *Server
	t      collector
}

// NewTransport starts a transport. An error is one of the script's, which
// cannot be played as it is.
func NewTransport(script Script, options Options) (*Transport, error) {
	if err := script.validate(options.HTTP2); err != nil {
		return nil, err
	}
	options.TLS, options.TCP = false, false
	t := &Transport{}
	t.server = NewServer(&t.t, script, options)
	return t, nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	plain := r.Clone(r.Context())
	plain.URL.Scheme = "http"
	return t.server.Client().Transport.RoundTrip(plain)
}

// Requests are those that have come so far, in order.
func (t *Transport) Requests() []Seen { return t.server.Requests() }

// Close ends every connection. Its error tells of requests that did not match
// the script, and of exchanges that were never asked for.
func (t *Transport) Close() error {
	t.server.Close()
	t.t.mu.Lock()
	defer t.t.mu.Unlock()
	return errors.Join(t.t.errs...)
}

// collector is a TB for where there is no test.
type collector struct {
	mu   sync.Mutex
	errs []error
}

func (c *collector) Helper()        {}
func (c *collector) Cleanup(func()) {} // who makes it closes the server
func (c *collector) Errorf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// Fatalf is called by NewServer alone, for what a caller can rule out before.
func (c *collector) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
