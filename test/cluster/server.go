package cluster

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Server is an API server that answers, and the users it knows.
type Server struct {
	URL *url.URL
	CA  []byte // PEM; nil: the system's roots

	// Admin may do everything.
	Admin User

	name     string // in its certificate; "": the host of URL
	insecure bool   // of an external cluster: do not verify
	external bool
	accounts accounts
}

// accounts are the users that only a Cluster has from its start.
type accounts struct {
	certificate User
	denied      User
}

// User is who a client authenticates as. It prints as its name alone.
type User struct {
	Name  string
	Token string
	Cert  []byte // PEM, with Key: a client certificate
	Key   []byte
}

func (u User) String() string { return u.Name }

// GoString keeps the credentials out of %#v too.
func (u User) GoString() string { return "cluster.User(" + u.Name + ")" }

// Unknown is a user whose token no server knows: 401.
func (s *Server) Unknown() User { return User{Name: "unknown", Token: "no-such-token-" + rand.Text()} }

// AdminByCertificate is Admin with a client certificate in place of a token.
// Only a Cluster has one.
func (c *Cluster) AdminByCertificate() User { return c.Server.accounts.certificate }

// Denied is an authenticated user without any rights: 403.
func (s *Server) Denied(t testing.TB) User {
	t.Helper()
	if !s.external {
		return s.accounts.denied
	}
	return s.newServiceAccount(t, s.Namespace(t))
}

// Address is the host and the port of the server, for a proxy to dial.
func (s *Server) Address() string {
	return net.JoinHostPort(s.URL.Hostname(), cmp.Or(s.URL.Port(), "443"))
}

// Via is the same server at another address, a host and a port: that of a
// proxy in front of it.
func (s *Server) Via(address string) *Server {
	via, at := *s, *s.URL
	at.Host = address
	via.URL = &at
	if via.name == "" {
		via.name = s.URL.Hostname()
	}
	return &via
}

// TLS is the configuration of a client that is this user.
func (s *Server) TLS(t testing.TB, u User) *tls.Config {
	t.Helper()
	c, err := s.tls(u)
	if err != nil {
		t.Fatalf("cluster: %v", err)
	}
	return c
}

func (s *Server) tls(u User) (*tls.Config, error) {
	c := &tls.Config{ServerName: s.name, InsecureSkipVerify: s.insecure}
	if s.CA != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(s.CA) {
			return nil, errors.New("the server's certificate authority is no PEM certificate")
		}
	}
	if u.Cert != nil {
		pair, err := tls.X509KeyPair(u.Cert, u.Key)
		if err != nil {
			return nil, fmt.Errorf("client certificate of %s: %w", u, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// HTTPClient is a client as a program under test would make one: HTTP/2 where
// the server has it, connections kept, no timeout.
func (s *Server) HTTPClient(t testing.TB, u User) *http.Client {
	t.Helper()
	tr := &http.Transport{TLSClientConfig: s.TLS(t, u), ForceAttemptHTTP2: true}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: bearer{u.Token, tr}}
}

// bearer adds a user's token to each request.
type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// Namespace makes a namespace for this test alone. That of an external
// cluster is deleted at the end.
func (s *Server) Namespace(t testing.TB) string {
	t.Helper()
	name := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
	if len(name) > 40 {
		name = strings.Trim(name[:40], "-")
	}
	name += "-" + strings.ToLower(rand.Text()[:8])
	admin := s.Client(t, s.Admin)
	admin.Create(t, Namespaces, Manifest{
		"apiVersion": "v1", "kind": "Namespace", "metadata": Manifest{"name": name},
	})
	if s.external {
		t.Cleanup(func() { admin.Delete(t, Namespaces, name) })
		// The API server of a whole cluster refuses pods until a controller
		// has made the account they run as.
		accounts := Collection{Version: "v1", Resource: "serviceaccounts", Namespace: name}
		Wait(t, 30*time.Second, "the service account of "+name, func() bool {
			a, err := admin.Do(t.Context(), http.MethodGet, accounts.Object("default"), "", nil)
			return err == nil && a.Status == http.StatusOK
		})
	}
	return name
}
