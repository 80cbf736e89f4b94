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
//	      poolFor   the pool for the roots and the certificate of now

// roundTripper is what our clients' requests go through.
//
// Invariant: everything that is secret is put on a clone of the request, here
// and nowhere else, after admit has seen where the request goes.
type roundTripper struct {
	config Config // Credential nil: anonymous
	origin string // scheme://host:port
	trust  *roots
	wire   wire

	mu    sync.Mutex
	pool  *http.Transport  // nil before the first request
	roots *x509.CertPool   // what pool was made for, compared by pointer
	cert  *tls.Certificate // the same
}

// String keeps the credentials out of whatever is printed.
func (r *roundTripper) String() string { return "transport.Client{" + r.origin + "}" }

// GoString is String for %#v.
func (r *roundTripper) GoString() string { return r.String() }

func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := r.admit(req); err != nil {
		closeBody(req)
		return nil, err
	}
	if r.config.RequestTimeout > 0 && !isWatch(req) {
		return withTimeout(req, r.config.RequestTimeout, r.attempt)
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
	proof, err := r.proof(req)
	if err != nil {
		closeBody(req)
		return nil, err
	}
	resp, err := r.send(req, proof)
	theirs := r.config.Credential == nil || req.Header.Get("Authorization") != ""
	if err != nil || resp.StatusCode != http.StatusUnauthorized || theirs || !repeatable(req) {
		return resp, err
	}
	again, err := r.config.Credential.Renew(req.Context(), proof)
	if err == nil && !again {
		return resp, nil
	}
	resp.Body.Close()
	if err != nil {
		return nil, credentialError(req, err)
	}
	if proof, err = r.proof(req); err != nil {
		return nil, err
	}
	if req, err = repeat(req); err != nil {
		return nil, err
	}
	return r.send(req, proof)
}

func (r *roundTripper) proof(req *http.Request) (Proof, error) {
	if r.config.Credential == nil {
		return Proof{}, nil
	}
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

// send sends the request once. An Authorization header that the caller put on
// it is left alone.
func (r *roundTripper) send(req *http.Request, proof Proof) (*http.Response, error) {
	// A copy one level deep: Request.Clone would copy, and link, the parts of
	// forms. Of what is shared only the header is written to.
	out := countDials(req)
	if out.Header = req.Header.Clone(); out.Header == nil {
		out.Header = make(http.Header)
	}
	if proof.Authorization != "" && out.Header.Get("Authorization") == "" {
		out.Header.Set("Authorization", proof.Authorization)
	}
	if out.Header.Get("Impersonate-User") == "" {
		for name, values := range r.config.Impersonate {
			out.Header[name] = values
		}
	}
	if _, set := out.Header["User-Agent"]; !set {
		out.Header.Set("User-Agent", r.config.UserAgent)
	}
	resp, err := r.poolFor(proof).RoundTrip(out)
	if err != nil {
		// The roots may have been the reason, and their file may hold better
		// ones by now: the next request looks.
		r.trust.distrust()
	}
	return resp, err
}

// poolFor returns the pool whose connections are trusted and identified as
// the CA and the proof say now.
//
// The pool that is replaced keeps the streams that run on it. Its idle
// connections are closed now; a connection that gets idle later, when its
// stream is over, goes after idleConnTimeout.
func (r *roundTripper) poolFor(proof Proof) *http.Transport {
	roots := r.trust.current(time.Now())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool == nil || r.roots != roots || r.cert != proof.Certificate {
		old := r.pool
		r.pool, r.roots, r.cert = r.newPool(roots, proof.Certificate), roots, proof.Certificate
		if old != nil {
			old.CloseIdleConnections()
		}
	}
	return r.pool
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
	again := req.WithContext(req.Context())
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
