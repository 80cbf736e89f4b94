package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream"
)

// pod is an event of one pod; object is what the server sent.
func pod(kind stream.EventType, name, object string) stream.Event {
	return stream.Event{
		Type: kind, Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: name,
		UID: "u1", ResourceVersion: "11", Object: json.RawMessage(object),
	}
}

var (
	added    = pod(stream.Added, "web-1", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1"},"n":1.50,"s":"\u003ca\u003e"}`)
	inferred = stream.Event{
		Type: stream.Deleted, Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "web-1",
		UID: "u1", ResourceVersion: "11", Inferred: true,
	}
	bookmark = stream.Event{
		Type: stream.Bookmark, Kind: "Pod", APIVersion: "v1", ResourceVersion: "20",
		Object: json.RawMessage(`{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"20"}}`),
	}
	synced  = stream.Event{Type: stream.Synced, ResourceVersion: "20"}
	gap     = stream.Event{Type: stream.Gap, ResourceVersion: "20", Cause: errors.New("too old <20>"), Partial: true}
	reset   = stream.Event{Type: stream.Reset}
	nothing = ""
)

// print runs events through a Printer and returns what was written, and how
// many events were counted.
func print(t *testing.T, o Options, events ...stream.Event) (text string, count int) {
	t.Helper()
	var out bytes.Buffer
	p := New(&out, o)
	for _, ev := range events {
		printed, err := p.Print(ev)
		require.NoError(t, err)
		if printed {
			count++
		}
	}
	return out.String(), count
}

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		name  string
		o     Options
		ev    stream.Event
		want  string
		count int
	}{
		{"json leaves the object's bytes alone", Options{Format: JSON}, added,
			`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1"},"n":1.50,"s":"\u003ca\u003e"}}`, 1},
		{"json of a deletion found by a relist", Options{Format: JSON}, inferred,
			`{"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"shop","uid":"u1","resourceVersion":"11"}},"inferred":true}`, 1},
		{"json of one of which little is known", Options{Format: JSON}, stream.Event{Type: stream.Deleted, Name: "n<1>", Inferred: true},
			`{"type":"DELETED","object":{"metadata":{"name":"n<1>"}},"inferred":true}`, 1},
		{"json of a bookmark", Options{Format: JSON}, bookmark,
			`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"20"}}}`, 1},
		{"json stays one line", Options{Format: JSON}, pod(stream.Added, "web-1", "{\n  \"a\": [1,\r\n 2]\n}"),
			`{"type":"ADDED","object":{"a":[1,2]}}`, 1},
		{"json keeps spaces that harm nobody", Options{Format: JSON}, pod(stream.Added, "web-1", `{"a": 1}`),
			`{"type":"ADDED","object":{"a": 1}}`, 1},
		{"json has no marker unless asked", Options{Format: JSON}, synced, nothing, 0},
		{"json SYNCED", Options{Format: JSON, Markers: true}, synced, `{"type":"SYNCED","resourceVersion":"20"}`, 0},
		{"json GAP", Options{Format: JSON, Markers: true}, gap, `{"type":"GAP","resourceVersion":"20","cause":"too old <20>","partial":true}`, 0},
		{"json RESET", Options{Format: JSON, Markers: true}, reset, `{"type":"RESET"}`, 0},

		{"raw is the line of the wire", Options{Format: Raw}, added,
			`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1"},"n":1.50,"s":"\u003ca\u003e"}}`, 1},
		{"raw has nothing that was not received", Options{Format: Raw, Markers: true}, inferred, nothing, 0},
		{"raw has no markers", Options{Format: Raw, Markers: true}, gap, nothing, 0},

		{"name of a core type", Options{Format: Name, Kind: "Pod"}, added, "ADDED pod/web-1", 1},
		{"name of a type in a group", Options{Format: Name, Kind: "Deployment", Group: "apps"}, pod(stream.Modified, "web", "{}"), "MODIFIED deployment.apps/web", 1},
		{"name by what the object says", Options{Format: Name, Resource: "pods"}, added, "ADDED pod/web-1", 1},
		{"name by the path, when the object says nothing", Options{Format: Name, Resource: "pods"}, stream.Event{Type: stream.Added, Name: "a"}, "ADDED pods/a", 1},
		{"name of an inferred deletion", Options{Format: Name, Kind: "Pod"}, inferred, "DELETED pod/web-1", 1},
		{"name of a bookmark", Options{Format: Name, Kind: "Pod"}, bookmark, "BOOKMARK resourceVersion=20", 1},
		{"name of a marker", Options{Format: Name, Markers: true}, gap, "GAP resourceVersion=20 partial=true cause=too old <20>", 0},
		{"name of a marker without details", Options{Format: Name, Markers: true}, reset, "RESET", 0},
		{"name that wants to rule the terminal", Options{Format: Name, Kind: "Pod"}, pod(stream.Added, "a\x1b[2J\nb", "{}"), `ADDED pod/a\x1b[2J\nb`, 1},

		{"text of a marker", Options{Markers: true}, synced, "SYNCED     resourceVersion=20", 0},
		{"text of a bookmark", Options{}, bookmark, "BOOKMARK   resourceVersion=20", 1},
		{"text of an object", Options{NoHeaders: true, Namespace: "shop"}, added, "ADDED      web-1", 1},
		{"text that wants to rule the terminal", Options{NoHeaders: true}, pod(stream.Added, "a\x1b[2J\nb", "{}"), `ADDED      shop              a\x1b[2J\nb`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != nothing {
				want += "\n"
			}
			got, count := print(t, tt.o, tt.ev)
			assert.Equal(t, want, got)
			assert.Equal(t, tt.count, count)
		})
	}
}

func TestJSONLinesAreJSON(t *testing.T) {
	got, _ := print(t, Options{Format: JSON, Markers: true}, added, inferred, bookmark, synced, gap, reset)
	for line := range strings.Lines(got) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}

func TestRawPrintsNothingOfARelist(t *testing.T) {
	listed := pod(stream.Modified, "listed", "{}")
	got, count := print(t, Options{Format: Raw}, pod(stream.Added, "a", "{}"), gap, listed, inferred, synced, pod(stream.Added, "b", "[]"))
	assert.Equal(t, "{\"type\":\"ADDED\",\"object\":{}}\n{\"type\":\"ADDED\",\"object\":[]}\n", got)
	assert.Equal(t, 2, count)

	got, _ = print(t, Options{Format: Raw}, reset, listed, synced)
	assert.Empty(t, got, "nor of one without an index")
}

func TestTextRows(t *testing.T) {
	node := stream.Event{Type: stream.Added, Name: "node-1"}
	far := pod(stream.Deleted, "x", "{}")
	far.Namespace = "a-namespace-with-a-long-name"

	for _, tt := range []struct {
		name   string
		o      Options
		events []stream.Event
		want   string
	}{
		{"one namespace needs no column", Options{Namespace: "shop"}, []stream.Event{added, inferred}, `
EVENT      NAME
ADDED      web-1
DELETED    web-1
`},
		{"all namespaces do, and columns only grow", Options{}, []stream.Event{added, far, added}, `
EVENT      NAMESPACE         NAME
ADDED      shop              web-1
DELETED    a-namespace-with-a-long-name   x
ADDED      shop                           web-1
`},
		{"things outside of namespaces have no column", Options{}, []stream.Event{node, node}, `
EVENT      NAME
ADDED      node-1
ADDED      node-1
`},
		{"the header comes with the first object", Options{Markers: true}, []stream.Event{synced, added, bookmark}, `
SYNCED     resourceVersion=20
EVENT      NAMESPACE         NAME
ADDED      shop              web-1
BOOKMARK   resourceVersion=20
`},
		{"no header", Options{NoHeaders: true}, []stream.Event{added}, `
ADDED      shop              web-1
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := print(t, tt.o, tt.events...)
			assert.Equal(t, tt.want, "\n"+got)
		})
	}
}

// writes counts what arrives.
type writes struct {
	lines []string
	err   error
}

func (w *writes) Write(b []byte) (int, error) {
	w.lines = append(w.lines, string(b))
	return len(b), w.err
}

func TestOneWritePerEvent(t *testing.T) {
	for _, f := range Formats() {
		var w writes
		p := New(&w, Options{Format: f})
		for range 3 {
			_, err := p.Print(added)
			require.NoError(t, err)
		}
		assert.Len(t, w.lines, 3, f)
	}
}

func TestAFailedWriteKeepsItsCause(t *testing.T) {
	p := New(&writes{err: syscall.EPIPE}, Options{Format: JSON})
	printed, err := p.Print(added)
	assert.False(t, printed)
	assert.ErrorIs(t, err, syscall.EPIPE)
	assert.ErrorContains(t, err, "cannot write to standard output")
}

func TestALargeLineBufferIsNotKept(t *testing.T) {
	p := New(&writes{}, Options{Format: JSON})
	_, err := p.Print(pod(stream.Added, "a", `"`+strings.Repeat("x", 2*keepLine)+`"`))
	require.NoError(t, err)
	assert.LessOrEqual(t, cap(p.line), keepLine)
	_, err = p.Print(added)
	require.NoError(t, err)
	assert.NotZero(t, cap(p.line))
}

func BenchmarkPrint(b *testing.B) {
	ev := pod(stream.Modified, "web-1", `{"a":"`+strings.Repeat("x", 8<<10)+`"}`)
	for _, f := range Formats() {
		b.Run(string(f), func(b *testing.B) {
			p := New(discard{}, Options{Format: f, Kind: "Pod"})
			b.ReportAllocs()
			for b.Loop() {
				p.Print(ev)
			}
		})
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
