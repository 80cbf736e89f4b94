package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// pki is the paths of the keys and certificates of one cluster.
type pki struct {
	ca              string // signs all certificates below
	cert, key       string // the API server's
	signKey, verify string // service account tokens
	adminCert       []byte // PEM, a client certificate of system:masters
	adminKey        []byte
}

// newPKI makes everything anew in a folder. All expires within a day.
func newPKI(folder string) (*pki, error) {
	ca, err := newKeyPair(nil, x509.Certificate{
		Subject:               pkix.Name{CommonName: "rawwatch-test-ca"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	})
	if err != nil {
		return nil, err
	}
	server, err := newKeyPair(ca, x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		DNSNames:    []string{"localhost"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
	if err != nil {
		return nil, err
	}
	// The API server reads the user's name and groups from the subject.
	admin, err := newKeyPair(ca, x509.Certificate{
		Subject:     pkix.Name{CommonName: "admin-by-certificate", Organization: []string{"system:masters"}},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	if err != nil {
		return nil, err
	}
	accounts, err := newKeyPair(nil, x509.Certificate{})
	if err != nil {
		return nil, err
	}
	public, err := x509.MarshalPKIXPublicKey(accounts.key.Public())
	if err != nil {
		return nil, err
	}

	p := &pki{adminCert: admin.certPEM, adminKey: admin.keyPEM}
	for _, file := range []struct {
		path    *string
		name    string
		content []byte
	}{
		{&p.ca, "ca.crt", ca.certPEM},
		{&p.cert, "apiserver.crt", server.certPEM},
		{&p.key, "apiserver.key", server.keyPEM},
		{&p.signKey, "sa.key", accounts.keyPEM},
		{&p.verify, "sa.pub", pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})},
	} {
		*file.path = filepath.Join(folder, file.name)
		if err := os.WriteFile(*file.path, file.content, 0o600); err != nil {
			return nil, err
		}
	}
	return p, nil
}

type keyPair struct {
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	certPEM []byte
	keyPEM  []byte
}

// newKeyPair makes a key and a certificate after the template, signed by the
// given pair or, if that is nil, by itself.
func newKeyPair(by *keyPair, template x509.Certificate) (*keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make key: %w", err)
	}
	template.SerialNumber, err = rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, fmt.Errorf("make serial number: %w", err)
	}
	now := time.Now()
	template.NotBefore, template.NotAfter = now.Add(-time.Hour), now.Add(24*time.Hour)
	parent, signer := &template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer)
	if err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("read certificate back: %w", err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("write key: %w", err)
	}
	return &keyPair{
		cert:    cert,
		key:     key,
		certPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		keyPEM:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}),
	}, nil
}
