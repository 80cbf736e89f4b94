package e2e

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/cluster"
)

// BenchmarkFirstEvent takes the time from the start of a process to the first
// event on its standard output, for the same 50 pods, by turns: the command,
// kubectl, and curl, which is through when it has printed the whole list. Run
// it with -benchtime 30x: each metric is the median of so many rounds, and the
// log has the spread. first.md has the last result.
func BenchmarkFirstEvent(b *testing.B) {
	s := cluster.Shared(b)
	w := newWriter(b, s, pods(s.Namespace(b)))
	for i := range 50 {
		w.create("web-" + strconv.Itoa(i))
	}
	folder, config := b.TempDir(), s.Kubeconfig(b, s.Admin, "")
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		require.NoError(b, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	ca, header := write("ca.pem", string(s.CA)), write("header", "Authorization: Bearer "+s.Admin.Token)
	list := s.URL.String() + w.in.Path() + "?limit=500"
	rawwatch := func(args ...string) func() *exec.Cmd {
		return func() *exec.Cmd { return exec.Command(built.path(b), append(args, "--kubeconfig", config)...) }
	}
	// kubectl remembers the types of a server for ten minutes, in a file.
	cold := func() *exec.Cmd {
		return cluster.KubectlCommand(b.Context(), b, config, "get", "pods", "-n", w.in.Namespace, "-w")
	}
	remembering := cold()
	warm := func() *exec.Cmd {
		again := exec.Command(remembering.Path, remembering.Args[1:]...)
		again.Env = remembering.Env
		return again
	}
	commands := []*timed{
		{name: "curl", start: func() *exec.Cmd {
			return exec.Command("curl", "--silent", "--fail", "--cacert", ca, "--header", "@"+header, list)
		}},
		{name: "rawwatch-path-json", lines: 1, start: rawwatch(w.in.Path(), "-o", "json")},
		{name: "rawwatch-json", lines: 1, start: rawwatch("pods", "-n", w.in.Namespace, "-o", "json")},
		{name: "rawwatch-text", lines: 2, start: rawwatch("pods", "-n", w.in.Namespace)}, // the second line, after the headings
		{name: "kubectl-cold", lines: 2, start: cold},
		{name: "kubectl-warm", lines: 2, start: warm},
	}
	for _, c := range commands {
		c.run(b) // the first time, a program is read from disk
	}
	b.ResetTimer()
	for i := range b.N {
		for j := range commands {
			c := commands[(i+j)%len(commands)]
			c.took = append(c.took, c.run(b))
		}
	}
	b.StopTimer()
	var table strings.Builder
	fmt.Fprintf(&table, "%d rounds\n| ms | median | first quarter | third quarter | longest |\n|---|---|---|---|---|\n", b.N)
	for _, c := range commands {
		slices.Sort(c.took)
		at := func(part float64) time.Duration { return c.took[int(part*float64(len(c.took)-1))] }
		b.ReportMetric(float64(at(0.5).Microseconds())/1000, c.name+"-ms")
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", c.name, ms(at(0.5)), ms(at(0.25)), ms(at(0.75)), ms(at(1)))
	}
	if b.N > 1 { // there is always a first run of one round, and go test prints but so much
		b.Log(table.String())
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }

// timed is a command and how long it took, time after time.
type timed struct {
	name  string
	lines int // up to the first event; 0: all it prints
	start func() *exec.Cmd
	took  []time.Duration
}

func (c *timed) run(b *testing.B) time.Duration {
	b.Helper()
	cmd := c.start()
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	limit := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer limit.Stop()
	began := time.Now()
	require.NoError(b, cmd.Start())
	lines, n := bufio.NewScanner(out), 0
	lines.Buffer(nil, 16<<20)
	for (c.lines == 0 || n < c.lines) && lines.Scan() {
		n++
	}
	took := time.Since(began)
	require.Positive(b, n, "%s printed nothing", c.name)
	if c.lines == 0 {
		require.NoError(b, cmd.Wait(), "%s", c.name)
		return took
	}
	require.Equal(b, c.lines, n, "%s ended", c.name)
	cmd.Process.Kill()
	cmd.Wait()
	return took
}
