package replay_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"testing"

	. "example.com/rawwatch/stream/replay"
)

// pods is the recorded watch of 300 pods, unpacked.
func pods(b *testing.B) []byte {
	b.Helper()
	data, err := loadPods()
	if err != nil {
		b.Fatal(err)
	}
	return data
}

func loadPods() ([]byte, error) {
	f, err := os.Open(recordings + "pods-300.watch.gz")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

func BenchmarkReader(b *testing.B) {
	data := pods(b)
	var rwr bytes.Buffer
	w, _ := NewWriter(&rwr, RecordingHeader{})
	for line := range bytes.Lines(data) {
		if err := w.Write(&Record{Exchange: 1, Kind: KindEvent, Bytes: bytes.TrimSuffix(line, []byte("\n"))}); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(rwr.Len()))
	b.ReportAllocs()
	for b.Loop() {
		d, err := NewReader(bytes.NewReader(rwr.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = d.Next()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
}

// BenchmarkRecorder is what a client pays for being recorded, redaction
// included: the bytes come out of memory.
func BenchmarkRecorder(b *testing.B) {
	data := pods(b)
	rec := &Recorder{To: io.Discard, Base: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Body: io.NopCloser(bytes.NewReader(data))}, nil
	})}
	req, err := http.NewRequest("GET", "http://x/api/v1/pods?watch=true", nil)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	buf := make([]byte, 32<<10)
	for b.Loop() {
		resp, err := rec.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = resp.Body.Read(buf)
		}
		resp.Body.Close()
	}
	if err := rec.Close(); err != nil {
		b.Fatal(err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
