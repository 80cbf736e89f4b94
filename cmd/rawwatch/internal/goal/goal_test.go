package goal

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream"
)

// compile stands in for jq: the expression is a text to look for, and "bad" is
// none.
func compile(expression string) (Query, error) {
	if expression == "bad" {
		return nil, errors.New("unexpected token")
	}
	return func(object []byte) (bool, error) {
		if strings.Contains(string(object), "fail") {
			return false, errors.New("cannot index string")
		}
		return strings.Contains(string(object), expression), nil
	}, nil
}

func objectOf(ev stream.Event) json.RawMessage { return ev.Object }

func parse(t *testing.T, text string) Goal {
	t.Helper()
	g, err := Parse(text, compile)
	require.NoError(t, err)
	assert.Equal(t, text, g.String())
	return g
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "write delete, create,",
		"deleted":            "write delete, create,",
		"delete=now":         "delete takes no value",
		"condition":          "condition=NAME",
		"condition=":         "condition=NAME",
		"condition=Ready=":   "condition=NAME",
		"jq=bad":             "unexpected token",
		"jsonpath={.status}": "jsonpath is kubectl's",
		"condition==True":    "condition=NAME",
	} {
		_, err := Parse(text, compile)
		assert.ErrorContains(t, err, want, text)
	}
}

// The events of a test, one a word: +a is ADDED, ~a MODIFIED, -a DELETED, each
// with /UID where it is not 1; "synced" and "gap" are the markers. @1 at the
// end is the second source's. A word that begins with = says that from here on,
// and not before, the goal is met.
func follow(t *testing.T, tracker *Tracker, of []*stream.Watcher, object map[string]string, events string) {
	t.Helper()
	met := false
	for word := range strings.FieldsSeq(events) {
		want := strings.HasPrefix(word, "=")
		word = strings.TrimPrefix(word, "=")
		word, second := strings.CutSuffix(word, "@1")
		ev := stream.Event{Source: of[0]}
		if second {
			ev.Source = of[1]
		}
		switch {
		case word == "synced":
			ev.Type = stream.Synced
		case word == "gap":
			ev.Type = stream.Gap
		default:
			ev.Type = map[byte]stream.EventType{'+': stream.Added, '~': stream.Modified, '-': stream.Deleted}[word[0]]
			name, uid, _ := strings.Cut(word[1:], "/")
			ev.Name, ev.UID = name, uid
			ev.Object = json.RawMessage(object[name+"/"+uid])
		}
		met = tracker.See(ev)
		assert.Equal(t, want, met, "after %s in %s", word, events)
	}
	assert.Equal(t, met, tracker.Missing() == "", tracker.Missing())
}

func TestTracker(t *testing.T) {
	condition := func(generation, observed, status string) string {
		return `{"metadata":{"generation":` + generation + `},"status":{"observedGeneration":` + observed + `,"conditions":[{"type":"Other","status":"True"},{"type":"Ready","status":"` + status + `","reason":"Because"}]}}`
	}
	objects := map[string]string{
		"a/yes": condition("2", "2", "True"), "b/yes": condition("1", "1", "True"),
		"a/no": condition("2", "2", "False"), "a/old": condition("3", "2", "True"),
		"a/odd": `{"metadata":{"generation":"x"}}`, "a/bare": `{"metadata":{}}`, "a/fail": "fail",
	}
	for _, tt := range []struct{ name, goal, events, missing string }{
		{"delete: not there", "delete", "=synced", ""},
		{"delete: it goes", "delete", "+a synced ~a =-a", ""},
		{"delete: all that were there", "delete", "+a +b synced -a +c =-b", ""},
		{"delete: comes back as another", "delete", "+a/1 synced =~a/2", ""},
		{"delete: gone, and there again", "delete", "+a/1 synced =-a/1 =+a/2", ""},
		{"delete: nothing before the list is whole", "delete", "+a -a =synced", ""},
		{"delete: found by a relist, once that is whole", "delete", "+a synced gap -a =synced", ""},
		{"delete: a relist brings no new ones", "delete", "+a synced gap +b -a =synced", ""},
		{"delete: still there", "delete", "+b +a +c +d synced", "pods: a is still there, b is still there, c is still there and 1 more"},
		{"create: is there", "create", "=+a", ""},
		{"create: comes later", "create", "synced =+a", ""},
		{"create: does not come", "create", "synced", "pods: there is none"},
		{"condition: has it", "condition=ready", "+a/yes =synced", ""},
		{"condition: gets it", "condition=Ready", "+a/no synced =~a/yes", ""},
		{"condition: all of them, in the same moment", "condition=Ready", "+a/yes +b/yes =synced ~a/no =~a/yes", ""},
		{"condition: one that goes need not have it", "condition=Ready", "+a/no +b/yes synced =-a/no", ""},
		{"condition: none is there yet", "condition=Ready", "synced =+a/yes", ""},
		{"condition: False is a value", "condition=Ready=false", "+a/no =synced", ""},
		{"condition: not of an earlier generation", "condition=Ready", "+a/old synced", "pods: a Ready is True: Because, but that is about an earlier generation of it"},
		{"condition: has another value", "condition=Ready", "+a/no synced", "pods: a Ready is False: Because"},
		{"condition: has none", "condition=Ready", "+a/bare synced", "pods: a has no condition Ready"},
		{"condition: cannot be read", "condition=Ready", "+a/odd synced", "pods: a has a status of another shape"},
		{"condition: the list is not whole", "condition=Ready", "+a/yes", "pods: what exists has not come whole"},
		{"condition: nor after a loss", "condition=Ready", "+a/no synced gap ~a/yes =synced", ""},
		{"jq: satisfied", `jq="Ready","status":"True"`, "+a/no synced =~a/yes", ""},
		{"jq: fails at run time", "jq=True", "+a/fail synced", "pods: a cannot index string"},
		{"nothing came", "create", "", "pods: what exists has not come whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &stream.Watcher{}
			tracker := NewTracker(parse(t, tt.goal), objectOf, map[*stream.Watcher]string{w: "pods"})
			if tt.events == "" {
				assert.Equal(t, tt.missing, tracker.Missing())
				return
			}
			follow(t, tracker, []*stream.Watcher{w}, objects, tt.events)
			assert.Equal(t, tt.missing, tracker.Missing())
		})
	}
}

func TestEachOfSeveralHasToGetThere(t *testing.T) {
	of := []*stream.Watcher{{}, {}}
	names := map[*stream.Watcher]string{of[0]: "pods", of[1]: "services"}
	follow(t, NewTracker(parse(t, "create"), objectOf, names), of, nil, "+a synced synced@1 =+a@1")
	follow(t, NewTracker(parse(t, "delete"), objectOf, names), of, nil, "+a +a@1 synced synced@1 -a@1 =-a")
	tracker := NewTracker(parse(t, "delete"), objectOf, names)
	follow(t, tracker, of, nil, "+a@1 synced")
	assert.Equal(t, "services: a is still there", tracker.Missing())
	assert.False(t, tracker.See(stream.Event{Type: stream.Deleted, Name: "a", Source: &stream.Watcher{}}), "of none of them")
}
