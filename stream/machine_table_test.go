package stream

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// broken says which promise a step of next breaks, "" if none:
//
//   - never stuck: a state follows, or the end;
//   - never a silent gap: who leaves the resume point for a list says so, and
//     only who had one can;
//   - never a request from a version that is known to be lost: after a Gap
//     comes a list, and after an expiry a Gap;
//   - never a delay that the verdict table does not allow.
func broken(before state, o outcome, m machine, st step) string {
	if st.stop != nil {
		return ""
	}
	if m.state == nil {
		return fmt.Sprintf("stuck after %#v", before)
	}
	had, has := resumes(before), resumes(m.state)
	_, isProbe := before.(probing)
	switch {
	case st.gap != nil && m.policy.OnExpired == StopExpired:
		return fmt.Sprintf("a Gap from %#v, which the policy wants to end it", before)
	case had && !has && st.gap == nil:
		return fmt.Sprintf("from %#v to %#v in silence", before, m.state)
	case !had && st.gap != nil:
		return fmt.Sprintf("a Gap from %#v, where nothing could be lost", before)
	case st.gap != nil && has:
		return fmt.Sprintf("a Gap, and then %#v", m.state)
	case had && !isProbe && st.verdict.Action == status.Relist && st.gap == nil:
		return fmt.Sprintf("%v from %#v, and no Gap", o.err, before)
	case has && !had && o.err != nil && before != (streaming{}):
		return fmt.Sprintf("from %#v to a watch although it failed: %v", before, o.err)
	case o.err != nil && st.verdict.Row != "" && !allowed(m, st.verdict):
		return fmt.Sprintf("failure %d in row %s is followed by a wait of %s", m.run.Count, st.verdict.Row, st.verdict.Delay)
	}
	return ""
}

// resumes: the state's requests depend on the resume point.
func resumes(s state) bool {
	switch s.(type) {
	case watching, probing:
		return true
	}
	return false
}

// allowed reports whether the verdict table has this delay for the row. Longer
// than it says is always allowed; none only before a relist, where the wait has
// been before.
func allowed(m machine, v status.Verdict) bool {
	rows := status.Table()
	row := rows[slices.IndexFunc(rows, func(r status.Row) bool { return r.ID == v.Row })]
	want := row.Delay
	if m.run.Count > 1 {
		want = row.Again
	}
	if v.Delay == status.DelayNone {
		return m.run.Count == 1 && v.Action == status.Relist
	}
	return v.Delay == want || v.Delay == status.DelayBackoff
}

// tableStates are those of the table, in the order of a watch's life.
var tableStates = []struct {
	name  string
	state state
}{
	{"listing, first page", listing{}},
	{"listing, later page", listing{token: "t", page: 3, version: "9"}},
	{"listing, every object again", listing{full: true}},
	{"streaming", streaming{}},
	{"locating", locating{}},
	{"watching", watching{}},
	{"probing, on a suspicion", probing{row: status.RowShortWatch}},
	{"probing, to settle it", probing{}},
}

// works are the outcomes of requests that do what they are for.
func works(s state) map[string]outcome {
	page := func(version, token string) outcome {
		return outcome{verb: List, answered: true, header: header(version, token)}
	}
	older, same := page("10", ""), page("10", "")
	older.had, same.had = "20", "10"
	back := page("5", "more")
	back.wentBack = true
	switch s.(type) {
	case listing:
		return map[string]outcome{
			"+ page, more follow": page("10", "more"), "+ last page, no version": page("", ""), "+ page of an older server": back,
		}
	case locating:
		return map[string]outcome{"+ a version": page("10", ""), "+ no version": page("", "")}
	case probing:
		return map[string]outcome{"+ an older version": older, "+ not older": same}
	case streaming:
		return map[string]outcome{"+ end marker of an older server": {verb: Watch, answered: true, events: 1, bookmarks: 1}}
	}
	lived := func(err error, events int) outcome {
		return outcome{verb: Watch, answered: true, err: err, age: 5 * time.Minute, timeout: 5 * time.Minute, events: events, moved: events > 0}
	}
	return map[string]outcome{
		"+ full length, events": lived(io.EOF, 3), "+ full length, nothing": lived(io.EOF, 0), "+ events, then cut": lived(io.ErrUnexpectedEOF, 3),
	}
}

// Every state against every outcome, once and again, as a table for a person to
// read: testdata/next.txt. -update writes it.
func TestNextAsATable(t *testing.T) {
	var b strings.Builder
	b.WriteString(`What next does after each outcome, on a server that has worked before. A row
without outcome is the same outcome again, where something else follows; a
+ begins an outcome that is no failure. Under "markers" is what the caller is
told before the next request, or that this was the last one.
`)
	for _, s := range tableStates {
		fmt.Fprintf(&b, "\n%s\n", s.name)
		all := outcomes(s.state.verb())
		for name, o := range works(s.state) {
			all[name] = o
		}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			last := ""
			m := machine{state: s.state, atCap: 30 * time.Second, contact: true, listed: true, watched: true, stream: s.state == streaming{}}
			now := time.Unix(1e9, 0)
			for i := range 4 {
				o := all[name]
				now = now.Add(o.age + time.Second)
				o.now = now
				m.state = s.state // the same happens again
				var st step
				m, st = next(m, o)
				assert.Empty(t, broken(s.state, o, m, st), "%s, %s", s.name, name)
				if row := tableRow(m, st, o); row != last {
					label := name
					if last = row; i > 0 {
						label = ""
					}
					fmt.Fprintf(&b, "  %-32s %d  %s\n", label, i+1, row)
				}
				if st.stop != nil {
					break
				}
			}
		}
	}
	const golden = "testdata/next.txt"
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "read the difference; if it is meant: go test ./stream -run TestNextAsATable -args -update")
}

func tableRow(m machine, st step, o outcome) string {
	row := st.verdict.Row
	if o.err == nil {
		row = "-"
	}
	if st.stop != nil {
		return fmt.Sprintf("%-16s stop: %v", row, firstLine(st.stop))
	}
	delay := st.verdict.Delay.String()
	if st.verdict.Row == "" {
		delay = "none"
	}
	marker := ""
	if st.gap != nil {
		marker = "  GAP"
	}
	return strings.TrimRight(fmt.Sprintf("%-16s wait %-9s %-5s %s%s", cmp.Or(row, "-"), delay, m.state.verb(), describe(m.state), marker), " ")
}

func firstLine(err error) string {
	for _, sentinel := range []error{status.ErrExpired, ErrNoResourceVersion, status.ErrNotStream} {
		if errors.Is(err, sentinel) {
			return sentinel.Error()
		}
	}
	return "the failure itself"
}

func describe(s state) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", s), "stream.")
	switch s := s.(type) {
	case listing:
		if s.token != "" {
			name += ", with its token"
		}
		if s.full {
			name += ", every object again"
		}
		if s.consistent {
			name += ", not from a cache"
		}
	case probing:
		if s.row != "" {
			name += " for " + s.row
		}
	}
	return name
}
