package stream_test

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/require"
)

// story is what happens to the objects of a server that loses its history once.
// Objects, events, the 410 and the bookmarks are those of a real server
// (testdata/recordings):
//
//	version  10340     10347  10348      10350   10351   10352      10362    10371
//	         list of   +new   cm1,       -cm3    -new    +new,      list of  bookmark
//	         cm1 cm3          bookmark                   another    cm1 new
//	         ╰─ listed and watched ─╯    ╰─ only the list shows it ─╯
type story struct {
	before, after []string       // the objects that each list shows
	events        []recordedLine // between the first list and the loss
	expired       string         // the line of the 410
	bookmark      string         // the last line
	end           string         // its version
	ledger        history.Ledger // of all that was done
}

const (
	firstList, firstEnd, secondList = "10340", "10348", "10362"
	initialEnd                      = `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"` + secondList + `","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"
)

func readStory(t testing.TB) *story {
	s := new(story)
	did := func(l recordedLine) {
		key := history.Key{Namespace: "t", Name: l.name}
		if l.kind == "DELETED" {
			s.ledger.Gone(key, l.uid, l.version)
		} else {
			s.ledger.Did(key, l.uid, l.version)
		}
	}
	part := func(l recordedLine) bool { return l.name == "cm1" || l.name == "cm3" || l.name == "new" }
	for _, l := range recordedItems(t, "list-configmaps.http") {
		if part(l) {
			s.before = append(s.before, short(l.object))
			did(l)
		}
	}
	for _, l := range recordedEvents(t, "watch-configmaps.http") {
		switch {
		case l.kind == "BOOKMARK":
			l.bytes = strings.Replace(l.bytes, l.version, firstEnd, 1)
			s.events = append(s.events, l)
		case part(l):
			did(l)
			if l.version <= firstEnd {
				l.bytes = short(l.bytes)
				s.events = append(s.events, l)
			}
		}
	}
	for _, l := range recordedEvents(t, "watchlist-configmaps.http") {
		if part(l) {
			s.after = append(s.after, short(l.object))
		}
	}
	s.expired = recordedEvents(t, "watch-410-too-old.http")[0].bytes
	last := recordedEvents(t, "watch-apiserver-shutdown.http")[0]
	s.bookmark, s.end = last.bytes, last.version
	return s
}

// forgetful is the server. It forgets the first part of the story as soon as a
// watch asks for more than its end.
type forgetful struct {
	*story
	forgotten atomic.Bool
}

// answer plays the server.
func (f *forgetful) answer(r *http.Request) []replay.Step {
	q := r.URL.Query()
	switch {
	case q.Get("watch") == "":
		return f.page(q.Get("continue"))
	case q.Get("sendInitialEvents") != "":
		return f.initial()
	}
	from := q.Get("resourceVersion")
	if from == firstEnd {
		f.forgotten.Store(true)
	}
	switch {
	case from == secondList:
		return stream200(f.bookmark, replay.Hold())
	case f.forgotten.Load():
		return stream200(f.expired, replay.End())
	}
	steps := []replay.Step{replay.Respond(200)}
	for _, l := range f.events {
		if l.version > from || l.kind == "BOOKMARK" {
			// A real server's chunks are not its events.
			steps = append(steps, replay.Write(l.bytes[:len(l.bytes)/2]), replay.Write(l.bytes[len(l.bytes)/2:]))
		}
	}
	return append(steps, replay.End())
}

// page is one of the two of a list.
func (f *forgetful) page(token string) []replay.Step {
	version, objects := firstList, f.before
	if f.forgotten.Load() {
		version, objects = secondList, f.after
	}
	next := "the-rest"
	if token == "" {
		objects = objects[:1]
	} else {
		next, objects = "", objects[1:]
	}
	var items []string
	for _, object := range objects {
		items = append(items, strings.Replace(object, `"kind":"ConfigMap","apiVersion":"v1",`, "", 1))
	}
	return replay.JSON(200, replay.ListPage(version, next, items...))
}

// initial is a watch that begins with what exists.
func (f *forgetful) initial() []replay.Step {
	objects, mark := f.before, strings.Replace(initialEnd, secondList, firstList, 1)
	if f.forgotten.Load() {
		objects, mark = f.after, initialEnd
	}
	var body strings.Builder
	for _, object := range objects {
		body.WriteString(replay.EventOf("ADDED", object))
	}
	return stream200(body.String()+mark, replay.End())
}

// recordedItems reads the objects of a recorded list.
func recordedItems(t testing.TB, file string) (lines []recordedLine) {
	t.Helper()
	raw, err := os.Open(filepath.Join("..", "testdata", "recordings", file))
	require.NoError(t, err)
	defer raw.Close()
	resp, err := http.ReadResponse(bufio.NewReader(raw), nil)
	require.NoError(t, err)
	r := decode.NewListReader(resp.Body, 0)
	for {
		item, err := r.Next()
		if err != nil {
			return lines
		}
		lines = append(lines, recordedLine{
			object: string(item.Object), kind: "ADDED",
			name: string(item.Name), uid: string(item.UID), version: string(item.ResourceVersion),
		})
	}
}

// short leaves out of a recorded object what is most of it: every byte is a
// run, and those of managedFields are like others.
func short(object string) string {
	head, rest, _ := strings.Cut(object, `,"creationTimestamp":`)
	_, tail, _ := strings.Cut(rest, `]},"data"`)
	return head + `},"data"` + tail
}

// told is an event as package history compares it.
func told(ev stream.Event) history.Event {
	return history.Event{
		Type: string(ev.Type), Namespace: ev.Namespace, Name: ev.Name,
		UID: ev.UID, Version: ev.ResourceVersion, Inferred: ev.Inferred, Partial: ev.Partial,
	}
}
