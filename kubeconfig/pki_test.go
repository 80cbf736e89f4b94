package kubeconfig

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pki is a certificate authority with one server and one client.
type pki struct {
	caPEM                   []byte
	server                  tls.Certificate // for 127.0.0.1, ::1 and api.test
	clientPEM, clientKeyPEM []byte
	roots                   *x509.CertPool

	caCert *x509.Certificate
	caKey  *ecdsa.PrivateKey
}

func newPKI(t testing.TB) *pki {
	p := new(pki)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	var err error
	p.caKey, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, template, p.caKey.Public(), p.caKey)
	require.NoError(t, err)
	p.caCert, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	p.caPEM = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	p.roots = x509.NewCertPool()
	p.roots.AddCert(p.caCert)

	cert, key := p.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, DNSNames: []string{"api.test"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	p.server, err = tls.X509KeyPair(cert, key)
	require.NoError(t, err)
	p.clientPEM, p.clientKeyPEM = p.client(t, "client")
	return p
}

// client issues a client certificate.
func (p *pki) client(t testing.TB, name string) (cert, key []byte) {
	return p.issue(t, &x509.Certificate{
		Subject:     pkix.Name{CommonName: name},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (p *pki) issue(t testing.TB, template *x509.Certificate) (cert, key []byte) {
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = p.caCert.NotBefore, p.caCert.NotAfter
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, template, p.caCert, private.Public(), p.caKey)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}
