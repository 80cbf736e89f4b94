package server

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
)

// play is the answer that was recorded in exchange n.
func (s *Server) play(n int) give {
	return func(w http.ResponseWriter, r *http.Request) {
		plainly(s.script[n].Answer)(&witness{w, func() { s.ended(n) }}, r)
		if r.Context().Err() == nil {
			s.ended(n)
		}
	}
}

// witness sees an answer end before the client does, who may ask again at
// once: with a failure, an ERROR event, or when the connection is broken off.
type witness struct {
	http.ResponseWriter
	ended func()
}

var failed = []byte(`{"type":"ERROR"`)

func (w *witness) WriteHeader(status int) {
	if status != http.StatusOK {
		w.ended()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *witness) Write(p []byte) (int, error) {
	if bytes.Contains(p, failed) {
		w.ended()
	}
	return w.ResponseWriter.Write(p)
}

func (w *witness) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.ended()
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// Unwrap gives http.ResponseController what this one does not do.
func (w *witness) Unwrap() http.ResponseWriter { return w.ResponseWriter }
