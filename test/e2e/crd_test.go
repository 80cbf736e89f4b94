package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
)

// The server ends the watches of a definition that is edited, answers 429
// while it starts their storage anew, and forgets their history.
func TestDefinitionIsEditedInMidWatch(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	definition := s.CustomResource(t)
	w := newWriter(t, s, widgets(definition, s.Namespace(t)))
	w.create("quiet")
	table := consume(t, "table", newWatcher(t, s, w.in, view(stream.Table)), nil, nil)
	observers := []observer{
		consume(t, "object", newWatcher(t, s, w.in), nil, nil),
		consume(t, "metadata only", newWatcher(t, s, w.in, view(stream.MetadataOnly)), nil, nil),
		consume(t, "by stream", newWatcher(t, s, w.in, start(stream.StartStream)), nil, nil),
		table,
		run(t, s, s.Admin, nil, "wd."+definition.Group, "-n", w.in.Namespace, "-o", "json", "--markers"),
	}
	awaitSynced(t, observers...)
	edit := func(to cluster.Manifest) {
		t.Helper()
		spec := cluster.Manifest{"versions": to["spec"].(cluster.Manifest)["versions"]}
		w.client.Patch(t, cluster.CRDs, definition.Name(), cluster.Manifest{"spec": spec})
	}
	// The watches go on for about a second after an edit, and end only then.
	untilTheyEnd := func(do func()) {
		t.Helper()
		ends := len(table.endings())
		await(t, table, "the end of its watch", func([]history.Event) bool {
			do()
			return len(table.endings()) > ends
		})
	}

	// Edited while it is busy: the new storage has not begun its history
	// before the old one has told the rest of its own.
	w.churn(8)
	edit(definition.Edit())
	untilTheyEnd(func() { w.churn(2) })
	settle(t, w.ledger, observers...)

	// Edited while it is quiet: the edit itself is later than the last change,
	// so the history of the new storage begins too late.
	edit(definition.Definition())
	untilTheyEnd(func() {})
	w.churn(8)
	verify(t, w.ledger, observers...)
	for _, o := range observers {
		assert.Contains(t, words(o.seen()), "GAP", "%s", o.label())
	}
}

func TestDefinitionIsDeletedInMidWatch(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	definition := s.CustomResource(t)
	w := newWriter(t, s, widgets(definition, s.Namespace(t)))
	w.create("a", "b", "c")
	soon := func(w *stream.Watcher) { w.Policy.DeniedFor = watchesFor }
	loops := []*consumer{
		consume(t, "object", newWatcher(t, s, w.in, soon), nil, nil),
		consume(t, "table", newWatcher(t, s, w.in, soon, view(stream.Table)), nil, nil),
		consume(t, "by stream", newWatcher(t, s, w.in, soon, start(stream.StartStream)), nil, nil),
	}
	command := run(t, s, s.Admin, nil, "widgets."+definition.Group, "-n", w.in.Namespace, "-o", "json", "--markers", "--max-reconnects", "1")
	patient := consume(t, "patient", newWatcher(t, s, w.in), nil, nil)
	for _, c := range loops {
		awaitSynced(t, c)
	}
	awaitSynced(t, command, patient)

	w.client.Delete(t, cluster.CRDs, definition.Name())
	for _, name := range []string{"a", "b", "c"} {
		w.ledger.Gone(w.key(name), w.ledger.UID(w.key(name)), "")
	}
	for _, c := range loops {
		err := awaitEnd(t, c)
		assert.ErrorIs(t, err, status.ErrResourceGone, "%s", c.name)
		assert.ErrorIs(t, err, status.ErrNotFound)
		assert.NoError(t, w.ledger.Check(nil, c.seen()))
	}
	assert.Equal(t, 6, command.exit(), "%s", command.story())
	assert.NoError(t, w.ledger.Check(nil, command.seen()))

	// The one that is patient lives to see the same type come back.
	await(t, patient, "404", func([]history.Event) bool { return patient.has(status.RowDeniedAfterWork) })
	w.client.Create(t, cluster.CRDs, definition.Definition())
	w.client.Served(t, w.in)
	w.churn(8)
	verify(t, w.ledger, patient)
}
