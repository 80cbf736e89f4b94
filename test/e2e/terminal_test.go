package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/test/cluster"
	"example.com/rawwatch/test/proxy"
)

// What the command prints and how it ends, where that takes a real server: its
// discovery, its columns, its words. All else is tested beside the command.
func TestCommandAtATerminal(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	w := newWriter(t, s, pods(s.Namespace(t)))
	w.create("web-1", "web-2")
	definition := s.CustomResource(t)
	widgets := newWriter(t, s, widgets(definition, w.in.Namespace))
	widgets.create("one")

	for name, c := range map[string]struct {
		args []string
		out  string // as a regular expression
		exit int
	}{
		"columns": {
			args: []string{"pods", "--once"},
			out:  `^EVENT +NAME.*\nADDED +web-1.*\nADDED +web-2.*$`,
		},
		"short name": {
			args: []string{"po", "--once", "-o", "name"},
			out:  `^ADDED pod/web-1\nADDED pod/web-2$`,
		},
		"kind, and one object": {
			args: []string{"Pod", "web-2", "--once", "-o", "name"},
			out:  `^ADDED pod/web-2$`,
		},
		"selector": {
			args: []string{"pod", "-l", "n=1", "--once", "-o", "name"},
			out:  `^ADDED pod/web-1$`,
		},
		"all namespaces": {
			args: []string{"widgets." + definition.Group, "-A", "--once", "-o", "name"},
			out:  `^ADDED widget\.` + definition.Group + `/one$`,
		},
		"version and group": {
			args: []string{"deployments.v1.apps", "--once", "-o", "json", "--markers"},
			out:  `^\{"type":"SYNCED","resourceVersion":"\d+"\}$`,
		},
		"so many events": {
			args: []string{"pods", "--count", "1", "-o", "json"},
			out:  `^\{"type":"ADDED","object":\{"kind":"Pod","apiVersion":"v1",.*"name":"web-1".*\}\}$`,
		},
		"so long": {
			args: []string{"pods", "--timeout", "1s", "-o", "name"},
			out:  `^ADDED pod/web-1\nADDED pod/web-2$`,
		},
		"metadata alone": {
			args: []string{"pods", "--metadata-only", "--count", "1", "-o", "json"},
			out:  `^\{"type":"ADDED","object":\{"kind":"PartialObjectMetadata",.*\}\}$`,
		},
		"misspelt": {
			args: []string{"podz"},
			exit: 5,
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.args
			if name != "all namespaces" {
				args = append(args, "-n", w.in.Namespace)
			}
			command := run(t, s, s.Admin, nil, args...)
			assert.Equal(t, c.exit, command.exit(), "%s", command.story())
			assert.Regexp(t, c.out, strings.Join(command.lines(), "\n"))
			if c.exit == 5 {
				assert.Contains(t, command.story(), "pods", "what is meant, most likely")
			}
		})
	}
	for signal, exit := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(signal.String(), func(t *testing.T) {
			command := run(t, s, s.Admin, nil, "pods", "-n", w.in.Namespace, "-o", "json", "--markers")
			await(t, command, "SYNCED", has("SYNCED", ""))
			assert.NoError(t, command.cmd.Process.Signal(signal))
			assert.Equal(t, exit, command.exit())
		})
	}
	t.Run("next time from where it ended", func(t *testing.T) {
		first := run(t, s, s.Admin, nil, "pods", "-n", w.in.Namespace, "--timeout", "1s", "-o", "json", "--markers")
		assert.Zero(t, first.exit())
		at := regexp.MustCompile(`--resource-version (\d+) `).FindStringSubmatch(first.story())
		if !assert.Len(t, at, 2, "%s", first.story()) {
			return
		}
		from := w.ledger.Now()
		w.edit("web-1")
		w.delete("web-2")
		second := run(t, s, s.Admin, nil, "pods", "-n", w.in.Namespace, "--resource-version", at[1], "-o", "json")
		second.from = from
		verify(t, w.ledger, second)
	})
}

// A recording of a real server, made while the network fails, holds what the
// watch showed.
func TestRecordingIsReplayed(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	p := proxy.Start(t, s.Address())
	w := newWriter(t, s, configMaps(s.Namespace(t)))
	w.create("one", "two")
	file := filepath.Join(t.TempDir(), "recording.rwr.gz")
	recorded := run(t, s.Via(p.Address()), s.Admin, nil, "record", "cm", "-n", w.in.Namespace, "--to", file,
		"-o", "json", "--markers", "--chunk-size", "1", "--backoff-min", "50ms")
	awaitSynced(t, recorded)
	for range 3 {
		p.CutAfter(300) // in the middle of a frame
		w.churn(4)
		settle(t, w.ledger, recorded)
	}
	verify(t, w.ledger, recorded)

	replayed := execute(t, nil, "replay", file, "-o", "json", "--markers")
	assert.Zero(t, replayed.exit(), "%s", replayed.story())
	assert.Equal(t, recorded.lines(), replayed.lines())
}
