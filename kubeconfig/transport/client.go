package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// Config says which server a client talks to, and as whom.
type Config struct {
	// Server is the API server's URL. Only its scheme (http or https), host
	// and port matter here; requests to any other are refused.
	Server *url.URL
	TLS    TLS
	// Credential proves who we are; nil means anonymous, Join makes one of
	// several. It is not used for a server that is reached by plain http.
	Credential Credential
	// Impersonate is what Impersonation.Header returns. It is put on requests
	// that have no Impersonate-User header yet, over plain http too.
	Impersonate http.Header
	// Proxy chooses the proxy, as http.Transport's field does. nil: none.
	Proxy func(*http.Request) (*url.URL, error)
	// DisableCompression stops http.Transport from asking for gzip by itself.
	DisableCompression bool
	// UserAgent is sent by requests that bring none. "" is
	// "rawwatch (os/arch)".
	UserAgent string
	// RequestTimeout limits requests, body included; 0 means no limit.
	// Requests with watch=true are not limited: they are meant to last.
	RequestTimeout time.Duration
}

// Limits on making a connection. They are those of client-go, so that what
// works there works here; none of them limits a body.
const (
	// From a request that has been written to the headers of its response.
	// Servers hold them back for 3 s, queues for 15 s, and some proxies until
	// the first byte of the body: of a watch that may be the bookmark after
	// 60 s. client-go has none, and waits for ever.
	headerTimeout = 75 * time.Second

	dialTimeout      = 30 * time.Second
	keepAlive        = 30 * time.Second
	handshakeTimeout = 10 * time.Second
	idleConnTimeout  = 90 * time.Second
	maxIdlePerHost   = 25

	// An HTTP/2 connection on which nothing has arrived for pingAfter is
	// pinged, and closed without an answer within pingTimeout. A connection
	// that died without a FIN (a NAT entry that was dropped, a node that lost
	// power) would otherwise stay in the pool, and every new request would be
	// put on it.
	pingAfter   = 30 * time.Second
	pingTimeout = 15 * time.Second

	// An HTTP/2 connection to which not one byte could be written for so long
	// is closed. A peer that stops reading fills the buffers on the way to it,
	// and then even the end of a stream waits to be written: without a limit
	// the caller that gives it up would hang with it.
	writeTimeout = 10 * time.Second
)

// streamBuffer is how much of an HTTP/2 stream may wait here to be read: what a
// server can send in one round trip, and what a caller who is slower than the
// server pays in memory, for each watch. With net/http's 4 MiB a list of 5,000
// pods takes up to 6 MB more; 1 MiB is 10 MB/s at a distance of 100 ms, and as
// lists are compressed, that of the other end of the world is not slowed down.
const streamBuffer = 1 << 20

// NewClient returns a client for the server of config. The CA is read now, and
// what is wrong with it is reported: the error is an *InputError.
//
// The client has no Timeout, follows no redirects, and may be copied. It
// speaks HTTP/2 where the server does.
func NewClient(config Config) (*http.Client, error) {
	if config.Server == nil || config.Server.Host == "" || (config.Server.Scheme != "https" && config.Server.Scheme != "http") {
		return nil, &InputError{Field: "server", Err: errors.New("an http or https URL with a host is needed")}
	}
	if config.Server.Scheme == "http" {
		config.Credential = nil
		config.TLS = TLS{}
	}
	if config.UserAgent == "" {
		config.UserAgent = "rawwatch (" + runtime.GOOS + "/" + runtime.GOARCH + ")"
	}
	roots, err := newRoots(config.TLS)
	if err != nil {
		return nil, err
	}
	return &http.Client{
		Transport: &roundTripper{
			config: config,
			origin: originOf(config.Server),
			trust:  roots,
			wire:   wireFromEnvironment(),
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// wire holds what can be changed about the protocol on a connection.
type wire struct {
	http1Only              bool
	pingAfter, pingTimeout time.Duration
	writeTimeout           time.Duration
}

// wireFromEnvironment reads the three variables with which people get
// client-go past a middlebox that cannot deal with HTTP/2.
func wireFromEnvironment() wire {
	return wire{
		http1Only:    os.Getenv("DISABLE_HTTP2") != "",
		pingAfter:    seconds("HTTP2_READ_IDLE_TIMEOUT_SECONDS", pingAfter),
		pingTimeout:  seconds("HTTP2_PING_TIMEOUT_SECONDS", pingTimeout),
		writeTimeout: writeTimeout,
	}
}

func seconds(variable string, fallback time.Duration) time.Duration {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || n < 0 {
		return fallback
	}
	return time.Duration(n) * time.Second
}

// newPool makes the connections' owner for one set of roots and one client
// certificate.
func (r *roundTripper) newPool(roots *x509.CertPool, cert *tls.Certificate) *http.Transport {
	tlsConfig := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		RootCAs:            roots,
		ServerName:         r.config.TLS.ServerName,
		InsecureSkipVerify: r.config.TLS.Insecure,
	}
	if cert != nil {
		// Not the field Certificates: crypto/tls leaves those out when none
		// of the issuers that the server names has signed them, and API
		// servers behind a front proxy name the wrong ones.
		tlsConfig.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return cert, nil
		}
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(!r.wire.http1Only)
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: keepAlive}
	return &http.Transport{
		Proxy:                  r.config.Proxy,
		OnProxyConnectResponse: refusal,
		DialContext:            counted(dialer.DialContext),
		TLSClientConfig:        tlsConfig,
		TLSHandshakeTimeout:    handshakeTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		DisableCompression:     r.config.DisableCompression,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleConnTimeout,
		Protocols:              protocols,
		HTTP2: &http.HTTP2Config{
			SendPingTimeout:           r.wire.pingAfter,
			PingTimeout:               r.wire.pingTimeout,
			WriteByteTimeout:          r.wire.writeTimeout,
			MaxReceiveBufferPerStream: streamBuffer,
		},
	}
}

// refusal is the error of a CONNECT that a proxy refused. That of net/http is
// what the proxy has written behind the number, nothing more: it does not say
// that there is a proxy, and a proxy may repeat the password it was given.
func refusal(_ context.Context, proxy *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("transport: the proxy %s answered CONNECT with %d %s", proxy.Host, answer.StatusCode, http.StatusText(answer.StatusCode))
}

// originOf returns scheme://host:port, in lower case and always with a port.
func originOf(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "443"
		if u.Scheme == "http" {
			port = "80"
		}
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}
