package stream_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"github.com/stretchr/testify/require"
)

// pods is the recorded stream of 300 pods, one event a line.
func pods(b *testing.B) []byte {
	b.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "recordings", "pods-300.watch.gz"))
	require.NoError(b, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(b, err)
	data, err := io.ReadAll(z)
	require.NoError(b, err)
	return data
}

// canned answers every watch with the same body, from memory.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{}, Request: r, Body: io.NopCloser(bytes.NewReader(c))}, nil
}

// BenchmarkWatch is what a caller of Watch gets: owned events, each compared
// with the index. Compare it with BenchmarkLent, the same bytes through decode
// alone.
func BenchmarkWatch(b *testing.B) {
	data := pods(b)
	server := &url.URL{Scheme: "http", Host: "bench.test"}
	for _, tt := range []struct {
		name      string
		untracked bool
	}{{"tracked", false}, {"untracked", true}} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				w := stream.Watcher{
					Client: &http.Client{Transport: canned(data)}, Server: server,
					Target: stream.Target{Version: "v1", Resource: "pods"},
					Start:  stream.StartAny, Untracked: tt.untracked,
				}
				for _, err := range w.Watch(context.Background()) {
					require.NoError(b, err)
					if events++; events%300 == 0 {
						break
					}
				}
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func BenchmarkLent(b *testing.B) {
	data := pods(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := decode.NewReader(bytes.NewReader(data), 0)
		for {
			if _, err := r.Next(); errors.Is(err, io.EOF) {
				break
			}
		}
	}
}

// BenchmarkList reads a list of 300 pods as pages of one body.
func BenchmarkList(b *testing.B) {
	var items []string
	for line := range bytes.Lines(pods(b)) {
		var ev decode.Event
		require.NoError(b, decode.ScanEvent(bytes.TrimSpace(line), &ev))
		items = append(items, string(ev.Object))
	}
	data := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[` + strings.Join(items, ",") + "]}\n")
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		w := stream.Watcher{
			Client: &http.Client{Transport: canned(data)}, Server: &url.URL{Scheme: "http", Host: "bench.test"},
			Target: stream.Target{Version: "v1", Resource: "pods"},
		}
		for ev, err := range w.Watch(context.Background()) {
			require.NoError(b, err)
			if ev.Type == stream.Synced {
				break
			}
		}
	}
}
