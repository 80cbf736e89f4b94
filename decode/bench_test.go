package decode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// A corpus is a number of event lines. One corpus alone flatters: the branch
// predictor learns lines that are much alike. So the pods come also in as many
// shapes as there are lines, in random order, and ConfigMaps bring long
// strings.
type corpus struct {
	name  string
	lines [][]byte
	size  int64
}

func corpora(b *testing.B) []corpus {
	pods := bytes.Split(bytes.TrimSuffix(recordedPods(b), []byte("\n")), []byte("\n"))
	all := []corpus{{name: "pods", lines: pods}, {name: "mixed", lines: mixed(pods)}, {name: "configmaps", lines: configMaps()}}
	for i := range all {
		for _, line := range all[i].lines {
			all[i].size += int64(len(line))
		}
	}
	return all
}

// mixed makes of each pod a line of a different shape: it stretches strings
// that are not keys, and drops members of managedFields.
func mixed(pods [][]byte) [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	lines := make([][]byte, 0, len(pods))
	for _, pod := range pods {
		var line []byte
		for i := 0; i < len(pod); i++ {
			rest := pod[i:]
			switch {
			case bytes.HasPrefix(rest, []byte(`":{},"f:`)) && random.IntN(4) == 0:
				i += len(`":{},"f:`) - 1 // joins two keys
			case bytes.HasPrefix(rest, []byte(`",`)) && random.IntN(3) == 0:
				line = append(line, strings.Repeat("x", random.IntN(24))...)
				line = append(line, pod[i])
			default:
				line = append(line, pod[i])
			}
		}
		lines = append(lines, line)
	}
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}

func configMaps() (lines [][]byte) {
	random := rand.New(rand.NewPCG(3, 4))
	words := strings.Fields(`server: listen 8080 location / { proxy_pass http://upstream; } # naïve ☕ "quoted" a\b`)
	for i := range 100 {
		var text strings.Builder
		for range 150 {
			text.WriteString(strings.Repeat("  ", random.IntN(4)))
			for range 3 + random.IntN(8) {
				text.WriteString(words[random.IntN(len(words))] + " ")
			}
			text.WriteString("\n")
		}
		config, err := json.Marshal(text.String())
		if err != nil {
			panic(err)
		}
		lines = append(lines, fmt.Appendf(nil, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c%d","namespace":"n","uid":"u","resourceVersion":"%d"},"data":{"a":%s,"b":"%s"}}}`,
			i, i, config, strings.Repeat("0123456789abcdef", 100)))
	}
	return lines
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
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(c.size)
			b.ReportAllocs()
			for b.Loop() {
				scanAll(b, &s, c.lines)
			}
		})
	}
}

func BenchmarkJSONValid(b *testing.B) {
	for _, c := range corpora(b) {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(c.size)
			for b.Loop() {
				validAll(b, c.lines)
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
		b.Run(c.name, func(b *testing.B) {
			scan, valid := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				scanAll(b, &s, c.lines)
				middle := time.Now()
				validAll(b, c.lines)
				scan, valid = min(scan, middle.Sub(start)), min(valid, time.Since(middle))
			}
			b.ReportMetric(float64(valid)/float64(scan), "times")
			b.ReportMetric(float64(c.size)/scan.Seconds()/1e6, "MB/s-scan")
			b.ReportMetric(float64(c.size)/valid.Seconds()/1e6, "MB/s-valid")
		})
	}
}

// BenchmarkReader is one op for each event, framing included.
func BenchmarkReader(b *testing.B) {
	for _, c := range corpora(b) {
		body := append(bytes.Join(c.lines, []byte("\n")), '\n')
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(body) / len(c.lines)))
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
		body := listOf(c.lines)
		b.Run(c.name, func(b *testing.B) {
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
				if n != len(c.lines) {
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
