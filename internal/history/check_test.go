package history_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/internal/history"
)

func key(name string) history.Key { return history.Key{Namespace: "t", Name: name} }

// parse reads events as history.Event prints them; a uid other than that of
// the name follows a slash: "ADDED a/U2 7".
func parse(t *testing.T, lines ...string) (events []history.Event) {
	t.Helper()
	for _, line := range lines {
		words := strings.Fields(line)
		e := history.Event{Type: words[0], Version: words[len(words)-1]}
		if e.Version == "inferred" {
			e.Inferred, e.Version = true, words[len(words)-2]
		}
		if e.Type != "SYNCED" && e.Type != "GAP" {
			e.Namespace = "t"
			e.Name, e.UID, _ = strings.Cut(words[1], "/")
			if e.UID == "" {
				e.UID = strings.ToUpper(e.Name)
			}
		}
		events = append(events, e)
	}
	return events
}

// done is the life of three objects: a is edited, b is deleted and made again,
// c leaves a selector and comes back.
func done() *history.Ledger {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Did(key("b"), "B", "2")
	l.Did(key("c"), "C", "3")
	l.Did(key("a"), "A", "4")
	l.Did(key("a"), "A", "5")
	l.Gone(key("b"), "B", "")
	l.Did(key("b"), "B2", "7")
	l.Gone(key("c"), "C", "8")
	l.Did(key("c"), "C", "9")
	return l
}

func TestCheckAcceptsWhatAWatchMayDo(t *testing.T) {
	for name, events := range map[string][]string{
		"everything live": {"SYNCED 0", "ADDED a 1", "ADDED b 2", "ADDED c 3", "MODIFIED a 4", "MODIFIED a 5",
			"DELETED b 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
		"a list in mid-history": {"ADDED a 4", "ADDED c 3", "ADDED b 2", "SYNCED 4", "MODIFIED a 5",
			"DELETED b 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
		"a list at the end": {"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9"},
		"a list read again": {"ADDED a 4", "MODIFIED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9"},
		"a gap that collapses everything": {"SYNCED 0", "ADDED a 1", "ADDED b 2", "GAP 2", "MODIFIED a 5",
			"DELETED b 2 inferred", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9"},
		"a gap that ends in mid-history": {"SYNCED 0", "ADDED a 1", "ADDED b 2", "GAP 2", "MODIFIED a 5", "ADDED c 3",
			"DELETED b 2 inferred", "SYNCED 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t, done().Check(nil, parse(t, events...)))
			assert.Empty(t, done().Unsettled(nil, parse(t, events...)))
		})
	}
}

func TestCheckFindsWhatAWatchMustNotDo(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   string
	}{
		"a change is lost": {
			[]string{"SYNCED 0", "ADDED a 1", "ADDED b 2", "ADDED c 3", "MODIFIED a 5",
				"DELETED b 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"MODIFIED a 5: lost before it: [4]",
		},
		"the last change is lost": {
			[]string{"SYNCED 0", "ADDED a 1", "ADDED b 2", "ADDED c 3", "MODIFIED a 4",
				"DELETED b 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"t/a is at 5, but known at 4",
		},
		"a delete is lost": {
			[]string{"ADDED a 5", "ADDED b 2", "ADDED c 9", "SYNCED 6"},
			"t/b is at 7, but known at 2",
		},
		"a delete is lost, and the object is made again": {
			[]string{"ADDED a 5", "ADDED b 2", "ADDED c 3", "SYNCED 5", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"ADDED b 7: known already, at 2",
		},
		"a new object is passed off as a change": {
			[]string{"ADDED a 5", "ADDED b 2", "ADDED c 3", "SYNCED 5", "MODIFIED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"MODIFIED b 7: lost before it: [gone]",
		},
		"an object is never seen": {
			[]string{"ADDED a 5", "ADDED c 9", "SYNCED 9"},
			"t/b is at 7, but not known",
		},
		"an event comes twice": {
			[]string{"SYNCED 0", "ADDED a 1", "ADDED b 2", "ADDED c 3", "MODIFIED a 4", "MODIFIED a 4", "MODIFIED a 5",
				"DELETED b 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"event 5, MODIFIED a 4: has been delivered before",
		},
		"a relist sends what is known": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9", "GAP 9", "ADDED a 5", "SYNCED 9"},
			"ADDED a 5: known already",
		},
		"an older state comes back": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9", "GAP 9", "MODIFIED a 4", "MODIFIED a 5", "SYNCED 9"},
			"MODIFIED a 4: has been delivered before, or something newer has",
		},
		"objects come out of order": {
			[]string{"ADDED a 5", "SYNCED 5", "ADDED c 9", "ADDED b/B2 7"},
			"ADDED b 7: comes after version 9",
		},
		"a state that never was": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9", "MODIFIED a 10"},
			"MODIFIED a 10: never happened",
		},
		"an object that never was": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "ADDED d 2", "SYNCED 9"},
			"t/d never was, but is known at 2",
		},
		"a delete of what is not known": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9", "DELETED d 10"},
			"DELETED d 10: not known",
		},
		"a delete comes twice": {
			[]string{"ADDED a 5", "ADDED b 2", "ADDED c 3", "SYNCED 5", "DELETED b 6", "DELETED b 6", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"event 5, DELETED b 6: not known",
		},
		"a delete that nobody sent": {
			[]string{"ADDED a 5", "ADDED b 2", "ADDED c 3", "SYNCED 5", "DELETED b 2 inferred", "ADDED b/B2 7", "DELETED c 8", "ADDED c 9"},
			"DELETED b 2 inferred: inferred without a list",
		},
		"a wrong uid": {
			[]string{"ADDED a/A2 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9"},
			"ADDED a 5: never happened",
		},
		"a delete of another object of that name": {
			[]string{"ADDED a 5", "ADDED b 2", "ADDED c 3", "SYNCED 5", "DELETED b/B2 6"},
			"DELETED b 6: known with another uid",
		},
		"an inferred delete of a version that was not known": {
			[]string{"ADDED a 1", "ADDED b 2", "SYNCED 2", "GAP 2", "DELETED b 1 inferred", "SYNCED 6"},
			"DELETED b 1 inferred: known at 2",
		},
		"a second end of the list": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9", "SYNCED 9"},
			"event 4, SYNCED 9: there was nothing to catch up with",
		},
		"something else": {
			[]string{"ADDED a 5", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9", "ERROR x 9"},
			"ERROR x 9: not an event of an object",
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, done().Check(nil, parse(t, c.events...)), c.want)
		})
	}
}

func TestConsumerThatStartsInMidHistoryKnowsWhatWasThere(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Did(key("b"), "B", "2")
	l.Gone(key("b"), "B", "3")
	from := l.Now()
	l.Did(key("a"), "A", "4")
	l.Did(key("b"), "B2", "5")

	assert.NoError(t, l.Check(from, parse(t, "MODIFIED a 4", "ADDED b/B2 5")))
	assert.ErrorContains(t, l.Check(from, parse(t, "MODIFIED a 1", "MODIFIED a 4", "ADDED b/B2 5")), "has been delivered before")
	assert.ErrorContains(t, l.Check(from, parse(t, "ADDED b/B2 5")), "t/a is at 4, but known at 1")
}

func TestStateOfUnknownVersionHasToBeSeenToo(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Did(key("a"), "A", "")
	l.Gone(key("a"), "A", "3")
	assert.NoError(t, l.Check(nil, parse(t, "ADDED a 1", "SYNCED 1", "MODIFIED a 2", "DELETED a 3")))
	assert.ErrorContains(t, l.Check(nil, parse(t, "ADDED a 1", "SYNCED 1", "DELETED a 3")), "lost before it: [unknown version]")
}

func TestRestoredObjectsGoBackInTime(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("same"), "SAME", "1")
	l.Did(key("edited"), "EDITED", "2")
	l.Did(key("deleted"), "DELETED", "3")
	backup := l.Now()
	l.Did(key("edited"), "EDITED", "5")
	l.Gone(key("deleted"), "DELETED", "6")
	l.Did(key("made"), "MADE", "7")
	before := []string{"ADDED same 1", "ADDED edited 2", "ADDED deleted 3", "SYNCED 3",
		"MODIFIED edited 5", "DELETED deleted 6", "ADDED made 7"}
	l.Restore(backup)
	assert.Equal(t, 3, l.Len())
	assert.NotEmpty(t, l.Unsettled(nil, parse(t, before...)))

	after := append(before, "GAP 7", "MODIFIED same 1", "MODIFIED edited 2", "ADDED deleted 3",
		"DELETED made 7 inferred", "SYNCED 3")
	assert.NoError(t, l.Check(nil, parse(t, after...)))

	// A list that is read twice may deliver everything twice; or may not.
	l.Restore(backup)
	twice := append(slices.Clip(after[:len(after)-1]), "MODIFIED same 1", "MODIFIED edited 2", "SYNCED 3")
	assert.NoError(t, l.Check(nil, parse(t, twice...)))
	assert.NoError(t, l.Check(nil, parse(t, after...)))

	// The version of the edit that was lost is given to another one.
	l.Did(key("edited"), "EDITED", "5")
	after = append(after, "MODIFIED edited 5")
	assert.NoError(t, l.Check(nil, parse(t, after...)))
}

func TestListBeforeARestorePassesOverNothingOfIt(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "5")
	backup := l.Now()
	l.Gone(key("a"), "A", "")
	l.Restore(backup)
	assert.NoError(t, l.Check(nil, parse(t, "ADDED a 5", "SYNCED 6", "DELETED a 7", "GAP 7", "SYNCED 8", "GAP 8", "ADDED a 5", "SYNCED 6")))
}

func TestRestoreReplacesAnObjectThatWasMadeAgain(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	backup := l.Now()
	l.Gone(key("a"), "A", "2")
	l.Did(key("a"), "A2", "3")
	l.Restore(backup)
	assert.NoError(t, l.Check(nil, parse(t, "ADDED a/A2 3", "SYNCED 3", "GAP 3", "DELETED a/A2 3 inferred", "ADDED a 1", "SYNCED 1")))
	assert.NoError(t, l.Check(nil, parse(t, "SYNCED 0", "ADDED a 1", "GAP 1", "MODIFIED a 1", "SYNCED 1")))
	assert.ErrorContains(t, l.Check(nil, parse(t, "ADDED a/A2 3", "SYNCED 3", "GAP 3", "MODIFIED a 1", "SYNCED 1")), "known with another uid")
}

// The versions of what was lost are used again, and a list that was read
// before the restore had passed them.
func TestVersionsOfAnEraThatIsOverPassOverNothingInTheNext(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	backup := l.Now()
	l.Did(key("b"), "B", "5")
	l.Gone(key("b"), "B", "")
	l.Did(key("c"), "C", "8")
	before := []string{"ADDED a 1", "ADDED c 8", "SYNCED 9", "GAP 9"}
	l.Restore(backup)
	l.Did(key("b"), "B2", "6")
	l.Did(key("c"), "C2", "7")
	relist := append(before, "MODIFIED a 1", "DELETED c 8 inferred")

	assert.NoError(t, l.Check(nil, parse(t, append(slices.Clip(relist), "SYNCED 2", "ADDED b/B2 6", "ADDED c/C2 7")...)))
	assert.NoError(t, l.Check(nil, parse(t, append(slices.Clip(relist), "ADDED b/B2 6", "SYNCED 6", "ADDED c/C2 7")...)))
	assert.ErrorContains(t, l.Check(nil, parse(t, append(slices.Clip(relist), "SYNCED 2", "ADDED c/C2 7")...)), "t/b is at 6, but not known")

	l.Restore(backup)
	l.Did(key("b"), "B3", "4")
	again := append(slices.Clip(relist), "SYNCED 2", "ADDED b/B2 6", "ADDED c/C2 7", "GAP 7", "MODIFIED a 1", "DELETED b/B2 6 inferred", "DELETED c/C2 7 inferred")
	assert.NoError(t, l.Check(nil, parse(t, append(again, "SYNCED 2", "ADDED b/B3 4")...)))
}

func TestUnknownObjectMayGoUnseen(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Gone(key("a"), "A", "") // at 2
	l.Did(key("a"), "A2", "4")
	assert.NoError(t, l.Check(nil, parse(t, "SYNCED 3", "ADDED a/A2 4")))
	assert.ErrorContains(t, l.Check(nil, parse(t, "SYNCED 0", "ADDED a/A2 4")), "lost before it: [1 gone]")
}

func TestUnsettledUntilTheListIsComplete(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	assert.Contains(t, l.Unsettled(nil, nil), "t/a is at 1, but not known")
	assert.Contains(t, l.Unsettled(nil, parse(t, "ADDED a 1")), "no SYNCED yet")
	assert.Empty(t, l.Unsettled(nil, parse(t, "ADDED a 1", "SYNCED 1")))
}

func TestFaultsComeWithTheStoryOfTheirObjectAlone(t *testing.T) {
	err := done().Check(nil, parse(t, "ADDED a 4", "ADDED b/B2 7", "ADDED c 9", "SYNCED 9"))
	require.Error(t, err)
	assert.Contains(t, err.Error(), "t/a\n  done: [1 4 5]\n  seen: 0 ADDED a 4; 3 SYNCED 9;")
	assert.NotContains(t, err.Error(), "t/b")
}

func TestLedgerKnowsWhatExists(t *testing.T) {
	l := done()
	assert.Equal(t, 3, l.Len())
	assert.Equal(t, "B2", l.UID(key("b")))
	l.Gone(key("b"), "B2", "")
	assert.Equal(t, 2, l.Len())
	assert.Empty(t, l.UID(key("b")))
	assert.Empty(t, l.UID(key("never")))
}

func TestWhatARestoreHasUndoneMayGoUnseen(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Did(key("c"), "C", "2")
	backup := l.Now()
	l.Did(key("a"), "A", "3")
	l.Did(key("b"), "B", "4")
	l.Gone(key("c"), "C", "5")
	l.Did(key("c"), "C2", "6")
	l.Restore(backup)
	l.Did(key("a"), "A", "4")
	l.Did(key("b"), "B2", "5")
	l.Did(key("c"), "C", "6")

	assert.NoError(t, l.Check(nil, parse(t, "ADDED a 1", "ADDED c 2", "SYNCED 2", "MODIFIED a 4", "ADDED b/B2 5", "MODIFIED c 6")))
	assert.NoError(t, l.Check(nil, parse(t, "ADDED a 3", "ADDED b 4", "ADDED c/C2 6", "SYNCED 6", "GAP 6",
		"MODIFIED a 1", "DELETED b 4 inferred", "DELETED c/C2 6 inferred", "ADDED c 2", "SYNCED 2", "MODIFIED a 4", "ADDED b/B2 5", "MODIFIED c 6")))
	assert.ErrorContains(t, l.Check(nil, parse(t, "ADDED a 1", "ADDED c 2", "SYNCED 2", "ADDED b/B2 5", "MODIFIED c 6")), "t/a is at 4, but known at 1")
	assert.ErrorContains(t, l.Check(nil, parse(t, "ADDED a 3", "ADDED b 4", "ADDED c/C2 6", "SYNCED 6", "MODIFIED a 4")), "t/b is at 5, but known at 4")
}

func TestListOfAnEraThatShowsNothingNew(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Gone(key("a"), "A", "2")
	backup := l.Now()
	l.Restore(backup)
	l.Did(key("a"), "A2", "3")
	l.Gone(key("a"), "A2", "4")
	l.Did(key("a"), "A3", "6")
	events := parse(t, "ADDED a 1", "SYNCED 1", "DELETED a 2", "GAP 2", "SYNCED 5", "ADDED a/A3 6")
	assert.ErrorContains(t, l.Check(nil, events), "lost before it: [3 gone at 4]")
	restored := history.Event{Type: "RESTORED"}
	assert.NoError(t, l.Check(nil, slices.Insert(events, 3, restored)))
}

func TestPartialGapForgetsWhatWasNeverTold(t *testing.T) {
	l := new(history.Ledger)
	l.Did(key("a"), "A", "1")
	l.Did(key("b"), "B", "2")
	l.Did(key("c"), "C", "3")
	from := l.Now()
	l.Did(key("a"), "A", "4")
	l.Gone(key("b"), "B", "5")
	events := parse(t, "MODIFIED a 4", "GAP 4", "ADDED c 3", "SYNCED 5")
	assert.ErrorContains(t, l.Check(from, events), "t/b is gone, but known at 2")
	events[1].Partial = true
	assert.NoError(t, l.Check(from, events))
	assert.ErrorContains(t, l.Check(from, slices.Insert(slices.Clone(events), 2, parse(t, "ADDED a 4")...)), "ADDED a 4: known already")
	assert.ErrorContains(t, l.Check(from, slices.Delete(slices.Clone(events), 2, 3)), "t/c is at 3, but not known")
}
