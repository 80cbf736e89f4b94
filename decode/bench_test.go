package decode

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/corpus"
)

func corpora(b *testing.B) []corpus.Corpus {
	b.Helper()
	all, err := corpus.All(recordings + "/pods-300.watch.gz")
	require.NoError(b, err)
	return all
}

func scanAll(b *testing.B, s *Scanner, lines [][]byte) {
	var ev Event
	for _, line := range lines {
		if err := s.ScanEvent(line, &ev); err != nil {
			b.Fatal(err)
		}
	}
}

func validAll(b *testing.B, lines [][]byte) {
	for _, line := range lines {
		if !json.Valid(line) {
			b.Fatal("not valid")
		}
	}
}

func BenchmarkScan(b *testing.B) {
	var s Scanner
	for _, c := range corpora(b) {
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(c.Size)
			b.ReportAllocs()
			for b.Loop() {
				scanAll(b, &s, c.Lines)
			}
		})
	}
}

func BenchmarkJSONValid(b *testing.B) {
	for _, c := range corpora(b) {
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(c.Size)
			for b.Loop() {
				validAll(b, c.Lines)
			}
		})
	}
}

// BenchmarkScanToJSONValid is the bar: how many times as fast as
// encoding/json.Valid the scan is. The two take turns, and the best time of
// each counts, so that a busy machine does not change the ratio.
func BenchmarkScanToJSONValid(b *testing.B) {
	var s Scanner
	for _, c := range corpora(b) {
		b.Run(c.Name, func(b *testing.B) {
			scan, valid := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				scanAll(b, &s, c.Lines)
				middle := time.Now()
				validAll(b, c.Lines)
				scan, valid = min(scan, middle.Sub(start)), min(valid, time.Since(middle))
			}
			b.ReportMetric(float64(valid)/float64(scan), "times")
			b.ReportMetric(float64(c.Size)/scan.Seconds()/1e6, "MB/s-scan")
			b.ReportMetric(float64(c.Size)/valid.Seconds()/1e6, "MB/s-valid")
		})
	}
}

// BenchmarkReader is one op for each event, framing included.
func BenchmarkReader(b *testing.B) {
	for _, c := range corpora(b) {
		body := append(bytes.Join(c.Lines, []byte("\n")), '\n')
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(int64(len(body) / len(c.Lines)))
			b.ReportAllocs()
			r := NewReader(&endless{bytes.NewReader(body)}, 0)
			for b.Loop() {
				if _, err := r.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// endless reads its source over and over.
type endless struct{ source *bytes.Reader }

func (e *endless) Read(p []byte) (int, error) {
	n, err := e.source.Read(p)
	if err == io.EOF {
		_, _ = e.source.Seek(0, io.SeekStart)
		return e.source.Read(p)
	}
	return n, err
}

// BenchmarkList is one op for each list of a whole corpus.
func BenchmarkList(b *testing.B) {
	for _, c := range corpora(b) {
		body := listOf(c.Lines)
		b.Run(c.Name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				l := NewListReader(bytes.NewReader(body), 0)
				n := 0
				for ; ; n++ {
					if _, err := l.Next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
				if n != len(c.Lines) {
					b.Fatal(n, "items")
				}
			}
		})
	}
}

// listOf makes a list of the objects of events, which come without kind and
// version as those of built-in kinds do.
func listOf(events [][]byte) []byte {
	var s Scanner
	var ev Event
	body := []byte(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[`)
	for i, line := range events {
		if i > 0 {
			body = append(body, ',')
		}
		if err := s.ScanEvent(line, &ev); err != nil {
			panic(err)
		}
		_, members, _ := bytes.Cut(ev.Object, []byte(`,"metadata":`))
		body = append(append(body, `{"metadata":`...), members...)
	}
	return append(body, "]}"...)
}
