package record

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// Machine is where it was measured.
type Machine struct {
	System string // linux/amd64
	CPU    string
	Cores  int
	Memory string
	Kernel string
	Load   string // the load average of a minute when the suite began
}

// ThisMachine describes the machine. What the system does not tell is empty.
func ThisMachine() Machine {
	m := Machine{
		System: runtime.GOOS + "/" + runtime.GOARCH,
		CPU:    labelled("/proc/cpuinfo", "model name"),
		Cores:  runtime.NumCPU(),
	}
	if kib, err := strconv.ParseFloat(strings.TrimSuffix(labelled("/proc/meminfo", "MemTotal"), " kB"), 64); err == nil {
		m.Memory = fmt.Sprintf("%.0f GiB", kib/(1<<20))
	}
	m.Kernel, _, _ = strings.Cut(firstLine("/proc/sys/kernel/osrelease"), "-")
	m.Load, _, _ = strings.Cut(firstLine("/proc/loadavg"), " ")
	return m
}

// labelled returns what follows a label and a colon in a file of lines.
func labelled(path, label string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, found := strings.Cut(s.Text(), ":"); found && strings.TrimSpace(name) == label {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// Versions returns the versions of modules that this one requires.
func Versions(ctx context.Context, modules []string) (map[string]string, error) {
	versions := map[string]string{}
	if len(modules) == 0 {
		return versions, nil // go list would answer with this module
	}
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}, modules...)...)
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("record: go list -m %s: %w", strings.Join(modules, " "), err)
	}
	for line := range strings.Lines(string(output)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[path] = version
	}
	return versions, nil
}

// String is the machine on one line.
func (m Machine) String() string {
	parts := []string{m.CPU, fmt.Sprintf("%d cores", m.Cores), m.Memory, m.System, "kernel " + m.Kernel, "load " + m.Load}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" || strings.HasSuffix(s, " ") }), ", ")
}

// VersionList returns the versions on one line, in alphabetical order.
func (f File) VersionList() string {
	list := []string{f.Go}
	for _, path := range slices.Sorted(maps.Keys(f.Versions)) {
		list = append(list, path+" "+f.Versions[path])
	}
	return strings.Join(list, ", ")
}
