package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/testpki"
)

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, content, 0o644))
}

// certificateServer answers with the common name of the client's certificate,
// and refuses the names in refuse. A path /watch stays open: it sends a line
// when next gets a value.
func certificateServer(t *testing.T, ca *testpki.Authority, refuse *string, next <-chan string) (url string) {
	return ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		if r.URL.Path == "/watch" {
			w.(http.Flusher).Flush()
			for line := range next {
				io.WriteString(w, name+" "+line)
				w.(http.Flusher).Flush()
			}
			return
		}
		if name == *refuse {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		io.WriteString(w, name)
	}).URL
}

func TestCertificateRotationCutsNoStream(t *testing.T) {
	ca := testpki.New(t)
	refuse := ""
	next := make(chan string)
	url := certificateServer(t, ca, &refuse, next)

	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	cert, key := ca.Client(t, "old")
	write(t, certFile, cert)
	write(t, keyFile, key)
	files, err := Certificate(Source{File: certFile}, Source{File: keyFile})
	require.NoError(t, err)
	client, err := NewClient(Config{
		Server:     mustURL(t, url),
		TLS:        TLS{CA: Source{Data: ca.PEM}},
		Credential: files,
	})
	require.NoError(t, err)
	defer client.CloseIdleConnections()

	_, body := get(t, client, url)
	assert.Equal(t, "old", body)
	watch, err := client.Get(url + "/watch")
	require.NoError(t, err)
	defer watch.Body.Close()
	buffer := make([]byte, 64)

	// The server takes the old one no longer. Only half of the new pair is
	// there: the old one stays in use.
	refuse = "old"
	cert, key = ca.Client(t, "new")
	write(t, certFile, cert)
	code, _ := get(t, client, url)
	assert.Equal(t, 401, code)

	// Now both are.
	write(t, keyFile, key)
	_, body = get(t, client, url)
	assert.Equal(t, "new", body)

	// The stream that runs as the old user goes on.
	next <- "1"
	n, err := watch.Body.Read(buffer)
	require.NoError(t, err)
	assert.Equal(t, "old 1", string(buffer[:n]))
	close(next)
	rest, err := io.ReadAll(watch.Body)
	require.NoError(t, err)
	assert.Empty(t, rest)
}

func TestCertificateFilesAreReadAgainEveryMinute(t *testing.T) {
	ca := testpki.New(t)
	oldCert, oldKey := ca.Client(t, "old")
	newCert, newKey := ca.Client(t, "new")
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		certFile, keyFile := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
		write(t, certFile, oldCert)
		write(t, keyFile, oldKey)
		files, err := Certificate(Source{File: certFile}, Source{File: keyFile})
		require.NoError(t, err)
		current := func() *tls.Certificate {
			proof, err := files.Proof(context.Background())
			require.NoError(t, err)
			return proof.Certificate
		}
		first := current()

		// The same content keeps the pointer, so connections stay.
		write(t, certFile, append([]byte("a comment\n"), oldCert...))
		time.Sleep(recheckEvery)
		same := current()
		assert.Same(t, first, same)

		write(t, certFile, newCert)
		write(t, keyFile, newKey)
		same = current()
		assert.Same(t, first, same, "read more than once a minute")
		time.Sleep(recheckEvery)
		second := current()
		assert.NotSame(t, first, second)

		// The certificate is renewed for the same key, and was read while the
		// key was missing for a moment.
		require.NoError(t, os.Remove(keyFile))
		write(t, certFile, oldCert)
		time.Sleep(recheckEvery)
		still := current()
		assert.Same(t, second, still)
		write(t, keyFile, oldKey)
		time.Sleep(recheckEvery)
		third := current()
		assert.True(t, bytes.Equal(first.Certificate[0], third.Certificate[0]))
	})
}

func TestRootsAreReadAgain(t *testing.T) {
	first, second := testpki.New(t), testpki.New(t)
	server := second.Serve(t, func(w http.ResponseWriter, r *http.Request) {})
	file := filepath.Join(t.TempDir(), "ca.crt")
	write(t, file, first.PEM)
	client := newClient(t, server, nil, func(config *Config) { config.TLS.CA.File = file })

	_, err := client.Get(server.URL)
	var verify *tls.CertificateVerificationError
	require.ErrorAs(t, err, &verify)

	// The failed request has made the file due.
	write(t, file, second.PEM)
	code, _ := get(t, client, server.URL)
	assert.Equal(t, 200, code)

	// What is no CA leaves the last good one.
	write(t, file, []byte("garbage"))
	r := client.Transport.(*roundTripper)
	r.trust.distrust()
	code, _ = get(t, client, server.URL)
	assert.Equal(t, 200, code)
}

func TestSystemRootsUntilTheCAIsThere(t *testing.T) {
	ca := testpki.New(t)
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {})
	file := filepath.Join(t.TempDir(), "ca.crt")
	trust := TLS{CA: Source{File: file}, SystemRootsWithoutCA: true}
	require.Error(t, trust.Check())
	client := newClient(t, server, nil, func(config *Config) { config.TLS = trust })
	_, err := client.Get(server.URL)
	var verify *tls.CertificateVerificationError
	require.ErrorAs(t, err, &verify, "verification is not switched off")

	write(t, file, ca.PEM)
	require.NoError(t, trust.Check())
	code, _ := get(t, client, server.URL)
	assert.Equal(t, 200, code)
}

func TestJoinedCredentialsAreCarriedTogether(t *testing.T) {
	ca := testpki.New(t)
	var seen journal
	server := ca.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen.add(r.TLS.PeerCertificates[0].Subject.CommonName + " " + r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	})
	first, err := KeyPair(ca.Client(t, "first"))
	require.NoError(t, err)
	second, err := KeyPair(ca.Client(t, "second"))
	require.NoError(t, err)
	c := new(ticket)
	client := newClient(t, server, ca, func(config *Config) {
		config.Credential = Join(
			&fixed{proof: Proof{Certificate: first}}, c,
			&fixed{proof: Proof{Authorization: "Bearer no", Certificate: second}})
	})
	get(t, client, server.URL)
	assert.Equal(t, []string{"first Bearer 0", "first Bearer 1"}, seen.all(), "the first that has a part provides it; any of them may renew")
}

func TestCertificateThatCannotBeUsed(t *testing.T) {
	ca := testpki.New(t)
	cert, key := ca.Client(t, "c")
	missing := Source{File: filepath.Join(t.TempDir(), "x")}
	for name, tc := range map[string]struct {
		cert, key Source
		field     string
	}{
		"no key":           {Source{Data: cert}, Source{}, "client-key"},
		"no certificate":   {Source{}, Source{Data: key}, "client-certificate"},
		"missing file":     {missing, Source{Data: key}, "client-certificate"},
		"missing key file": {Source{Data: cert}, missing, "client-key"},
		"not PEM":          {Source{Data: []byte("x")}, Source{Data: key}, "client-certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Certificate(tc.cert, tc.key)
			var input *InputError
			require.ErrorAs(t, err, &input)
			assert.Equal(t, tc.field, input.Field)
		})
	}
}

func TestKeyPairSaysWhichOfTheTwoIsWrong(t *testing.T) {
	ca := testpki.New(t)
	cert, key := ca.Client(t, "a")
	_, otherKey := ca.Client(t, "b")
	bom := []byte("\ufeff")
	for name, tc := range map[string]struct {
		cert, key []byte
		field     string
	}{
		"good":           {cert, key, ""},
		"with BOM":       {append(bom, cert...), append(bom, key...), ""},
		"with CRLF":      {bytes.ReplaceAll(cert, []byte("\n"), []byte("\r\n")), bytes.ReplaceAll(key, []byte("\n"), []byte("\r\n")), ""},
		"text before":    {append([]byte("subject=a\n"), cert...), key, ""},
		"swapped":        {key, cert, "client-certificate"},
		"two certs":      {cert, cert, "client-key"},
		"other key":      {cert, otherKey, "client-key"},
		"empty cert":     {nil, key, "client-certificate"},
		"empty key":      {cert, nil, "client-key"},
		"secret in type": {cert, []byte("-----BEGIN SECRET-----\nAAAA\n-----END SECRET-----\n"), "client-key"},
		"encrypted":      {cert, []byte("-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END EC PRIVATE KEY-----\n"), "client-key"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := KeyPair(tc.cert, tc.key)
			if tc.field == "" {
				require.NoError(t, err)
				return
			}
			var input *InputError
			require.ErrorAs(t, err, &input)
			assert.Equal(t, tc.field, input.Field)
			assert.NotContains(t, err.Error(), "SECRET")
		})
	}
}

func TestRootsWithOneBadCertificateAmongThem(t *testing.T) {
	ca := testpki.New(t)
	bad := []byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
	_, err := parseRoots(append(bad, ca.PEM...))
	assert.NoError(t, err)
	_, err = parseRoots(bad)
	assert.Error(t, err)
}
