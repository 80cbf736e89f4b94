// Package self is what a peer knows of itself, and how it tells it: the last
// line of its output, a JSON object of figures. What it imports is in every
// peer's binary and memory, so it imports little.
package self

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Peak is the figure of [Memory]'s first result.
const Peak = "peak MB"

// Memory returns the most memory the process had resident so far, and what it
// has now, in bytes.
func Memory() (peak, now float64, err error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0, err
	}
	if peak, err = field(status, "VmHWM:"); err != nil {
		return 0, 0, err
	}
	now, err = field(status, "VmRSS:")
	return peak, now, err
}

func field(status []byte, name string) (float64, error) {
	_, rest, found := bytes.Cut(status, []byte("\n"+name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	kib, unit, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	n, err := strconv.ParseFloat(kib, 64)
	if !found || err != nil || unit != "kB" {
		return 0, fmt.Errorf("self: no %s in /proc/self/status", name)
	}
	return n * 1024, nil
}

// Report prints the figures and the peak of memory, and ends the process.
func Report(figures map[string]float64) {
	peak, _, err := Memory()
	if err != nil {
		Fail(err)
	}
	all := map[string]float64{Peak: peak / 1e6}
	maps.Copy(all, figures)
	line := make([]byte, 0, 256)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		line = append(line, "{,"[min(i, 1)])
		line = strconv.AppendQuote(line, name)
		line = append(line, ':')
		line = strconv.AppendFloat(line, all[name], 'g', -1, 64)
	}
	os.Stdout.Write(append(line, "}\n"...))
	os.Exit(0)
}

// Fail ends the process with an error.
func Fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
