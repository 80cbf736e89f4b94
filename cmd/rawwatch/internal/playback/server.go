package playback

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
)

// server is the http.RoundTripper of a track. It has no script in its hands:
// for each step it asks, and waits.
type server struct {
	asks  chan struct{}
	steps chan step

	pages []page // of the last list
}

// next asks for a step.
func (s *server) next(ctx context.Context) (step, error) {
	select {
	case s.asks <- struct{}{}:
	case <-ctx.Done():
		return step{}, context.Cause(ctx)
	}
	select {
	case st := <-s.steps:
		return st, nil
	case <-ctx.Done():
		return step{}, context.Cause(ctx)
	}
}

// errNoPage: the Watcher asks for what was not recorded here.
var errNoPage = errors.New("playback: the recording has no such page of a list")

// RoundTrip implements http.RoundTripper. A list may be asked for again: a
// Watcher does so if it shows at the end of one that the server went back.
func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	if exchange.IsTrue(q.Get("watch")) {
		return answer(r, &watch{server: s, ctx: r.Context()}), nil
	}
	if s.pages == nil {
		st, err := s.next(r.Context())
		if err != nil {
			return nil, err
		}
		s.pages = st.pages
	}
	for _, p := range s.pages {
		if p.token == q.Get("continue") {
			return answer(r, bytes.NewReader(p.body)), nil
		}
	}
	return nil, errNoPage
}

func answer(r *http.Request, body io.Reader) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(body), ContentLength: -1, Request: r,
	}
}

// watch is the body of a watch, one line after the other. A list is where it
// ends, since history was lost there.
type watch struct {
	server *server
	ctx    context.Context // of the request
	buf    []byte
	left   []byte // of buf
	over   bool
}

func (w *watch) Read(p []byte) (int, error) {
	if len(w.left) == 0 && w.over {
		return 0, io.EOF
	}
	if len(w.left) == 0 {
		st, err := w.server.next(w.ctx)
		if err != nil {
			return 0, err
		}
		line := st.line
		if st.pages != nil {
			w.server.pages, w.over, line = st.pages, true, st.loss
		}
		w.buf = append(append(w.buf[:0], line...), '\n')
		w.left = w.buf
	}
	n := copy(p, w.left)
	w.left = w.left[n:]
	return n, nil
}
