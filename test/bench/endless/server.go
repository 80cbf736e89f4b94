package endless

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
)

// Server is the server.
type Server struct {
	Kind   string // of its objects
	Events []byte // that it sends over and over, one in each line
}

// body is the answer to a request: the list is empty, and a watch goes on for
// ever. A watch that asks for what exists first is told that nothing does.
func (s *Server) body(r *http.Request) io.Reader {
	q := r.URL.Query()
	events := &loop{body: s.Events}
	switch {
	case q.Get("watch") == "":
		return strings.NewReader(fmt.Sprintf(`{"kind":"%sList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}`, s.Kind))
	case q.Get("sendInitialEvents") == "true":
		end := fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"%s","apiVersion":"v1","metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`, s.Kind)
		return io.MultiReader(strings.NewReader(end+"\n"), events)
	}
	return events
}

// loop reads its body over and over.
type loop struct {
	body []byte
	at   int
}

func (l *loop) Read(p []byte) (int, error) {
	n := copy(p, l.body[l.at:])
	l.at = (l.at + n) % len(l.body)
	return n, nil
}

// RoundTrip answers from memory.
func (s *Server) RoundTrip(r *http.Request) (*http.Response, error) {
	body := s.body(r)
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: &closer{Reader: body},
	}, nil
}

// closer ends when it is closed, as a connection does: client-go closes the
// body of a watch to end it, while another goroutine reads.
type closer struct {
	io.Reader
	closed atomic.Bool
}

func (c *closer) Read(p []byte) (int, error) {
	if c.closed.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	return c.Reader.Read(p)
}

func (c *closer) Close() error {
	c.closed.Store(true)
	return nil
}

// ServeHTTP answers over a connection.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	lines := bufio.NewReaderSize(s.body(r), 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if _, failed := w.Write(line); err != nil || failed != nil {
			return
		}
		if http.NewResponseController(w).Flush() != nil {
			return
		}
	}
}
