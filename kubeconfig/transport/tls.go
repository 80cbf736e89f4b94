package transport

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strconv"
	"sync"
	"time"
)

// TLS says whom we trust. The zero value trusts the roots of the operating
// system. What we show in return is a Credential.
type TLS struct {
	// CA holds the only roots that are trusted, in PEM. None: the system's.
	CA Source
	// SystemRootsWithoutCA makes a CA file that is missing or bad mean the
	// system's roots instead of an error, until it can be used. Verification
	// is never switched off by it.
	SystemRootsWithoutCA bool
	// ServerName is what the server's certificate is checked against, and the
	// name sent in the handshake. "" is the host of the URL.
	ServerName string
	// Insecure switches the check of the server's certificate off. With a CA
	// it is an error, because only one of the two can have been meant.
	Insecure bool
}

// Check reads the CA, if there is one, and reports what is wrong with it, even
// with SystemRootsWithoutCA.
func (t TLS) Check() error {
	r := &roots{config: t, file: t.CA.file()}
	return r.load(time.Now())
}

// A Source is content given in place, or a file that holds it. A file is read
// again about once a minute, so that its rotation is noticed.
type Source struct {
	Data []byte `json:"-"` // may be a private key
	File string
}

// String is the file, or the size of the content.
func (s Source) String() string {
	if len(s.Data) > 0 {
		return strconv.Itoa(len(s.Data)) + " bytes"
	}
	return s.File
}

// GoString is String for %#v.
func (s Source) GoString() string { return s.String() }

func (s Source) empty() bool { return len(s.Data) == 0 && s.File == "" }

// file returns the source as a file. Content that was given in place is one
// that has been read, and has no path to be read from again.
func (s Source) file() rotatingFile {
	if len(s.Data) > 0 {
		return rotatingFile{content: s.Data}
	}
	return rotatingFile{path: s.File}
}

// roots keeps the trusted roots up to date with their file. The pointer it
// hands out changes exactly when the content does.
type roots struct {
	config TLS

	mu   sync.Mutex
	file rotatingFile
	pool *x509.CertPool // nil: the system's
}

// newRoots loads the roots once, and reports what is wrong with them.
func newRoots(config TLS) (*roots, error) {
	if config.Insecure && !config.CA.empty() {
		return nil, &InputError{Field: "insecure-skip-tls-verify", Err: errors.New("specifying a root certificates file with the insecure flag is not allowed")}
	}
	t := &roots{config: config, file: config.CA.file()}
	if err := t.load(time.Now()); err != nil && !config.SystemRootsWithoutCA {
		return nil, err
	}
	return t, nil
}

// current returns the roots that connections are to be made with now. Files
// are looked at when our copy is a minute old; what cannot be used leaves the
// last good roots.
func (t *roots) current(now time.Time) *x509.CertPool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file.due(now) {
		_ = t.load(now)
	}
	return t.pool
}

// distrust makes the next call of current look at the file.
func (t *roots) distrust() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.file.checked = time.Time{}
}

func (t *roots) load(now time.Time) error {
	if t.config.CA.empty() {
		return nil
	}
	changed, err := t.file.read(now)
	if err != nil {
		return &InputError{Field: "certificate-authority", Err: err}
	}
	if !changed && t.pool != nil {
		return nil
	}
	pool, err := parseRoots(t.file.content)
	if err != nil {
		return &InputError{Field: "certificate-authority", Err: errors.New(at(t.file.path) + "unable to load root certificates: " + err.Error())}
	}
	t.pool = pool
	return nil
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// byteOrderMark is what editors on Windows put in front of text. Glued to
// "-----BEGIN" it hides the first block from the PEM parser.
var byteOrderMark = []byte("\ufeff")

// parseRoots reads every certificate of a bundle. Text between the blocks is
// skipped; a certificate that this Go version cannot parse is skipped too, as
// long as one is left, for bundles are long and their members old.
func parseRoots(bundle []byte) (*x509.CertPool, error) {
	rest := bytes.ReplaceAll(bundle, byteOrderMark, nil)
	pool, added := x509.NewCertPool(), 0
	var firstErr error
	for {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			if firstErr == nil {
				firstErr = err
			}
			continue
		}
		pool.AddCert(cert)
		added++
	}
	switch {
	case added > 0:
		return pool, nil
	case firstErr != nil:
		return nil, firstErr
	}
	return nil, errors.New("unable to parse bytes as PEM block: no CERTIFICATE block found")
}
