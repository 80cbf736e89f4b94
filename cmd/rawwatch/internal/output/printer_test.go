package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
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
func print(t *testing.T, o Options, from Source, events ...stream.Event) (text string, count int) {
	t.Helper()
	var out bytes.Buffer
	p := New(&out, o, from)
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
		from  Source
		ev    stream.Event
		want  string
		count int
	}{
		{"json leaves the object's bytes alone", Options{Format: JSON}, Source{}, added,
			`{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1"},"n":1.50,"s":"\u003ca\u003e"}}`, 1},
		{"json of a deletion found by a relist", Options{Format: JSON}, Source{}, inferred,
			`{"type":"DELETED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"shop","uid":"u1","resourceVersion":"11"}},"inferred":true}`, 1},
		{"json of one of which little is known", Options{Format: JSON}, Source{}, stream.Event{Type: stream.Deleted, Name: "n<1>", Inferred: true},
			`{"type":"DELETED","object":{"metadata":{"name":"n<1>"}},"inferred":true}`, 1},
		{"json of a bookmark", Options{Format: JSON}, Source{}, bookmark,
			`{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"20"}}}`, 1},
		{"json stays one line", Options{Format: JSON}, Source{}, pod(stream.Added, "web-1", "{\n  \"a\": [1,\r\n 2]\n}"),
			`{"type":"ADDED","object":{"a":[1,2]}}`, 1},
		{"json keeps spaces that harm nobody", Options{Format: JSON}, Source{}, pod(stream.Added, "web-1", `{"a": 1}`),
			`{"type":"ADDED","object":{"a": 1}}`, 1},
		{"json has no marker unless asked", Options{Format: JSON}, Source{}, synced, nothing, 0},
		{"json SYNCED", Options{Format: JSON, Markers: true}, Source{}, synced, `{"type":"SYNCED","resourceVersion":"20"}`, 0},
		{"json GAP", Options{Format: JSON, Markers: true}, Source{}, gap, `{"type":"GAP","resourceVersion":"20","cause":"too old <20>","partial":true}`, 0},
		{"json RESET", Options{Format: JSON, Markers: true}, Source{}, reset, `{"type":"RESET"}`, 0},

		{"raw has nothing that was not received", Options{Format: Raw, Markers: true}, Source{}, inferred, nothing, 0},
		{"raw shows lines, not events", Options{Format: Raw}, Source{}, added, nothing, 0},
		{"raw has no markers", Options{Format: Raw, Markers: true}, Source{}, gap, nothing, 0},

		{"name of a core type", Options{Format: Name}, Source{Kind: "Pod"}, added, "ADDED pod/web-1", 1},
		{"name of a type in a group", Options{Format: Name}, Source{Kind: "Deployment", Group: "apps"}, pod(stream.Modified, "web", "{}"), "MODIFIED deployment.apps/web", 1},
		{"name by what the object says", Options{Format: Name}, Source{Resource: "pods"}, added, "ADDED pod/web-1", 1},
		{"name by the path, when the object says nothing", Options{Format: Name}, Source{Resource: "pods"}, stream.Event{Type: stream.Added, Name: "a"}, "ADDED pods/a", 1},
		{"name of an inferred deletion", Options{Format: Name}, Source{Kind: "Pod"}, inferred, "DELETED pod/web-1", 1},
		{"name of a bookmark", Options{Format: Name}, Source{Kind: "Pod"}, bookmark, "BOOKMARK resourceVersion=20", 1},
		{"name of a marker", Options{Format: Name, Markers: true}, Source{}, gap, "GAP resourceVersion=20 partial=true cause=too old <20>", 0},
		{"name of a marker without details", Options{Format: Name, Markers: true}, Source{}, reset, "RESET", 0},
		{"name that wants to rule the terminal", Options{Format: Name}, Source{Kind: "Pod"}, pod(stream.Added, "a\x1b[2J\nb", "{}"), `ADDED pod/a\x1b[2J\nb`, 1},

		{"text of a marker", Options{Markers: true}, Source{}, synced, "SYNCED     resourceVersion=20", 0},
		{"text of a bookmark", Options{}, Source{}, bookmark, "BOOKMARK   resourceVersion=20", 1},
		{"text of an object", Options{NoHeaders: true}, Source{Namespace: "shop"}, added, "ADDED      web-1                  <unknown>", 1},
		{"text that wants to rule the terminal", Options{NoHeaders: true}, Source{}, pod(stream.Added, "a\x1b[2J\nb", "{}"), `ADDED      shop              a\x1b[2J\nb            <unknown>`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want
			if want != nothing {
				want += "\n"
			}
			got, count := print(t, tt.o, tt.from, tt.ev)
			assert.Equal(t, want, got)
			assert.Equal(t, tt.count, count)
		})
	}
}

func TestJSONLinesAreJSON(t *testing.T) {
	got, _ := print(t, Options{Format: JSON, Markers: true}, Source{}, added, inferred, bookmark, synced, gap, reset)
	for line := range strings.Lines(got) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}

func TestRawPrintsLinesAsTheyAre(t *testing.T) {
	var w writes
	p := New(&w, Options{Format: Raw})
	lines := []string{`{"type":"ERROR", "object":null}`, "not json\r", ""}
	for _, line := range lines {
		printed, err := p.Line([]byte(line))
		require.NoError(t, err)
		assert.True(t, printed)
	}
	assert.Equal(t, lines, strings.Split(strings.TrimSuffix(strings.Join(w.lines, ""), "\n"), "\n"))
	assert.Len(t, w.lines, 3, "one write each")

	w = writes{}
	printed, err := New(&w, Options{Format: JSON}).Line([]byte("x"))
	require.NoError(t, err)
	assert.False(t, printed)
	assert.Empty(t, w.lines, "other formats make their lines from events")
}

func TestRawLinesOfSeveralWatchesComeOutWhole(t *testing.T) {
	var w writes
	p := New(&w, Options{Format: Raw})
	var all sync.WaitGroup
	for _, c := range "abcd" {
		all.Go(func() {
			for range 100 {
				p.Line(bytes.Repeat([]byte(string(c)), 100))
			}
		})
	}
	all.Wait()
	require.Len(t, w.lines, 400)
	for _, line := range w.lines {
		assert.Equal(t, strings.Repeat(line[:1], 100)+"\n", line)
	}
}

func TestSeveralSourcesAreToldApart(t *testing.T) {
	a, b := new(stream.Watcher), new(stream.Watcher)
	of := func(ev stream.Event, w *stream.Watcher) stream.Event { ev.Source = w; return ev }
	web := stream.Event{Type: stream.Added, Kind: "Deployment", Namespace: "shop", Name: "web", Object: json.RawMessage("{}")}
	node := stream.Event{Type: stream.Added, Kind: "Node", Name: "n1", Object: json.RawMessage("{}")}
	partial := stream.Event{Type: stream.Added, Kind: "PartialObjectMetadata", Namespace: "shop", Name: "web", Object: json.RawMessage("{}")}
	pods := Source{Watcher: a, Kind: "Pod", Resource: "pods", Namespace: "shop"}
	deployments := Source{Watcher: b, Kind: "Deployment", Group: "apps", Resource: "deployments", Namespace: "shop"}
	nodes := Source{Watcher: b, Kind: "Node", Resource: "nodes"}
	elsewhere := Source{Watcher: b, Kind: "Pod", Resource: "pods", Namespace: "eu"}
	everywhere := pods
	everywhere.Namespace, everywhere.Everywhere = "", true
	moved := added
	moved.Namespace = "eu"

	for _, tt := range []struct {
		name    string
		o       Options
		sources []Source
		events  []stream.Event
		want    string
	}{
		{"text: two kinds in one namespace", Options{Markers: true}, []Source{pods, deployments},
			[]stream.Event{of(added, a), of(web, b), of(synced, b), of(gap, a)}, `
EVENT      NAME                   AGE
ADDED      pod/web-1              <unknown>
ADDED      deployment.apps/web    <unknown>
SYNCED     resource=deployments.apps namespace=shop resourceVersion=20
GAP        resource=pods namespace=shop resourceVersion=20 partial=true cause=too old <20>
`},
		{"text: one kind in two namespaces", Options{}, []Source{pods, elsewhere}, []stream.Event{of(added, a), of(moved, b)}, `
EVENT      NAMESPACE         NAME                   AGE
ADDED      shop              web-1                  <unknown>
ADDED      eu                web-1                  <unknown>
`},
		{"text: what has no namespace, among what has, whichever comes first", Options{}, []Source{everywhere, nodes}, []stream.Event{of(node, b), of(added, a)}, `
EVENT      NAMESPACE         NAME                   AGE
ADDED      -                 node/n1                <unknown>
ADDED      shop              pod/web-1              <unknown>
`},
		{"text: what has no namespace, beside one namespace", Options{}, []Source{pods, nodes}, []stream.Event{of(node, b), of(added, a)}, `
EVENT      NAME                   AGE
ADDED      node/n1                <unknown>
ADDED      pod/web-1              <unknown>
`},
		{"name", Options{Format: Name, Markers: true}, []Source{everywhere, deployments}, []stream.Event{of(added, a), of(web, b), of(synced, a)}, `
ADDED pod/web-1
ADDED deployment.apps/web
SYNCED resource=pods resourceVersion=20
`},
		{"json: markers, and objects that do not say what they are", Options{Format: JSON, Markers: true}, []Source{everywhere, deployments},
			[]stream.Event{of(web, b), of(partial, b), of(bookmark, a), of(synced, b), of(reset, a)}, `
{"type":"ADDED","object":{}}
{"type":"ADDED","object":{},"resource":"deployments.apps","namespace":"shop"}
{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"20"}},"resource":"pods"}
{"type":"SYNCED","resource":"deployments.apps","namespace":"shop","resourceVersion":"20"}
{"type":"RESET","resource":"pods"}
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			p := New(&out, tt.o, tt.sources...)
			for _, ev := range tt.events {
				_, err := p.Print(ev)
				require.NoError(t, err)
			}
			assert.Equal(t, tt.want, "\n"+out.String())
		})
	}
}

func TestTextRows(t *testing.T) {
	node := stream.Event{Type: stream.Added, Name: "node-1"}
	far := pod(stream.Deleted, "x", "{}")
	far.Namespace = "a-namespace-with-a-long-name"

	for _, tt := range []struct {
		name   string
		o      Options
		from   Source
		events []stream.Event
		want   string
	}{
		{"one namespace needs no column", Options{}, Source{Namespace: "shop"}, []stream.Event{added, inferred}, `
EVENT      NAME                   AGE
ADDED      web-1                  <unknown>
DELETED    web-1                  -
`},
		{"all namespaces do, and columns only grow", Options{}, Source{}, []stream.Event{added, far, added}, `
EVENT      NAMESPACE         NAME                   AGE
ADDED      shop              web-1                  <unknown>
DELETED    a-namespace-with-a-long-name   x                      <unknown>
ADDED      shop                           web-1                  <unknown>
`},
		{"things outside of namespaces have no column", Options{}, Source{}, []stream.Event{node, node}, `
EVENT      NAME                   AGE
ADDED      node-1                 -
ADDED      node-1                 -
`},
		{"the header comes with the first object", Options{Markers: true}, Source{}, []stream.Event{synced, added, bookmark}, `
SYNCED     resourceVersion=20
EVENT      NAMESPACE         NAME                   AGE
ADDED      shop              web-1                  <unknown>
BOOKMARK   resourceVersion=20
`},
		{"no header", Options{NoHeaders: true}, Source{}, []stream.Event{added}, `
ADDED      shop              web-1                  <unknown>
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := print(t, tt.o, tt.from, tt.events...)
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
			_, err = p.Line([]byte("{}"))
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
			p := New(discard{}, Options{Format: f}, Source{Kind: "Pod"})
			b.ReportAllocs()
			for b.Loop() {
				p.Print(ev)
				p.Line(ev.Object)
			}
		})
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
