package replay

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
)

// A Handler plays a script behind any net/http server. Steps that break the
// connection do so as far as that server lets them: over HTTP/1.1 as they say,
// over HTTP/2 with RST_STREAM. A request that does not match is answered with a
// Status 404 that says what was expected.
type Handler struct {
	// Discovery makes the handler answer what clients like kubectl ask before
	// they list anything (/version, /api, /apis, …), from the paths that are in
	// the script, and refuse to write with 405.
	Discovery bool

	list *playlist
	api  *Store // holds the resources alone

	mu   sync.Mutex
	errs []error
}

// NewHandler returns a handler that takes the exchanges in order or, with
// anyOrder, as they are asked for.
func NewHandler(script Script, anyOrder bool) *Handler {
	return &Handler{list: newPlaylist(script, anyOrder), api: &Store{Resources: script.resources()}}
}

// Err tells of requests that did not match so far, and of exchanges that were
// not asked for.
func (h *Handler) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return errors.Join(append(h.errs[:len(h.errs):len(h.errs)], h.list.left())...)
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.Discovery {
		steps := h.api.discovery(r)
		if r.Method != http.MethodGet {
			steps = JSON(405, StatusBody(405, "MethodNotAllowed"))
		}
		if steps != nil {
			play(r.Context(), slices.Values(steps), &handlerStage{w: w, rc: http.NewResponseController(w)})
			return
		}
	}
	steps, err := h.list.take(r)
	if err != nil {
		h.mu.Lock()
		if err != errFailed {
			h.errs = append(h.errs, err)
		}
		h.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%s,"reason":"NotFound","code":404}`, quote(err.Error()))
		return
	}
	s := &handlerStage{w: w, rc: http.NewResponseController(w)}
	defer s.close()
	play(r.Context(), steps, s)
}

// handlerStage is the stage behind net/http. conn is the connection once it
// has been taken over, which is when something has to happen that net/http's
// server would not do.
type handlerStage struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	conn net.Conn
}

// takeOver gets the connection out of the server's hands, or gives the request
// up in the only way a handler has if it is HTTP/2.
func (s *handlerStage) takeOver() {
	if s.conn != nil {
		return
	}
	conn, _, err := s.rc.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	s.conn = conn
}

func (s *handlerStage) close() {
	if s.conn != nil {
		s.conn.Close()
	}
}

// respond leaves the framing to net/http, which chunks what has no
// Content-Length and keeps to the one that it is given.
func (s *handlerStage) respond(step *Step) error {
	lines, _, _ := step.fields()
	header := s.w.Header()
	header["Content-Type"] = nil // net/http would guess one
	for _, l := range lines {
		if key := http.CanonicalHeaderKey(l[0]); header[key] == nil {
			header.Set(key, l[1])
		} else {
			header.Add(key, l[1])
		}
	}
	s.w.WriteHeader(step.status)
	return s.rc.Flush()
}

// write flushes each piece, so that it is one chunk or one frame.
func (s *handlerStage) write(body string) error {
	if s.conn != nil {
		return s.raw(body)
	}
	if _, err := io.WriteString(s.w, body); err != nil {
		return err
	}
	return s.rc.Flush()
}

func (s *handlerStage) raw(bytes string) error {
	s.takeOver()
	_, err := io.WriteString(s.conn, bytes)
	return err
}

func (s *handlerStage) end() error { return nil } // ServeHTTP returns

func (s *handlerStage) cut() { s.takeOver() } // close sends the FIN

func (s *handlerStage) reset() {
	s.takeOver()
	reset(s.conn)
}

func (s *handlerStage) freeze()             {}
func (s *handlerStage) rstStream(uint32)    { panic(http.ErrAbortHandler) }
func (s *handlerStage) goAway(uint32) error { return nil } // the server's own business
