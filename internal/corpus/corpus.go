// Package corpus has the events that the scan is measured with.
package corpus

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// A Corpus is a number of event lines. One corpus alone flatters: the branch
// predictor learns lines that are much alike. So the pods come also in as many
// shapes as there are lines, in random order, and ConfigMaps bring long
// strings.
type Corpus struct {
	Name  string
	Lines [][]byte
	Size  int64 // of all lines, in bytes
}

// All returns the corpora: pods, mixed, configmaps. The pods are those of the
// recording, a gzip file of a line per event.
func All(recording string) ([]Corpus, error) {
	f, err := os.Open(recording)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	pods := bytes.Split(bytes.TrimSuffix(body, []byte("\n")), []byte("\n"))
	all := []Corpus{{Name: "pods", Lines: pods}, {Name: "mixed", Lines: mixed(pods)}, {Name: "configmaps", Lines: configMaps()}}
	for i := range all {
		for _, line := range all[i].Lines {
			all[i].Size += int64(len(line))
		}
	}
	return all, nil
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
