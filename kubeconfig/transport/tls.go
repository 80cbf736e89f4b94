package transport

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"
	"sync"
	"time"
)

// TLS says whom we trust and what we show. The zero value trusts the roots of
// the operating system and shows nothing.
type TLS struct {
	// CA holds the only roots that are trusted, in PEM. None: the system's.
	CA Source
	// SystemRootsWithoutCA makes a CA file that is missing or bad mean the
	// system's roots instead of an error, until it can be used. Verification
	// is never switched off by it.
	SystemRootsWithoutCA bool
	// Cert and Key are our client certificate, in PEM. Both or none.
	Cert, Key Source
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
	files := &tlsFiles{config: t, ca: sourceFile(t.CA)}
	return files.loadRoots(time.Now())
}

// A Source is content given in place, or a file that holds it. A file is read
// again about once a minute, so that its rotation is noticed.
type Source struct {
	Data []byte
	File string
}

func (s Source) empty() bool { return len(s.Data) == 0 && s.File == "" }

// tlsFiles keeps roots and client certificate up to date with their files. The
// pointers it hands out change exactly when the content does.
type tlsFiles struct {
	config TLS

	mu            sync.Mutex
	ca, cert, key rotatingFile
	roots         *x509.CertPool // nil: the system's
	pair          *tls.Certificate
}

// newTLSFiles loads everything once, and reports all that is wrong with it.
func newTLSFiles(config TLS) (*tlsFiles, error) {
	if config.Insecure && !config.CA.empty() {
		return nil, &InputError{Field: "insecure-skip-tls-verify", Err: errors.New("specifying a root certificates file with the insecure flag is not allowed")}
	}
	switch {
	case !config.Cert.empty() && config.Key.empty():
		return nil, &InputError{Field: "client-key", Err: errors.New("missing, but there is a client certificate")}
	case config.Cert.empty() && !config.Key.empty():
		return nil, &InputError{Field: "client-certificate", Err: errors.New("missing, but there is a client key")}
	}
	t := &tlsFiles{
		config: config,
		ca:     sourceFile(config.CA),
		cert:   sourceFile(config.Cert),
		key:    sourceFile(config.Key),
	}
	now := time.Now()
	err := t.loadRoots(now)
	if config.SystemRootsWithoutCA {
		err = nil
	}
	return t, errors.Join(err, t.loadPair(now))
}

func sourceFile(s Source) rotatingFile {
	if len(s.Data) > 0 {
		return rotatingFile{content: s.Data}
	}
	return rotatingFile{path: s.File}
}

// current returns what connections are to be made with now. Files are looked
// at when our copy is a minute old, or at once with force. Whatever cannot be
// used leaves the last good state: in the middle of a rotation the new
// certificate stands beside the old key for a moment.
func (t *tlsFiles) current(now time.Time, force bool) (*x509.CertPool, *tls.Certificate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ca.path != "" && (force || t.ca.due(now)) {
		_ = t.loadRoots(now)
	}
	if (t.cert.path != "" || t.key.path != "") && (force || t.cert.due(now) || t.key.due(now)) {
		_ = t.loadPair(now)
	}
	return t.roots, t.pair
}

// distrust makes the next call of current look at the files.
func (t *tlsFiles) distrust() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ca.checked, t.cert.checked, t.key.checked = time.Time{}, time.Time{}, time.Time{}
}

func (t *tlsFiles) loadRoots(now time.Time) error {
	if t.config.CA.empty() {
		return nil
	}
	changed, err := refresh(&t.ca, now)
	if err != nil {
		return &InputError{Field: "certificate-authority", Err: err}
	}
	if !changed && t.roots != nil {
		return nil
	}
	roots, err := parseRoots(t.ca.content)
	if err != nil {
		return &InputError{Field: "certificate-authority", Err: errors.New(at(t.ca.path) + "unable to load root certificates: " + err.Error())}
	}
	t.roots = roots
	return nil
}

func (t *tlsFiles) loadPair(now time.Time) error {
	if t.config.Cert.empty() {
		return nil
	}
	if _, err := refresh(&t.cert, now); err != nil {
		return &InputError{Field: "client-certificate", Err: err}
	}
	if _, err := refresh(&t.key, now); err != nil {
		return &InputError{Field: "client-key", Err: err}
	}
	// Parsed each time, changed or not. If only a file that was just found
	// changed counted, a certificate that was read while its key was missing
	// would never be taken up once the same key is back.
	pair, err := KeyPair(t.cert.content, t.key.content)
	if err != nil {
		var input *InputError
		if errors.As(err, &input) {
			file := t.cert.path
			if input.Field == "client-key" {
				file = t.key.path
			}
			input.Err = errors.New(at(file) + input.Err.Error())
		}
		return err
	}
	// An equal certificate keeps the old pointer, and with it the connections.
	if t.pair == nil || !sameCertificate(pair, t.pair) {
		t.pair = pair
	}
	return nil
}

// refresh reads a file anew; content given in place never changes.
func refresh(f *rotatingFile, now time.Time) (changed bool, err error) {
	if f.path == "" {
		return false, nil
	}
	return f.read(now)
}

func at(path string) string {
	if path == "" {
		return ""
	}
	return path + ": "
}

// sameCertificate compares what would be sent. The key has to fit it, so a
// certificate that is the same has the same key.
func sameCertificate(a, b *tls.Certificate) bool {
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
