package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Limits of one mutant: seeds of TestChaos, and what is too long for them.
const (
	seeds   = "2000"
	timeout = 5 * time.Minute
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(names []string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	all, err := readAll(filepath.Join(root, "internal", "mutants", "testdata"), names)
	if err != nil {
		return err
	}
	var faults []error
	for _, m := range all {
		begun := time.Now()
		found, err := m.try(root)
		if err != nil {
			faults = append(faults, err)
			found = "NOT FOUND"
		}
		fmt.Printf("%-28s %5.1f s  %s\n", m.name, time.Since(begun).Seconds(), found)
	}
	return errors.Join(faults...)
}

// try builds the tests with the bug, and runs the one that has to find it. It
// returns what that test said first.
func (m *mutant) try(root string) (found string, err error) {
	files, err := m.apply(root)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for file, text := range files {
		to := filepath.Join(folder, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(root, file)] = to
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, "overlay.json"), list, 0o600); err != nil {
		return "", err
	}

	program := filepath.Join(folder, "stream.test")
	build := exec.Command("go", "test", "-c", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, "./stream")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("mutants: %s does not build: %w\n%s", m.name, err, out)
	}
	test := exec.Command(program, "-test.run=^"+m.test+"$", "-test.timeout="+timeout.String())
	test.Dir = filepath.Join(root, "stream")
	test.Env = append(os.Environ(), "RAWWATCH_CHAOS_RUNS="+seeds)
	out, err := test.CombinedOutput()
	// Not by the exit code alone: a test that hangs has not found anything.
	if err == nil || !bytes.Contains(out, []byte("--- FAIL: "+m.test)) {
		return "", fmt.Errorf("mutants: %s: %s does not find it (%v): %s\n%s", m.name, m.test, err, strings.TrimSpace(m.why), tail(out))
	}
	return m.test + ": " + firstComplaint(out), nil
}

// firstComplaint is the first line of a test that says where and what.
func firstComplaint(out []byte) string {
	line := regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+: (.*)$`).FindSubmatch(out)
	if line == nil {
		return "red"
	}
	return fmt.Sprintf("%.90s", line[1])
}

func tail(out []byte) []byte { return out[max(0, len(out)-2000):] }
