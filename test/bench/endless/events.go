package endless

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"

	"example.com/rawwatch/test/bench/pods"
)

// Cycle is how many events there are until they begin again: each object comes
// twice, in two versions, so that none is a repetition of the last.
const Cycle = 600

// Pods are the events of the recorded pods, as they were added.
func Pods() ([]byte, error) {
	f, err := os.Open(pods.Recording)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("endless: %s: %w", pods.Recording, err)
	}
	lines, err := io.ReadAll(unzipped)
	if err != nil {
		return nil, fmt.Errorf("endless: %s: %w", pods.Recording, err)
	}
	return lines, nil
}

// ConfigMaps are the events of as many small objects.
func ConfigMaps() []byte {
	var lines []byte
	for i := range Cycle / 2 {
		lines = fmt.Appendf(lines, `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"leader-%05d","namespace":"default","uid":"%08x-e070-4c83-9915-3cb6c953bb24","resourceVersion":"1"},"data":{"holder":"node-1","renewed":"2026-11-30T19:32:48Z"}}}`+"\n", i, i)
	}
	return lines
}

// Changes makes of ADDED events a cycle of MODIFIED ones.
func Changes(added []byte) (events []byte) {
	version := regexp.MustCompile(`"resourceVersion":"\d+"`)
	for round := range 2 {
		i := 0
		for line := range bytes.Lines(added) {
			line = bytes.Replace(line, []byte(`"ADDED"`), []byte(`"MODIFIED"`), 1)
			at := version.FindIndex(line)
			events = append(events, line[:at[0]]...)
			events = fmt.Appendf(events, `"resourceVersion":"%d"`, 1000*(round+1)+i)
			events = append(events, line[at[1]:]...)
			i++
		}
	}
	return events
}
