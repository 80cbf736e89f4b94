package stream_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/rawwatch/stream"
	"github.com/stretchr/testify/require"
)

// Bodies for benchmarks, answered from memory.

// podEvents are the lines of the recorded stream of 300 pods, some 8 KB each.
func podEvents(b *testing.B) []string {
	b.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "recordings", "pods-300.watch.gz"))
	require.NoError(b, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(b, err)
	data, err := io.ReadAll(z)
	require.NoError(b, err)
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// metadataOf makes of events of pods what the view of their metadata is.
func metadataOf(pods []string) (events []string) {
	managed := regexp.MustCompile(`,"managedFields":.*?\},"spec":.*`)
	for _, pod := range pods {
		pod = managed.ReplaceAllString(pod, "}}}")
		events = append(events, strings.Replace(pod, `"kind":"Pod","apiVersion":"v1"`, `"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"`, 1))
	}
	return events
}

func configMapEvents() (events []string) {
	for i := range 300 {
		events = append(events, fmt.Sprintf(`{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"leader-%05d","namespace":"default","uid":"%08x-e070-4c83-9915-3cb6c953bb24","resourceVersion":"1"},"data":{"holder":"node-1","renewed":"2026-11-30T19:32:48Z"}}}`, i, i))
	}
	return events
}

// changing makes of events a stream of MODIFIED events without an end. Each
// object comes in a version other than the last time, so none is a repetition.
func changing(events []string) *forever {
	version := regexp.MustCompile(`"resourceVersion":"\d+"`)
	var body []byte
	for round := range 2 {
		for i, event := range events {
			event = strings.Replace(event, `"ADDED"`, `"MODIFIED"`, 1)
			at := version.FindStringIndex(event)
			body = fmt.Appendf(body, `%s"resourceVersion":"%d"%s`+"\n", event[:at[0]], 1000*(round+1)+i, event[at[1]:])
		}
	}
	return &forever{body: body}
}

// forever reads its body over and over.
type forever struct {
	body []byte
	at   int
}

func (f *forever) Read(p []byte) (int, error) {
	n := copy(p, f.body[f.at:])
	f.at = (f.at + n) % len(f.body)
	return n, nil
}

// canned answers each request with a body of its own.
type canned func() io.Reader

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{}, Request: r, Body: io.NopCloser(c())}, nil
}

// watcher watches what the server answers from memory.
func (c canned) watcher() *stream.Watcher {
	return &stream.Watcher{
		Client: &http.Client{Transport: c}, Server: &url.URL{Scheme: "http", Host: "bench.test"},
		Target: stream.Target{Version: "v1", Resource: "pods"},
	}
}

// listOfMany makes a list of n items, made while it is read, of the objects of
// events: each has a name, a uid and a version of its own. Items of built-in
// kinds come without their kind.
func listOfMany(events []string, n int) io.Reader {
	id := regexp.MustCompile(`"name":"[^"]*","namespace":"[^"]*","uid":"[^"]*","resourceVersion":"[^"]*"`)
	var heads, tails []string
	for _, event := range events {
		object := event[strings.Index(event, `"metadata":`) : len(event)-1]
		at := id.FindStringIndex(object)
		heads, tails = append(heads, "{"+object[:at[0]]), append(tails, object[at[1]:])
	}
	return &made{n: n, part: func(b []byte, i int) []byte {
		switch {
		case i == 0:
			b = append(b, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[`...)
		case i == n:
			return append(b, "]}\n"...)
		default:
			b = append(b, ',')
		}
		k := i % len(heads)
		b = append(b, heads[k]...)
		b = fmt.Appendf(b, `"name":"web-7d9c6b5f4-%06d","namespace":"default","uid":"%08x-e070-4c83-9915-3cb6c953bb24","resourceVersion":"%d"`, i, i, i+1)
		return append(b, tails[k]...)
	}}
}

// made is a body of the parts 0 to n, each made when it is needed.
type made struct {
	part    func(b []byte, i int) []byte
	next, n int
	buf     []byte
	rest    []byte
}

func (m *made) Read(p []byte) (int, error) {
	if len(m.rest) == 0 {
		if m.next > m.n {
			return 0, io.EOF
		}
		m.buf = m.part(m.buf[:0], m.next)
		m.rest = m.buf
		m.next++
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}
