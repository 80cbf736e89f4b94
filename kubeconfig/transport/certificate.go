package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"time"
)

// Client certificates are credentials, and not a part of TLS, for two reasons.
// They say who we are, as tokens do; and the code that parses private keys and
// signs with them is large, so programs that need none should not link it.

// certificate is a client certificate that may live in files, and is replaced
// there.
type certificate struct {
	hidden
	mu        sync.Mutex
	cert, key rotatingFile
	pair      *tls.Certificate // the last good one
}

// Certificate returns a credential that offers a client certificate. Files are
// read now, again when our copy is a minute old, and again when the server
// answers 401. Whatever cannot be used leaves the last good pair: in the
// middle of a rotation the new certificate stands beside the old key for a
// moment. Errors are of type *InputError.
func Certificate(cert, key Source) (Credential, error) {
	switch {
	case cert.empty():
		return nil, &InputError{Field: "client-certificate", Err: errors.New("missing, but there is a client key")}
	case key.empty():
		return nil, &InputError{Field: "client-key", Err: errors.New("missing, but there is a client certificate")}
	}
	c := &certificate{cert: cert.file(), key: key.file()}
	if err := c.load(time.Now()); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *certificate) Proof(context.Context) (Proof, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); c.cert.due(now) || c.key.due(now) {
		_ = c.load(now)
	}
	return Proof{Certificate: c.pair}, nil
}

// Renew is called because API servers answer 401, and not with a handshake
// alert, to a client certificate that has expired: their handshake asks for
// one but does not insist.
func (c *certificate) Renew(_ context.Context, refused Proof) (bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pair != refused.Certificate {
		return true, nil
	}
	_ = c.load(time.Now())
	return c.pair != refused.Certificate, nil
}

// load reads both files and parses them, changed or not. If only a file that
// was just found changed counted, a certificate that was read while its key
// was missing would never be taken up once the same key is back.
func (c *certificate) load(now time.Time) error {
	if _, err := c.cert.read(now); err != nil {
		return &InputError{Field: "client-certificate", Err: err}
	}
	if _, err := c.key.read(now); err != nil {
		return &InputError{Field: "client-key", Err: err}
	}
	pair, err := KeyPair(c.cert.content, c.key.content)
	if input, ok := errors.AsType[*InputError](err); ok {
		file := c.cert.path
		if input.Field == "client-key" {
			file = c.key.path
		}
		input.Err = errors.New(at(file) + input.Err.Error())
		return input
	}
	// An equal certificate keeps the old pointer, and with it the connections.
	if c.pair == nil || !SameCertificate(pair, c.pair) {
		c.pair = pair
	}
	return nil
}

// SameCertificate reports whether a and b are the same on the wire. A key has
// to fit its certificate, so if those are equal the keys are.
func SameCertificate(a, b *tls.Certificate) bool {
	if len(a.Certificate) != len(b.Certificate) {
		return false
	}
	for i := range a.Certificate {
		if !bytes.Equal(a.Certificate[i], b.Certificate[i]) {
			return false
		}
	}
	return true
}

// KeyPair parses a client certificate and its key, both PEM. Its errors are
// of type *InputError and say which of the two is at fault.
func KeyPair(cert, key []byte) (*tls.Certificate, error) {
	cert = bytes.ReplaceAll(cert, byteOrderMark, nil)
	key = bytes.ReplaceAll(key, byteOrderMark, nil)
	if encrypted(key) {
		return nil, &InputError{Field: "client-key", Err: errors.New("the key is encrypted: decrypt it first (openssl pkey)")}
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err == nil {
		return &pair, nil
	}
	// crypto/tls names the types of the blocks it skipped, which are part of
	// a file that should have been a key. Its own words end before the list.
	text, _, _ := strings.Cut(err.Error(), " after skipping PEM blocks")
	field := "client-certificate"
	if strings.Contains(text, "key") && !strings.Contains(text, "certificate input") {
		field = "client-key"
	}
	return nil, &InputError{Field: field, Err: errors.New(text)}
}

func encrypted(key []byte) bool {
	for {
		var block *pem.Block
		if block, key = pem.Decode(key); block == nil {
			return false
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" || strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED") {
			return true
		}
	}
}
