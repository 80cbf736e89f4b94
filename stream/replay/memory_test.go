package replay_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// BenchmarkRecorderMemory records 1 GB: the largest live heap on the way, and
// how much the process grew after the first tenth.
func BenchmarkRecorderMemory(b *testing.B) {
	data := pods(b)
	for b.Loop() {
		rec := &Recorder{To: io.Discard, Base: roundTripper(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Request: r, Body: io.NopCloser(&repeating{data: data, left: 1 << 30})}, nil
		})}
		resp, err := rec.RoundTrip(httptest.NewRequest("GET", "/api/v1/pods?watch=true", nil))
		require.NoError(b, err)
		buf := make([]byte, 32<<10)
		watchMemory(b, func() (int, error) { return resp.Body.Read(buf) })
	}
}

// BenchmarkReaderMemory reads recordings of 1 GB.
func BenchmarkReaderMemory(b *testing.B) {
	data := pods(b)
	var rwr []byte
	for line := range strings.Lines(string(data)) {
		rwr = append(rwr, `{"c":1,"d":0.001,"t":"ev","ev":`+strings.TrimSuffix(line, "\n")+"}\n"...)
	}
	head := `{"rwr":1,"tool":"t","start":"2026-11-20T09:00:00Z","redacted":[]}
{"c":1,"d":0,"t":"req","method":"GET","url":"/api/v1/pods?watch=true"}
{"c":1,"d":0,"t":"res","status":200,"h":{"Content-Type":"application/json"}}
`
	chunk := fmt.Sprintf("%x\r\n%s\r\n", len(data), data)
	for name, c := range map[string]struct {
		head string
		body []byte
	}{
		"rwr":    {head, rwr},
		"events": {"", data},
		"http":   {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", []byte(chunk)},
		"list":   {"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"items\":[\n", data},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d, err := NewReader(io.MultiReader(strings.NewReader(c.head), &repeating{data: c.body, left: 1 << 30}))
				require.NoError(b, err)
				watchMemory(b, func() (int, error) {
					rec, err := d.Next()
					if err != nil {
						return 0, err
					}
					return len(rec.Bytes), nil
				})
			}
		})
	}
}

// repeating gives data again and again until left bytes have been read.
type repeating struct {
	data []byte
	at   int
	left int
}

func (r *repeating) Read(p []byte) (int, error) {
	if r.left <= 0 && r.at == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.data[r.at:])
	r.at = (r.at + n) % len(r.data)
	r.left -= n
	return n, nil
}

// watchMemory reads to the end and reports the memory it took. next says how
// many bytes there were.
func watchMemory(b *testing.B, next func() (int, error)) {
	b.Helper()
	var live, first uint64
	start, read := maxRSS(b), 0
	for sample := 64 << 20; ; {
		n, err := next()
		if read += n; read >= sample {
			sample += 64 << 20
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if live = max(live, m.HeapAlloc); first == 0 {
				first, start = m.HeapAlloc, maxRSS(b)
			}
		}
		if err != nil {
			require.ErrorIs(b, err, io.EOF)
			break
		}
	}
	require.Greater(b, read, 1<<29)
	b.ReportMetric(float64(live)/(1<<20), "MB-live-peak")
	b.ReportMetric(float64(live-first)/(1<<20), "MB-live-growth")
	b.ReportMetric(float64(maxRSS(b)-start)/(1<<20), "MB-RSS-growth")
}
