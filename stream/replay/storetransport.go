package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"sync"
	"syscall"
)

// RoundTrip implements http.RoundTripper: the store answers without a
// connection, for tests that want very many answers. There are no bytes of
// HTTP; what a step does to a connection it does to the body alone. Cut is
// io.ErrUnexpectedEOF, Reset and RstStream are syscall.ECONNRESET, Freeze is
// Hold, GoAway is nothing, and Raw is a part of the body.
//
// No goroutine is started: a step is played when its answer is read.
func (s *Store) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	a := &directAnswer{}
	a.ctx, a.cancel = context.WithCancel(r.Context())
	a.next, a.stop = iter.Pull(s.answer(r.WithContext(a.ctx)))
	step, err := a.play()
	if err == nil && step.kind != stepRespond {
		err = errors.New("replay: malformed HTTP response") // as net/http says of a body without header
	}
	if err != nil {
		a.Close()
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	header := make(http.Header)
	lines, _, _ := step.fields()
	for _, l := range lines {
		header.Add(l[0], l[1])
	}
	return &http.Response{
		Status:     fmt.Sprintf("%d %s", step.status, http.StatusText(step.status)),
		StatusCode: step.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: a, ContentLength: -1, Request: r,
	}, nil
}

// directAnswer is an answer and its body.
type directAnswer struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu   sync.Mutex // held by a Read, also while it waits
	next func() (Step, bool)
	stop func()
	rest string // of the last Write
	err  error  // how the body ends, once it has
}

// play plays steps up to one that has something for the client: a header or
// bytes. The error is how the answer ends.
func (a *directAnswer) play() (Step, error) {
	for {
		step, ok := a.next()
		switch {
		case a.ctx.Err() != nil:
			return step, a.ctx.Err()
		case !ok:
			return step, io.EOF
		}
		switch step.kind {
		case stepRespond, stepWrite, stepRaw:
			return step, nil
		case stepPause:
			if err := sleep(a.ctx, step.delay); err != nil {
				return step, err
			}
		case stepDo:
			step.do()
		case stepEnd:
			return step, io.EOF
		case stepCut:
			return step, io.ErrUnexpectedEOF
		case stepReset, stepRstStream:
			return step, &net.OpError{Op: "read", Net: "memory", Err: syscall.ECONNRESET}
		case stepHold, stepFreeze:
			<-a.ctx.Done()
			return step, a.ctx.Err()
		}
	}
}

func (a *directAnswer) Read(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.rest == "" && a.err == nil {
		var step Step
		if step, a.err = a.play(); a.err == nil {
			a.rest = step.bytes
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	if n == 0 && len(p) > 0 {
		return 0, a.err
	}
	return n, nil
}

// Close ends the answer, and a Read that waits for more of it.
func (a *directAnswer) Close() error {
	a.cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stop()
	a.rest, a.err = "", net.ErrClosed
	return nil
}
