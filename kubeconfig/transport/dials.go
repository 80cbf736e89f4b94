package transport

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync/atomic"
)

// maxDials: so many connections may be made for one request. One is the rule;
// a pool that has just lost its connection, or a server on its way down, takes
// another one or two, and more if many requests begin at once and few streams
// are allowed.
const maxDials = 10

// errTooManyDials is what a request ends with instead. The caller's backoff
// spaces the next one out.
var errTooManyDials = errors.New("transport: the server closes each connection before it answers")

type dialsKey struct{}

// countDials copies a request, and lets what is dialled for a request be counted. http.Transport
// dials with the values of the request's context, and sends the request again
// without a pause and without an end when its new HTTP/2 connection takes no
// request. The schedule that needs a limit:
//
//  1. the server (or the balancer before it) answers each first request of a
//     connection with a GOAWAY that excludes it, or allows no streams;
//  2. the transport dials again, as often as it can, with a TLS handshake each
//     time: some hundred in a second;
//  3. RoundTrip does not return, so no caller learns of it or backs off, and the
//     limit on headers begins anew with each connection.
func countDials(req *http.Request) *http.Request {
	return req.WithContext(context.WithValue(req.Context(), dialsKey{}, new(atomic.Int32)))
}

// counted is a dial that gives up at maxDials.
func counted(dial func(context.Context, string, string) (net.Conn, error)) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials, ok := ctx.Value(dialsKey{}).(*atomic.Int32); ok && dials.Add(1) > maxDials {
			return nil, errTooManyDials
		}
		return dial(ctx, network, address)
	}
}
