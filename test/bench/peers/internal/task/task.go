// Package task is what the peers are told to do: to list and watch the pods of
// a server until they have seen so many objects and so many changes. It
// imports little, for what it imports is in every peer.
package task

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"time"

	"example.com/rawwatch/test/bench/peers/internal/self"
)

// Synced is the line that a peer prints when it has seen all objects, and waits
// for their changes.
const Synced = "synced"

// Task is the flags of a peer.
type Task struct {
	Server, CA, Token string // the URL, a file, a bearer token
	Namespace         string // empty: all
	// Figures are what else the peer reports at its end; it may be nil.
	Figures func() map[string]float64

	objects, changes int

	start, synced time.Time
	seen, changed int
}

// Flags registers the flags. The program parses them, after its own.
func Flags() *Task {
	t := &Task{start: time.Now()}
	flag.StringVar(&t.Server, "server", "", "URL of the API server")
	flag.StringVar(&t.CA, "ca", "", "file of its certificate authority")
	flag.StringVar(&t.Token, "token", "", "bearer token")
	flag.StringVar(&t.Namespace, "namespace", "", "namespace; all if it is empty")
	flag.IntVar(&t.objects, "objects", 0, "objects that exist")
	flag.IntVar(&t.changes, "changes", 0, "changes to wait for then")
	return t
}

// Object counts an object that existed.
func (t *Task) Object() {
	t.seen++
	if t.seen == t.objects {
		t.synced = time.Now()
		fmt.Println(Synced)
		t.check()
	}
}

// Change counts a change, and ends the process with the last.
func (t *Task) Change() {
	t.changed++
	t.check()
}

func (t *Task) check() {
	if t.seen < t.objects || t.changed < t.changes {
		return
	}
	figures := map[string]float64{"list ms": float64(t.synced.Sub(t.start)) / float64(time.Millisecond)}
	if t.Figures != nil {
		maps.Copy(figures, t.Figures())
	}
	self.Report(figures)
}

// TLS trusts the authority of the task.
func (t *Task) TLS() *tls.Config {
	pem, err := os.ReadFile(t.CA)
	if err != nil {
		self.Fail(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return &tls.Config{RootCAs: roots}
}

// Get sends a GET over HTTP/2, as the leanest client would.
func (t *Task) Get(path string, gzip bool) *http.Response {
	client := http.Client{Transport: &http.Transport{TLSClientConfig: t.TLS(), ForceAttemptHTTP2: true, DisableCompression: !gzip}}
	request, err := http.NewRequest(http.MethodGet, t.Server+path, nil)
	if err != nil {
		self.Fail(err)
	}
	request.Header.Set("Authorization", "Bearer "+t.Token)
	request.Header.Set("Accept", "application/json")
	response, err := client.Do(request)
	if err != nil {
		self.Fail(err)
	}
	if response.StatusCode != http.StatusOK {
		self.Fail(fmt.Errorf("status %s", response.Status))
	}
	return response
}

// Pods is the path of the pods.
func (t *Task) Pods() string {
	if t.Namespace == "" {
		return "/api/v1/pods"
	}
	return "/api/v1/namespaces/" + t.Namespace + "/pods"
}
