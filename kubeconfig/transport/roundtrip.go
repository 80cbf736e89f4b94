package transport

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"sync"
	"time"
)

// The life of one request, from top to bottom of this file:
//
//	RoundTrip   refuses what is not for our server; limits what is no watch
//	  attempt   proof, send; on 401 renew and send once more
//	    send    headers on a copy of the request, then the pool
//	      poolFor   the pool for today's roots and certificate

// roundTripper is what our clients' requests go through.
//
// Invariant: everything that is secret is put on a clone of the request, here
// and nowhere else, after admit has seen where the request goes.
type roundTripper struct {
	config      Config // Credential nil: anonymous
	origin      string // scheme://host:port
	impersonate http.Header
	files       *tlsFiles
	wire        wire

	mu    sync.Mutex
	pool  *http.Transport  // nil before the first request
	roots *x509.CertPool   // what pool was made for, compared by pointer
	cert  *tls.Certificate // the same
}

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.admit(req); err != nil {
		closeBody(req)
		return nil, err
	}
	if r.config.RequestTimeout > 0 && !isWatch(req) {
		return limited(req, r.config.RequestTimeout, r.attempt)
	}
	return r.attempt(req)
}

// admit refuses requests that would carry credentials away from our server.
// Package http drops the Authorization header when it follows a redirect to
// another host, but this RoundTripper would put it on again: for it, that is a
// request like any other. Whoever copies our client and gives it another
// redirect policy meets this check.
func (r *roundTripper) admit(req *http.Request) error {
	target := originOf(req.URL)
	if target != r.origin || req.Response != nil {
		return &ForeignRequestError{Origin: r.origin, Target: target, Redirect: req.Response != nil}
	}
	return nil
}

// attempt sends the request, and a second time after a 401 that renewing the
// credentials may help against. The schedule that needs it: a token is
// replaced at its 80 % of life, our copy is up to a minute old, and the server
// has just revoked the old one (its service account key was rotated). A watch
// that passes the 401 on would wait out a backoff for something that is fixed
// at once.
//
// A second 401 is the answer: more tries here would hide from the caller that
// the server says no, and hammer it.
func (r *roundTripper) attempt(req *http.Request) (*http.Response, error) {
	ours := r.config.Credential != nil && req.Header.Get("Authorization") == ""
	var proof Proof
	if ours {
		var err error
		if proof, err = r.proof(req); err != nil {
			closeBody(req)
			return nil, err
		}
	}
	resp, used, err := r.send(req, proof)
	if err != nil || resp.StatusCode != http.StatusUnauthorized || !repeatable(req) {
		return resp, err
	}

	again := false
	if ours {
		if again, err = r.config.Credential.Renew(req.Context(), proof); err != nil {
			resp.Body.Close()
			return nil, credentialError(req, err)
		}
		if again {
			if proof, err = r.proof(req); err != nil {
				resp.Body.Close()
				return nil, err
			}
		}
	}
	// An API server answers 401, not a handshake alert, to a client
	// certificate that has expired: its handshake asks for one but does not
	// insist. So the files are looked at as well.
	if _, cert := r.files.current(time.Now(), true); proof.Certificate == nil && cert != used {
		again = true
	}
	if !again {
		return resp, nil
	}
	resp.Body.Close()
	req, err = repeat(req)
	if err != nil {
		return nil, err
	}
	resp, _, err = r.send(req, proof)
	return resp, err
}

func (r *roundTripper) proof(req *http.Request) (Proof, error) {
	proof, err := r.config.Credential.Proof(req.Context())
	if err != nil {
		return Proof{}, credentialError(req, err)
	}
	return proof, nil
}

// credentialError reports a failed credential, unless the request was given up
// meanwhile: then that is what happened.
func credentialError(req *http.Request, err error) error {
	if ctxErr := req.Context().Err(); ctxErr != nil {
		return ctxErr
	}
	return &CredentialError{Err: err}
}

// send sends the request once, and returns the client certificate that its
// connections are made with.
func (r *roundTripper) send(req *http.Request, proof Proof) (*http.Response, *tls.Certificate, error) {
	out := req.Clone(req.Context())
	if proof.Authorization != "" {
		out.Header.Set("Authorization", proof.Authorization)
	}
	if out.Header.Get("Impersonate-User") == "" {
		for name, values := range r.impersonate {
			out.Header[name] = values
		}
	}
	if _, set := out.Header["User-Agent"]; !set {
		out.Header.Set("User-Agent", r.config.UserAgent)
	}
	pool, cert := r.poolFor(proof)
	resp, err := pool.RoundTrip(out)
	if err != nil {
		// It may have been the certificate, or the roots, and the files may
		// hold better ones by now: the next request looks.
		r.files.distrust()
	}
	return resp, cert, err
}

// poolFor returns the pool whose connections are trusted and identified as
// the files and the proof say now.
//
// The pool that is replaced keeps the streams that run on it. Its idle
// connections are closed now; a connection that gets idle later, when its
// stream is over, goes after idleConnTimeout.
func (r *roundTripper) poolFor(proof Proof) (*http.Transport, *tls.Certificate) {
	roots, cert := r.files.current(time.Now(), false)
	if proof.Certificate != nil {
		cert = proof.Certificate
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool == nil || r.roots != roots || r.cert != cert {
		old := r.pool
		r.pool, r.roots, r.cert = r.newPool(roots, cert), roots, cert
		if old != nil {
			old.CloseIdleConnections()
		}
	}
	return r.pool, cert
}

// CloseIdleConnections is what http.Client.CloseIdleConnections calls.
func (r *roundTripper) CloseIdleConnections() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool != nil {
		r.pool.CloseIdleConnections()
	}
}

// repeatable reports whether the request can be sent a second time.
func repeatable(req *http.Request) bool {
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// repeat returns the request with a fresh body.
func repeat(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, err
	}
	again := req.Clone(req.Context())
	again.Body = body
	return again, nil
}

// closeBody keeps the promise of a RoundTripper: it closes the request's body,
// errors included.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
