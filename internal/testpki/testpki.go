// Package testpki makes certificate authorities for tests, and servers that use
// them. Only tests import it.
package testpki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// Authority is a certificate authority with one server.
type Authority struct {
	PEM    []byte // its own certificate
	Pool   *x509.CertPool
	Server tls.Certificate // for 127.0.0.1, ::1 and api.test

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// New makes an authority.
func New(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{key: newKey(t), Pool: x509.NewCertPool()}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	a.PEM = block("CERTIFICATE", der)
	a.Pool.AddCert(a.cert)
	cert, key := a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, DNSNames: []string{"api.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if a.Server, err = tls.X509KeyPair(cert, key); err != nil {
		t.Fatal(err)
	}
	return a
}

// Client issues a client certificate for the user called name. Both results
// are PEM.
func (a *Authority) Client(t testing.TB, name string) (cert, key []byte) {
	t.Helper()
	return a.issue(t, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Serve starts an HTTP/2 server on 127.0.0.1 that, as API servers do, asks for
// client certificates and lets connections without one in.
func (a *Authority) Serve(t testing.TB, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	return a.ServeOn(t, "127.0.0.1:0", handler)
}

// ServeOn is Serve on an address of the caller's.
func (a *Authority) ServeOn(t testing.TB, address string, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Listener.Close()
	server.Listener = listener
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{a.Server},
		ClientAuth:   tls.VerifyClientCertIfGiven,
		ClientCAs:    a.Pool,
	}
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused handshakes are what many tests want
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func (a *Authority) issue(t testing.TB, template *x509.Certificate) (cert, key []byte) {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = a.cert.NotBefore, a.cert.NotAfter
	private := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, private.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return block("CERTIFICATE", der), block("PRIVATE KEY", keyDER)
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
