package history

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check compares the events of one consumer with the ledger. from is the
// moment the consumer starts at: it knows what existed then, and has to see
// everything since. nil is a consumer that knows nothing and begins with a
// list. The error has a line for every difference.
//
// Call it when nothing is being done and the consumer has settled (see [Ledger.Unsettled]).
func (l *Ledger) Check(from Position, events []Event) error {
	c := newComparison(l.snapshot(), from)
	c.seeAll(events)
	c.faults = append(c.faults, c.differences()...)
	return c.verdict(events)
}

// CheckUnfinished is the same for a consumer that ended before it had settled,
// as one that is killed does.
func (l *Ledger) CheckUnfinished(from Position, events []Event) error {
	c := newComparison(l.snapshot(), from)
	c.seeAll(events)
	return c.verdict(events)
}

// Unsettled tells how what a consumer knows differs from what exists, in one
// line; "" when it does not: the consumer has settled. It does not look at how the consumer got there.
func (l *Ledger) Unsettled(from Position, events []Event) string {
	c := newComparison(l.snapshot(), from)
	for _, e := range events {
		c.see(e)
	}
	var b strings.Builder
	if c.catchingUp {
		b.WriteString("no SYNCED yet; ")
	}
	for _, err := range c.differences() {
		b.WriteString(err.Error() + "; ")
	}
	return b.String()
}

// comparison replays the events of a consumer over the states of the objects.
type comparison struct {
	done chronicle
	at   map[Key]int   // states seen or passed over
	has  map[Key]state // known
	told map[Key]bool  // of an object there was an event
	era  int           // the latest that a state has been seen of

	restores int    // noted
	lists    []list // those that ended after one

	catchingUp bool
	version    string // the highest so far, outside of catching up
	faults     []error
	faulty     map[Key]bool
}

func newComparison(done chronicle, from Position) *comparison {
	c := &comparison{
		done: done, at: make(map[Key]int), has: make(map[Key]state), told: make(map[Key]bool),
		catchingUp: from == nil, faulty: make(map[Key]bool),
	}
	for key, n := range from {
		c.at[key] = n
		c.era = max(c.era, done.eraOf(key, n-1))
		if s := last(done.states[key][:n]); !s.gone {
			c.has[key] = s
		}
	}
	return c
}

func (c *comparison) seeAll(events []Event) {
	for i, e := range events {
		for _, err := range c.see(e) {
			c.faults = append(c.faults, fmt.Errorf("event %d, %s: %w", i, e, err))
		}
	}
}

func (c *comparison) verdict(events []Event) error {
	if len(c.faults) == 0 {
		return nil
	}
	return errors.Join(append(c.faults, errors.New(c.story(events)))...)
}

// see follows one event, and returns what is wrong with it.
func (c *comparison) see(e Event) (wrong []error) {
	complain := func(format string, args ...any) {
		c.faulty[e.key()] = true
		wrong = append(wrong, fmt.Errorf(format, args...))
	}
	switch e.Type {
	case "GAP":
		c.catchingUp, c.version = true, ""
		if e.Partial {
			c.forgetUntold()
		}
		return nil
	case "RESTORED":
		c.restores++
		return nil
	case "SYNCED":
		if !c.catchingUp {
			complain("there was nothing to catch up with")
		}
		c.catchingUp, c.version = false, e.Version
		c.passOver(e.Version)
		if c.restores > 0 {
			c.lists = append(c.lists, list{c.restores, e.Version})
		}
		return wrong
	case "ADDED", "MODIFIED", "DELETED":
	default:
		complain("not an event of an object")
		return wrong
	}

	key := e.key()
	known, isKnown := c.has[key]
	switch {
	case e.Type == "ADDED" && isKnown:
		complain("known already, at %s", known)
	case e.Type != "ADDED" && !isKnown:
		complain("not known")
	case e.Type != "ADDED" && known.uid != e.UID:
		complain("known with another uid")
	case e.Type == "DELETED" && e.Inferred && known.version != e.Version:
		complain("known at %s", known)
	}
	if e.Inferred && !c.catchingUp {
		complain("inferred without a list")
	}
	if !c.catchingUp {
		if !higher(e.Version, c.version) {
			complain("comes after version %s", c.version)
		}
		c.version = e.Version
	}

	states, at := c.done.states[key], c.at[key]
	next := at + slices.IndexFunc(states[at:], e.is)
	switch {
	case next >= at:
		var passed []state
		for i, s := range states[at:next] {
			// What is optional, no change, or collapsed in a list.
			if !s.optional && !(isKnown && s.same(known)) && !c.listed(key, at+i) {
				passed = append(passed, s)
			}
		}
		for !isKnown && len(passed) > 0 && passed[0].gone {
			passed = passed[1:] // nobody is told that what they do not know is gone
		}
		if len(passed) > 0 && !c.catchingUp {
			complain("lost before it: %v", passed)
		}
		c.at[key] = next + 1
		c.era = max(c.era, c.done.eraOf(key, next))
	case slices.ContainsFunc(states[:at], e.is):
		complain("has been delivered before, or something newer has")
	default:
		complain("never happened")
	}
	c.told[key] = true
	if e.Type == "DELETED" {
		delete(c.has, key)
	} else {
		c.has[key] = state{uid: e.UID, version: e.Version}
	}
	return wrong
}

// list is the end of one: of an era up to this, at this version.
type list struct {
	era     int
	version string
}

// listed reports whether a list may have passed over a state of an era that
// nothing has been seen of: one without changes to what is known.
func (c *comparison) listed(key Key, n int) bool {
	era, version := c.done.eraOf(key, n), c.done.states[key][n].version
	return slices.ContainsFunc(c.lists, func(l list) bool {
		return 0 < era && era <= l.era && !higher(version, l.version)
	})
}

// forgetUntold follows a loss of history that left the consumer with a part of
// what exists: what it knew from before it started, the watch does not know.
// The list that follows shows it once more, unless it is gone.
func (c *comparison) forgetUntold() {
	for key := range c.has {
		if !c.told[key] {
			delete(c.has, key)
			c.at[key]--
		}
	}
}

// passOver marks what was done up to a version as seen: of an object that is
// gone, a list shows nothing. The version is one of the era of what has been
// seen last: all that was done in earlier ones is over, and the same number in
// a later one means another moment.
func (c *comparison) passOver(version string) {
	for key, states := range c.done.states {
		begin, end := c.done.bounds(key, c.era)
		at := max(c.at[key], begin)
		for i := at; i < end; i++ {
			if v := states[i].version; v == "" {
				continue // passed over if something known after it is
			} else if higher(v, version) {
				break
			}
			at = i + 1
		}
		c.at[key] = at
	}
}

// differences are those between what is known in the end and what exists.
func (c *comparison) differences() (all []error) {
	differs := func(key Key, format string, args ...any) {
		c.faulty[key] = true
		all = append(all, fmt.Errorf("%s %s", key, fmt.Sprintf(format, args...)))
	}
	for key, states := range c.done.states {
		known, isKnown := c.has[key]
		end := last(states)
		switch {
		case end.gone && isKnown:
			differs(key, "is gone, but known at %s", known)
		case !end.gone && !isKnown:
			differs(key, "is at %s, but not known", end)
		case !end.gone && !known.same(end):
			differs(key, "is at %s, but known at %s", end, known)
		}
	}
	for key, known := range c.has {
		if len(c.done.states[key]) == 0 {
			differs(key, "never was, but is known at %s", known)
		}
	}
	return all
}

// story is all there is to know about the objects with faults.
func (c *comparison) story(events []Event) string {
	var b strings.Builder
	for key, states := range c.done.states {
		if !c.faulty[key] {
			continue
		}
		fmt.Fprintf(&b, "%s\n  done: %v\n  seen:", key, states)
		for i, e := range events {
			if e.key() == key || e.Type == "SYNCED" || e.Type == "GAP" {
				fmt.Fprintf(&b, " %d %s;", i, e)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// higher compares decimals of any length, as apimachinery does with
// resourceVersions since 1.35.
func higher(a, b string) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) > 0
}
