package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// isWatch reports whether the API server will take the request for a watch:
// it reads the parameter as a boolean in which only 0 and false mean no.
func isWatch(req *http.Request) bool {
	values, set := req.URL.Query()["watch"]
	return set && values[0] != "0" && values[0] != "false"
}

// withTimeout sends a request that has to be over, body and all, within limit.
func withTimeout(req *http.Request, limit time.Duration, send func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	cause := fmt.Errorf("transport: request not done within the request timeout of %v: %w", limit, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(req.Context(), limit, cause)
	resp, err := send(req.WithContext(ctx))
	if err != nil {
		if ctx.Err() != nil && req.Context().Err() == nil {
			err = cause
		}
		cancel()
		return nil, err
	}
	resp.Body = &limitedBody{ReadCloser: resp.Body, ctx: ctx, cancel: cancel}
	return resp, nil
}

// limitedBody ends the timer with the body.
type limitedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *limitedBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}
