package demo

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/stream"
)

// Disagreement is the error of a demo whose client missed something.
type Disagreement struct{ problems []string }

func (d *Disagreement) Error() string {
	return "the client did not see what the server did: " + strings.Join(d.problems, "; ")
}

// verdict is the comparison of both sides.
type verdict struct {
	did       [3]int // by op
	saw       [3]int
	collapsed [3]int // changes in a gap that have no event at all
	inferred  int    // deletes that no server told of
	server    int    // objects there are
	client    int    // objects the client believes to be
	gaps      int
	problems  []string
}

// prove compares what was done with what was seen: outside of gaps, each
// change must have its event, with its type and version; nothing may come
// twice, and nothing that never was; and in the end both sides know the same
// objects at the same versions.
func (l *ledger) prove(state map[string]int) *verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := &verdict{server: len(state), client: len(l.state), gaps: len(l.gaps)}
	wrong := func(format string, args ...any) { v.problems = append(v.problems, fmt.Sprintf(format, args...)) }

	type identity struct {
		name    string
		version int
	}
	known := map[identity]bool{}
	times := map[sighting]int{}
	for _, s := range l.seen {
		times[s]++
		if times[s] == 2 {
			wrong("%s of %s at %d came twice", s.eventType, s.name, s.version)
		}
	}
	for _, c := range l.done {
		v.did[c.op]++
		known[identity{c.name, c.version}] = true
		switch {
		case times[sighting{c.op.eventType(), c.name, c.version, false}] > 0:
		case l.lost(c.version):
			v.collapsed[c.op]++
		default:
			wrong("%s of %s at %d never came", c.op.eventType(), c.name, c.version)
		}
	}
	for _, s := range l.seen {
		for o := created; o <= deleted; o++ {
			if s.eventType == o.eventType() {
				v.saw[o]++
			}
		}
		if s.inferred {
			v.inferred++
			v.collapsed[deleted]-- // one of those in a gap, and seen after all
		}
		if !known[identity{s.name, s.version}] {
			wrong("%s of %s at %d came, and never was", s.eventType, s.name, s.version)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if l.state[name] != state[name] {
			wrong("%s is at version %d, and the client has it at %d", name, state[name], l.state[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.state)) {
		if _, exists := state[name]; !exists {
			wrong("%s is gone, and the client does not know it", name)
		}
	}
	return v
}

// lost reports whether a version lies in a gap.
func (l *ledger) lost(version int) bool {
	return slices.ContainsFunc(l.gaps, func(g gap) bool { return version > g.after && version <= g.until })
}

// proof prints the verdict.
func (n *narrator) proof(v *verdict, breaks int, counters stream.Counters) error {
	n.rule("the proof")
	n.line("   %-10s%12s%12s", "", "server did", "client saw")
	note := [3]string{}
	for o := range note {
		if c := v.collapsed[o]; c > 0 {
			note[o] = fmt.Sprintf("   %d only by outcome", c)
		}
	}
	if v.inferred > 0 {
		note[deleted] = fmt.Sprintf("   %d found by a relist", v.inferred) + strings.Replace(note[deleted], "   ", ", ", 1)
	}
	for o, name := range []string{"created", "changed", "deleted"} {
		n.line("   %-10s%12d%12d%s", name, v.did[o], v.saw[o], note[o])
	}
	equal := "   the same, at the same versions"
	if len(v.problems) > 0 {
		equal = ""
	}
	n.line("   %-10s%12d%12d%s", "exist now", v.server, v.client, equal)
	n.line("")
	n.line("   %s of the connection, %s, %s of history, each of them told.",
		human.Count(breaks, "break"), human.Count(counters.Requests, "request"), human.Count(v.gaps, "loss"))
	if len(v.problems) > 0 {
		return &Disagreement{v.problems}
	}
	n.line("   %s", n.colour.Paint(terminal.Green, "No event was lost, none came twice, no delete was missed."))
	return nil
}
