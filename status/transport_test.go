package status

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What net/http really returns, against listeners that really do this.
func TestTransportErrorsOfNetHTTP(t *testing.T) {
	quiet := log.New(io.Discard, "", 0)
	ok := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {})
	plain := httptest.NewServer(ok)
	defer plain.Close()
	secure := httptest.NewUnstartedServer(ok)
	secure.Config.ErrorLog = quiet
	secure.StartTLS()
	defer secure.Close()

	// connection accepts, says greeting, and closes.
	connection := func(greeting string) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		t.Cleanup(func() { listener.Close() })
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				io.WriteString(conn, greeting)
				conn.(*net.TCPConn).CloseWrite()
				io.Copy(io.Discard, conn)
				conn.Close()
			}
		}()
		return listener.Addr().String()
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed.Close()

	// No name leaves this machine: the resolver has nobody to ask.
	dialer := &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no name server")
	}}}

	for _, tc := range []struct {
		name   string
		url    string
		config *tls.Config
		first  string // the row before first contact
	}{
		{"unknown authority", secure.URL, &tls.Config{}, RowCertificate},
		{"another name", secure.URL, &tls.Config{RootCAs: secure.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, ServerName: "other"}, RowCertificate},
		{"https to http", strings.Replace(plain.URL, "http:", "https:", 1), nil, RowPlainHTTP},
		{"https to a port that speaks first", "https://" + connection("220 mail.example.com ESMTP\r\n"), nil, RowPlainHTTP},
		{"refused", "http://" + closed.Addr().String(), nil, RowUnreachable},
		{"no such name", "http://server.invalid", nil, RowUnreachable},
		{"closed at once", "http://" + connection(""), nil, RowConnect},
		{"closed at once, with TLS", "https://" + connection(""), nil, RowConnect},
		{"cut inside the headers", "http://" + connection("HTTP/1.1 200 OK\r\nContent-"), nil, RowConnect},
		{"not HTTP", "http://" + connection("220 mail.example.com ESMTP\r\n"), nil, RowConnect},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: tc.config, DialContext: dialer.DialContext}}
			defer client.CloseIdleConnections()
			_, err := client.Get(tc.url)
			require.Error(t, err)
			t.Logf("%T: %v", err, err)
			assert.Equal(t, tc.first, Decide(Failure{Err: err}, Run{}).Row)
			assert.Equal(t, RowConnect, Decide(Failure{Err: err, Contact: true}, Run{}).Row)
		})
	}

	t.Run("http to https is an answer", func(t *testing.T) {
		resp, err := http.Get(strings.Replace(secure.URL, "https:", "http:", 1))
		require.NoError(t, err)
		defer http.DefaultClient.CloseIdleConnections()
		v := Decide(Failure{Err: FromResponse(resp)}, Run{})
		assert.Equal(t, RowBadRequest, v.Row)
		assert.Equal(t, Stop, v.Action)
	})

	t.Run("https to http, under a RoundTripper", func(t *testing.T) {
		// net/http tests the type of the error the transport returns, so this
		// stays a tls.RecordHeaderError when something wraps it.
		client := &http.Client{Transport: wrapper{&http.Transport{}}}
		_, err := client.Get(strings.Replace(plain.URL, "http:", "https:", 1))
		require.Error(t, err)
		require.NotErrorIs(t, err, http.ErrSchemeMismatch)
		assert.Equal(t, RowPlainHTTP, Decide(Failure{Err: err}, Run{}).Row)
	})
}

// However deep it is wrapped, and whatever it is joined to.
func TestTransportErrorsAreFoundWithinOthers(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"verification", &tls.CertificateVerificationError{Err: errors.New("x")}, RowCertificate},
		{"authority", x509.UnknownAuthorityError{}, RowCertificate},
		{"host name", x509.HostnameError{Certificate: &x509.Certificate{}}, RowCertificate},
		{"expired", x509.CertificateInvalidError{Reason: x509.Expired}, RowCertificate},
		{"system roots", x509.SystemRootsError{}, RowCertificate},
		{"scheme", http.ErrSchemeMismatch, RowPlainHTTP},
		{"record", tls.RecordHeaderError{}, RowPlainHTTP},
		{"name", &net.DNSError{}, RowUnreachable},
		{"refused", syscall.ECONNREFUSED, RowUnreachable},
		{"no route", os.NewSyscallError("connect", syscall.EHOSTUNREACH), RowUnreachable},
		{"refused, on Windows", syscall.Errno(10061), RowUnreachable},
		{"reset", syscall.ECONNRESET, RowConnect},
		{"nothing inside", &End{}, RowConnect},
	} {
		t.Run(tc.name, func(t *testing.T) {
			joined := errors.Join(errors.New("another"), fmt.Errorf("%w, then %w", io.ErrClosedPipe, &net.OpError{Op: "dial", Err: tc.err}))
			for _, err := range []error{tc.err, joined, &url.Error{Op: "Get", Err: joined}} {
				assert.Equal(t, tc.want, Decide(Failure{Err: err}, Run{}).Row, "%v", err)
			}
		})
	}
}

type wrapper struct{ next http.RoundTripper }

func (w wrapper) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, &End{Err: err}
	}
	return resp, nil
}
