package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheWholeDemoProvesThatNothingIsMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out, told bytes.Buffer
		d := newDirector(20 * time.Second)
		require.Len(t, d.scenes, len(scenes))
		srv := d.store.NewServer(t, replay.Options{})
		began := time.Now()
		require.NoError(t, run(t.Context(), Options{Out: &out, Err: &told}, d, srv.Client(), srv.URL()))

		took := time.Since(began)
		assert.Greater(t, took, 18*time.Second)
		assert.Less(t, took, 35*time.Second)
		for _, s := range scenes {
			assert.Contains(t, told.String(), s.title)
		}
		assert.Contains(t, told.String(), "No event was lost")
		assert.Contains(t, told.String(), "8 breaks of the connection")
		assert.Contains(t, told.String(), "2 losses of history")
		for _, noticed := range []string{
			"notices the end of the stream", "throws half an event away", "connection reset", "has read nothing for",
			"429 TooManyRequests", "503", "ERROR event: 410 Expired", "is told 410 Expired", "says GAP", "found by a relist",
		} {
			assert.Contains(t, told.String(), noticed)
		}
		for line := range strings.Lines(told.String() + out.String()) {
			assert.LessOrEqual(t, len([]rune(strings.TrimSpace(line))), width, line)
		}
		assert.NotContains(t, out.String()+told.String(), "\x1b", "no colours unless asked")
		assert.Regexp(t, `(?m)^DELETED +web-\d\d +- +\d+ +not in the new list$`, out.String())
	})
}

func TestADemoOnLoopback(t *testing.T) {
	var out, told bytes.Buffer
	require.NoError(t, Run(t.Context(), Options{Duration: time.Second, Out: &out, Err: &told, ColourOut: true, ColourErr: true}))
	assert.Contains(t, told.String(), "127.0.0.1:")
	assert.Contains(t, told.String(), "No event was lost")
	assert.Contains(t, out.String(), "\x1b[32mADDED")
}

func TestADemoEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	left := errors.New("the audience has left")
	var out writerFunc = func(b []byte) (int, error) { cancel(left); return len(b), nil }
	assert.ErrorIs(t, Run(ctx, Options{Duration: time.Minute, Out: out, Err: &bytes.Buffer{}}), left)
}

func TestADemoThatCannotBeShownSaysWhy(t *testing.T) {
	full := errors.New("disk full")
	var out writerFunc = func(b []byte) (int, error) { return 0, full }
	assert.ErrorIs(t, Run(t.Context(), Options{Duration: time.Minute, Out: out, Err: &bytes.Buffer{}}), full)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// A proof that accepts everything would be none.
func TestTheProofFindsWhatIsWrong(t *testing.T) {
	event := func(kind stream.EventType, name, version string) stream.Event {
		return stream.Event{Type: kind, Name: name, ResourceVersion: version, Object: json.RawMessage("{}")}
	}
	inferred := event(stream.Deleted, "a", "1")
	inferred.Object, inferred.Inferred = nil, true
	synced := func(version string) stream.Event { return stream.Event{Type: stream.Synced, ResourceVersion: version} }
	gap := func(version string) stream.Event { return stream.Event{Type: stream.Gap, ResourceVersion: version} }

	for _, tt := range []struct {
		name  string
		done  []change
		seen  []stream.Event
		state map[string]int
		want  []string
	}{
		{"all is well", []change{{created, "a", 1}, {modified, "a", 2}}, []stream.Event{event(stream.Added, "a", "1"), event(stream.Modified, "a", "2")}, map[string]int{"a": 2}, nil},
		{"an event that never came", []change{{created, "a", 1}, {modified, "a", 2}}, []stream.Event{event(stream.Added, "a", "1")}, map[string]int{"a": 2},
			[]string{"MODIFIED of a at 2 never came", "a is at version 2, and the client has it at 1"}},
		{"an event twice", []change{{created, "a", 1}}, []stream.Event{event(stream.Added, "a", "1"), event(stream.Added, "a", "1")}, map[string]int{"a": 1},
			[]string{"ADDED of a at 1 came twice"}},
		{"a missed delete", []change{{created, "a", 1}, {deleted, "a", 2}}, []stream.Event{event(stream.Added, "a", "1")}, nil,
			[]string{"DELETED of a at 2 never came", "a is gone, and the client does not know it"}},
		{"an event of nothing", []change{{created, "a", 1}}, []stream.Event{event(stream.Added, "a", "1"), event(stream.Added, "b", "1")}, map[string]int{"a": 1},
			[]string{"ADDED of b at 1 came, and never was", "b is gone, and the client does not know it"}},
		{"an event of another type", []change{{created, "a", 1}}, []stream.Event{event(stream.Modified, "a", "1")}, map[string]int{"a": 1},
			[]string{"ADDED of a at 1 never came"}},
		{"a gap that was told", []change{{created, "a", 1}, {modified, "a", 2}, {deleted, "a", 3}}, []stream.Event{event(stream.Added, "a", "1"), gap("1"), inferred, synced("3")}, nil, nil},
		{"a change after the gap", []change{{created, "a", 1}, {modified, "a", 4}}, []stream.Event{event(stream.Added, "a", "1"), gap("1"), synced("3")}, map[string]int{"a": 4},
			[]string{"MODIFIED of a at 4 never came", "a is at version 4, and the client has it at 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLedger()
			for _, c := range tt.done {
				l.did(c.op, c.name, c.version)
			}
			for _, ev := range tt.seen {
				l.see(ev)
			}
			v := l.prove(tt.state)
			assert.Equal(t, tt.want, v.problems)

			var told bytes.Buffer
			err := (&narrator{err: &told}).proof(v, 0, stream.Counters{})
			if tt.want == nil {
				assert.NoError(t, err)
				assert.Contains(t, told.String(), "No event was lost")
				return
			}
			var disagreement *Disagreement
			require.ErrorAs(t, err, &disagreement)
			assert.ErrorContains(t, err, tt.want[0])
			assert.NotContains(t, told.String(), "No event was lost")
		})
	}
}
