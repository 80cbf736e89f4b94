package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream"
)

// podColumns are those of a real server for pods, shortened.
const podColumns = `[{"name":"Name","type":"string","format":"name","priority":0},{"name":"Ready","type":"string","priority":0},` +
	`{"name":"Status","type":"string","priority":0},{"name":"Restarts","type":"integer","priority":0},` +
	`{"name":"Age","type":"string","priority":0},{"name":"Node","type":"string","priority":1}]`

// eventColumns are those for events: the name is not among what is shown.
const eventColumns = `[{"name":"Last Seen","type":"string","priority":0},{"name":"Reason","type":"string","priority":0},` +
	`{"name":"Message","type":"string","priority":0},{"name":"Name","type":"string","format":"name","priority":1}]`

// tableOf is a Table of one row, as a watch sends it; columns may be "null".
func tableOf(columns, cells, object string) string {
	return fmt.Sprintf(`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"11"},"columnDefinitions":%s,"rows":[{"cells":[%s],"object":%s}]}`,
		columns, cells, object)
}

// seen is an event, with the object that it came in.
func seen(kind stream.EventType, name, object string) stream.Event {
	ev := pod(kind, name, object)
	ev.Kind, ev.APIVersion = "Table", "meta.k8s.io/v1"
	return ev
}

// told gives events to a Printer as a watch does: each as the line it came in,
// then as an event. A nil event begins another request.
type told struct {
	t   *testing.T
	p   *Printer
	w   *stream.Watcher
	out bytes.Buffer
}

func tell(t *testing.T, o Options, from Source) *told {
	r := &told{t: t, w: new(stream.Watcher)}
	from.Watcher = r.w
	r.p = New(&r.out, o, from)
	r.p.Listen(r.w)
	return r
}

func (r *told) request() { r.w.Trace.Request(stream.Request{}) }

func (r *told) line(ev stream.Event) {
	r.w.Trace.Line(fmt.Appendf(nil, `{"type":%q,"object":%s}`, ev.Type, ev.Object))
}

func (r *told) event(ev stream.Event) {
	r.t.Helper()
	if ev.Object != nil {
		r.line(ev)
	}
	_, err := r.p.Print(ev)
	require.NoError(r.t, err)
}

const meta = `{"metadata":{"name":"web-1","creationTimestamp":"2026-11-30T19:00:00Z","labels":{"app.kubernetes.io/name":"web","tier":"a\u001b[2J"}}}`

func TestTheServersColumns(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 30, 19, 5, 0, 0, time.UTC) }
	first := seen(stream.Added, "web-1", tableOf(podColumns, `"web-1","0/1","Pending",0,"5s","n1"`, meta))
	second := seen(stream.Modified, "web-1", tableOf("null", `"web-1","1/1","Running",2,"9s","n1"`, meta))
	failing := seen(stream.Modified, "web-1", tableOf("null", `"web-1","0/1","Init:CrashLoopBackOff",12,"9s",null`, meta))

	for _, tt := range []struct {
		name   string
		o      Options
		events []stream.Event
		want   string
	}{
		{"those with priority 0; a deletion that nobody sent has the name alone", Options{}, []stream.Event{first, second, inferred}, `
EVENT      NAME                   READY   STATUS              RESTARTS   AGE
ADDED      web-1                  0/1     Pending             0          5s
MODIFIED   web-1                  1/1     Running             2          9s
DELETED    web-1                  -       -                   -          -
`},
		{"all of them; null is nothing", Options{Format: Wide}, []stream.Event{first, failing}, `
EVENT      NAME                   READY   STATUS              RESTARTS   AGE     NODE
ADDED      web-1                  0/1     Pending             0          5s      n1
MODIFIED   web-1                  0/1     Init:CrashLoopBackOff      12         9s
`},
		{"a column that grows stays as wide", Options{NoHeaders: true}, []stream.Event{first, failing, second}, `
ADDED      web-1                  0/1     Pending             0          5s
MODIFIED   web-1                  0/1     Init:CrashLoopBackOff      12         9s
MODIFIED   web-1                  1/1     Running                    2          9s
`},
		{"labels", Options{LabelColumns: []string{"app.kubernetes.io/name", "none"}, ShowLabels: true}, []stream.Event{first, inferred}, `
EVENT      NAME                   READY   STATUS              RESTARTS   AGE     NAME     NONE     LABELS
ADDED      web-1                  0/1     Pending             0          5s      web      <none>   app.kubernetes.io/name=web,tier=a\x1b[2J
DELETED    web-1                  -       -                   -          -       -        -        -
`},
		{"what no server sends, or only a strange one", Options{}, []stream.Event{
			seen(stream.Added, "web-1", tableOf(`[{"name":"Name\u001b[2J","format":"name"},{"name":"When","type":"date"},{"name":"Other"},{"name":"Missing"}]`,
				`"web-1","2026-11-30T18:05:00Z",{"a": ["\u001b", 1.50]}`, meta)),
			seen(stream.Modified, "web-1", tableOf("null", `"web\n\u001b]0;x\u0007","soon",true`, "null")),
			seen(stream.Modified, "web-1", `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]}`),
			pod(stream.Modified, "web-1", meta),
		}, `
EVENT      NAME\x1b[2J            WHEN   OTHER                      MISSING
ADDED      web-1                  60m    {"a":["\u001b",1.50]}      -
MODIFIED   web\n\x1b]0;x\a        soon   true                       -
MODIFIED   web-1                  -      -                          -
MODIFIED   web-1                  -      -                          -
`},
		{"a server that knows no Tables", Options{LabelColumns: []string{"tier"}}, []stream.Event{pod(stream.Added, "web-1", meta)}, `
EVENT      NAME                   AGE     TIER
ADDED      web-1                  5m      a\x1b[2J
`},
		{"the name is not among the columns", Options{}, []stream.Event{
			seen(stream.Added, "web.17", tableOf(eventColumns, `"5s","Killing","Stopping container web","web.17"`, meta)), inferred,
		}, `
EVENT      LAST SEEN   REASON     MESSAGE
ADDED      5s          Killing    Stopping container web
DELETED    -           -          -                          name=web-1
`},
		{"wide letters, marks, and a cell that would push all others away", Options{}, []stream.Event{
			seen(stream.Added, "web-1", tableOf(`[{"name":"Name","format":"name"},{"name":"Text"},{"name":"Age"}]`, `"web-1","名前😀","5s"`, meta)),
			seen(stream.Added, "web-1", tableOf("null", `"web-1","café","5s"`, meta)),
			seen(stream.Added, "web-1", tableOf("null", `"web-1","`+strings.Repeat("x", 100)+`","5s"`, meta)),
			seen(stream.Added, "web-1", tableOf("null", `"web-1","x","5s"`, meta)),
		}, `
EVENT      NAME                   TEXT       AGE
ADDED      web-1                  名前😀     5s
ADDED      web-1                  café       5s
ADDED      web-1                  ` + strings.Repeat("x", 100) + `   5s
ADDED      web-1                  x          5s
`},
		{"columns that change while it is watched", Options{}, []stream.Event{
			first,
			seen(stream.Modified, "web-1", tableOf(`[{"name":"Name","format":"name"},{"name":"Colour"}]`, `"web-1","red"`, meta)),
			seen(stream.Modified, "web-1", tableOf("null", `"web-1","blue"`, meta)),
		}, `
EVENT      NAME                   READY   STATUS              RESTARTS   AGE
ADDED      web-1                  0/1     Pending             0          5s
EVENT      NAME                   COLOUR
MODIFIED   web-1                  red
MODIFIED   web-1                  blue
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.o.Now = now
			r := tell(t, tt.o, Source{Resource: "pods", Namespace: "shop"})
			for _, ev := range tt.events {
				if strings.Contains(string(ev.Object), `"columnDefinitions":[`) {
					r.request() // columns come with the first object after one
				}
				r.event(ev)
			}
			assert.Equal(t, tt.want, "\n"+r.out.String())
		})
	}
}

// The first object of a request may be one that is left out, or a bookmark, or
// an item that was known: its columns count all the same.
func TestColumnsComeWithTheFirstOfARequest(t *testing.T) {
	r := tell(t, Options{}, Source{Namespace: "shop"})
	columns := func(names ...string) string {
		var all []string
		for _, name := range names {
			all = append(all, fmt.Sprintf(`{"name":%q}`, name))
		}
		return "[" + strings.Join(all, ",") + "]"
	}
	r.request()
	r.w.Trace.Item([]byte(tableOf(columns("Name", "A"), `"x",1`, meta)))
	r.event(seen(stream.Added, "x", tableOf("null", `"x",1`, meta)))
	r.request()
	r.line(seen(stream.Bookmark, "", tableOf(columns("Name", "B"), `"",0`, "null")))
	r.event(seen(stream.Modified, "x", tableOf("null", `"x",2`, meta)))
	r.request()
	r.w.Trace.Line([]byte("no JSON"))
	r.event(seen(stream.Modified, "x", tableOf("null", `"x",3`, meta)))
	r.request()
	r.event(seen(stream.Modified, "x", tableOf(columns("Name", "B"), `"x",4`, meta)))
	assert.Equal(t, `
EVENT      NAME                   A
ADDED      x                      1
EVENT      NAME                   B
MODIFIED   x                      2
MODIFIED   x                      3
MODIFIED   x                      4
`, "\n"+r.out.String())
}

func TestListenKeepsTheHooksThatAreThere(t *testing.T) {
	var calls []string
	w := &stream.Watcher{Trace: &stream.Trace{
		Request: func(stream.Request) { calls = append(calls, "request") },
		Line:    func([]byte) { calls = append(calls, "line") },
		Item:    func([]byte) { calls = append(calls, "item") },
	}}
	New(discard{}, Options{}, Source{}).Listen(w)
	w.Trace.Request(stream.Request{})
	w.Trace.Line(nil)
	w.Trace.Item(nil)
	assert.Equal(t, []string{"request", "line", "item"}, calls)

	w = new(stream.Watcher)
	New(discard{}, Options{Format: JSON}, Source{}).Listen(w)
	assert.Nil(t, w.Trace, "only columns need it")
}

// Types that take turns do not print their headings each time, but when a
// person cannot see them any more.
func TestHeadingsOfTypesThatTakeTurns(t *testing.T) {
	pods, jobs := new(stream.Watcher), new(stream.Watcher)
	var out bytes.Buffer
	p := New(&out, Options{}, Source{Watcher: pods, Kind: "Pod", Resource: "pods", Namespace: "shop"},
		Source{Watcher: jobs, Kind: "Job", Group: "batch", Resource: "jobs", Namespace: "shop"})
	print := func(w *stream.Watcher, ev stream.Event) {
		ev.Source = w
		_, err := p.Print(ev)
		require.NoError(t, err)
	}
	for w, columns := range map[*stream.Watcher]string{pods: podColumns, jobs: `[{"name":"Name","format":"name"},{"name":"Completions"}]`} {
		p.Listen(w)
		w.Trace.Request(stream.Request{})
		w.Trace.Item([]byte(tableOf(columns, "", "null")))
	}
	aPod := seen(stream.Added, "web-1", tableOf("null", `"web-1","0/1","Pending",0,"5s"`, meta))
	aJob := seen(stream.Added, "backup", tableOf("null", `"backup","0/1"`, meta))
	for range 11 {
		print(pods, aPod)
		print(jobs, aJob)
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	assert.Equal(t, []string{
		"EVENT      NAME                   READY   STATUS              RESTARTS   AGE",
		"ADDED      pod/web-1              0/1     Pending             0          5s",
		"EVENT      NAME                   COMPLETIONS",
		"ADDED      job.batch/backup       0/1",
		"ADDED      pod/web-1              0/1     Pending             0          5s",
	}, got[:5])
	headings := 0
	for _, line := range got {
		if strings.HasPrefix(line, "EVENT") {
			headings++
		}
	}
	assert.Equal(t, 4, headings, "one each, and again after %d lines: %s", onScreen, out.String())

	// An event of one that does not come from the server names the object
	// like all the others do.
	gone := inferred
	gone.Source = pods
	out.Reset()
	print(pods, gone)
	assert.Contains(t, out.String(), "DELETED    pod/web-1              -       -")
}

func TestColoursOfEvents(t *testing.T) {
	r := tell(t, Options{Colour: true, Markers: true}, Source{Namespace: "shop"})
	for _, kind := range []stream.EventType{stream.Added, stream.Modified, stream.Deleted} {
		r.event(pod(kind, "x", "{}"))
	}
	r.event(stream.Event{Type: stream.Gap, ResourceVersion: "20", Cause: errors.New("too old")})
	assert.Equal(t, strings.ReplaceAll(`
^[1mEVENT      NAME                   AGE^[0m
^[32mADDED^[0m      x                      <unknown>
^[33mMODIFIED^[0m   x                      <unknown>
^[31mDELETED^[0m    x                      <unknown>
^[35mGAP^[0m        resourceVersion=20 cause=too old
`, "^[", "\x1b["), "\n"+r.out.String())
}

func TestAges(t *testing.T) {
	now := time.Date(2026, 11, 30, 19, 0, 0, 0, time.UTC)
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Hour: "<invalid>", -time.Second: "0s", 0: "0s", 119 * time.Second: "119s",
		2 * time.Minute: "2m", 2*time.Minute + 5*time.Second: "2m5s", 10*time.Minute + 59*time.Second: "10m",
		179 * time.Minute: "179m", 3 * time.Hour: "3h", 3*time.Hour + time.Minute: "3h1m", 47 * time.Hour: "47h",
		2 * day: "2d", 2*day + time.Hour: "2d1h", 8*day + time.Hour: "8d", 729 * day: "729d",
		2 * year: "2y", 2*year + day: "2y1d", 9*year + day: "9y",
	} {
		assert.Equal(t, want, age(now.Add(-d), now), d)
	}
}

func TestObjectOf(t *testing.T) {
	assert.JSONEq(t, meta, string(ObjectOf(seen(stream.Added, "x", tableOf("null", "1", meta)))))
	assert.JSONEq(t, meta, string(ObjectOf(pod(stream.Added, "x", meta))))
	assert.Nil(t, ObjectOf(inferred))
	custom := pod(stream.Added, "x", meta) // of somebody's own kind Table
	custom.Kind, custom.APIVersion = "Table", "furniture.example.com/v1"
	assert.JSONEq(t, meta, string(ObjectOf(custom)))
}

// What a server sends as a Table may be anything: it never stops the watch.
func FuzzRow(f *testing.F) {
	f.Add(podColumns, `"web-1","0/1"`, meta)
	f.Add("null", "", "null")
	f.Add(`[{"name":1,"priority":"x"}]`, `[],{},null,1e999,"\ud800"`, `{"metadata":{"labels":{"a":1}}}`)
	f.Fuzz(func(t *testing.T, columns, cells, object string) {
		table := tableOf(columns, cells, object)
		if !json.Valid([]byte(table)) {
			return // stream lets only valid JSON through
		}
		r := tell(t, Options{Format: Wide, ShowLabels: true, LabelColumns: []string{"a"}}, Source{Namespace: "shop"})
		r.request()
		r.event(seen(stream.Added, "web-1", table))
		for _, c := range r.out.String() {
			assert.True(t, c == '\n' || c >= ' ' && c != 0x7f && (c < 0x80 || c > 0x9f), "%q", r.out.String())
		}
	})
}
