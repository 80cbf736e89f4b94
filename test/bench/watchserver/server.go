package watchserver

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// Options say what the server does with a watch, beside keeping it open.
type Options struct {
	// Life ends each stream, clean, so long after its headers, or at its
	// timeoutSeconds if those are at most twice as long: most clients ask for
	// minutes, and none for less than a second. In the middle of it comes an
	// event. 0: streams are not ended.
	Life time.Duration

	// Every is the time between two events. 0: there are none.
	Every time.Duration
}

// Server is a server that listens.
type Server struct {
	options Options
	http    *httptest.Server
	ca      string

	mu      sync.Mutex
	version int
	ended   map[string]time.Time // by namespace: when the last stream ended
	gaps    []time.Duration
}

// Start starts a server; the file of its authority is put into folder.
func Start(folder string, o Options) (*Server, error) {
	s := &Server{options: o, version: 1000, ended: map[string]time.Time{}, ca: filepath.Join(folder, "watchserver-ca.pem")}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/namespaces/{namespace}/configmaps", s.collection)
	s.http = httptest.NewUnstartedServer(mux)
	s.http.EnableHTTP2 = true
	s.http.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 100}
	// A crowd that comes at once dials more connections than it then needs.
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.http.StartTLS()
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
	if err := os.WriteFile(s.ca, certificate, 0o600); err != nil {
		s.http.Close()
		return nil, fmt.Errorf("watchserver: %w", err)
	}
	return s, nil
}

// End ends the server and all its streams.
func (s *Server) End() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Args are the flags that tell a peer where the server is.
func (s *Server) Args() []string {
	return []string{"-server", s.http.URL, "-ca", s.ca, "-token", "none"}
}

// Gaps returns the times from the end of a stream to the next request of its
// namespace since the last call, in the order in which the requests came.
func (s *Server) Gaps() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	gaps := s.gaps
	s.gaps, s.ended = nil, map[string]time.Time{}
	return gaps
}

func (s *Server) collection(w http.ResponseWriter, r *http.Request) {
	namespace, query := r.PathValue("namespace"), r.URL.Query()
	s.arrived(namespace, time.Now())
	w.Header().Set("Content-Type", "application/json")
	if query.Get("watch") == "" {
		fmt.Fprintf(w, `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`,
			s.next(), object(namespace, s.next(), ""))
		return
	}
	if query.Get("sendInitialEvents") == "true" {
		version := s.next()
		fmt.Fprintf(w, `{"type":"ADDED","object":%s}`+"\n", object(namespace, version, ""))
		fmt.Fprintf(w, `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", version)
	}
	flush(w)
	if s.watch(w, r, namespace) {
		s.mu.Lock()
		s.ended[namespace] = time.Now()
		s.mu.Unlock()
	}
}

// watch sends what the options say until the stream is over, and tells whether
// it has lived its life.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, namespace string) bool {
	var life, event <-chan time.Time
	if lives := s.lives(r); lives > 0 {
		life = time.After(lives)
		event = time.After(lives / 2)
	}
	if s.options.Every > 0 {
		ticker := time.NewTicker(s.options.Every)
		defer ticker.Stop()
		event = ticker.C
	}
	for {
		select {
		case <-r.Context().Done():
			return false
		case <-life:
			return true
		case <-event:
			version := s.next()
			sent := `,"annotations":{"sent":"` + strconv.FormatInt(time.Now().UnixNano(), 10) + `"}`
			fmt.Fprintf(w, `{"type":"MODIFIED","object":%s}`+"\n", object(namespace, version, sent))
			flush(w)
		}
	}
}

// lives is how long the stream of a request lives. A client can tell an end at
// its own timeoutSeconds from one that came too early.
func (s *Server) lives(r *http.Request) time.Duration {
	seconds, err := strconv.Atoi(r.URL.Query().Get("timeoutSeconds"))
	if asked := time.Duration(seconds) * time.Second; err == nil && asked > 0 && asked <= 2*s.options.Life {
		return asked
	}
	return s.options.Life
}

// arrived notes how long ago the stream before this request ended.
func (s *Server) arrived(namespace string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ended, known := s.ended[namespace]; known {
		s.gaps = append(s.gaps, at.Sub(ended))
		delete(s.ended, namespace)
	}
}

func (s *Server) next() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	return s.version
}

func object(namespace string, version int, annotations string) string {
	return fmt.Sprintf(`{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"one","namespace":%q,"uid":"00000000-0000-4000-8000-000000000001","resourceVersion":"%d","creationTimestamp":"2026-01-02T03:04:05Z"%s},"data":{"k":"v"}}`,
		namespace, version, annotations)
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}
