package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

// part is one collection of a watch over several.
type part struct {
	observer
	name   string
	events func() []history.Event
}

func (p part) label() string         { return p.name }
func (p part) seen() []history.Event { return p.events() }

func TestSeveralCollectionsInOneWatch(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	definition := s.CustomResource(t)
	writers := []*writer{
		newWriter(t, s, configMaps(s.Namespace(t))),
		newWriter(t, s, pods(s.Namespace(t))),
		newWriter(t, s, widgets(definition, s.Namespace(t))),
	}
	// The command watches each type in each namespace: nine collections, of
	// which six stay empty.
	args := []string{"cm,pods,widgets." + definition.Group, "-o", "json", "--markers"}
	var watchers []*stream.Watcher
	for _, w := range writers {
		w.create("a", "b")
		watchers = append(watchers, newWatcher(t, s, w.in))
		args = append(args, "-n", w.in.Namespace)
	}
	loop := consumeAll(t, "library", watchers...)
	command := run(t, s, s.Admin, nil, args...)

	parts := map[*writer][]observer{}
	for i, w := range writers {
		parts[w] = []observer{
			part{loop, "library, " + w.in.Resource, func() []history.Event { return loop.of(watchers[i]) }},
			part{command, "command, " + w.in.Resource, func() []history.Event { return command.of(w.in) }},
		}
		awaitSynced(t, parts[w]...)
	}
	for range 3 {
		for _, w := range writers {
			w.churn(5)
		}
	}
	for _, w := range writers {
		settle(t, w.ledger, parts[w]...)
	}
	for _, w := range writers {
		verify(t, w.ledger, parts[w]...)
	}
	assert.Equal(t, len(writers)*len(writers), strings.Count(strings.Join(command.lines(), "\n"), `"SYNCED"`))
}
