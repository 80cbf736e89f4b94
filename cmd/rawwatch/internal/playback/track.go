package playback

import (
	"cmp"
	"net/url"
	"strings"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Track is what a recording holds of one collection.
type Track struct {
	Target stream.Target
	View   stream.View
	// Kind is that of the objects; "" where they do not say.
	Kind string
	// Watcher is what delivers it, once Watch has been called.
	Watcher stream.Watcher

	start   stream.Start
	version string // for StartExact
	script  replay.Script

	key  string        // what its requests have in common
	at   time.Duration // of its last step
	run  []page        // a list whose last page has not come
	open bool          // the last exchange of script is a watch that goes on
	gone string        // the last ERROR event that said so
}

// page is one page of a list: the token it was asked for with, and that of the
// page behind it.
type page struct{ token, next, body string }

// exactVersion stands for a version that nobody knows: that of bare events.
const exactVersion = "1"

// find is the track of an exchange, or nil.
func (l *loader) find(e *exchange) *Track {
	key := e.key()
	for _, t := range l.tracks {
		if t.key == key {
			return t
		}
	}
	return nil
}

func (e *exchange) key() string {
	return strings.Join([]string{e.path, e.query.Get("labelSelector"), e.query.Get("fieldSelector"), string(rune('0' + e.view))}, "\x00")
}

// track is the track of an exchange, made if there is none. first is an object
// of it, for what the request does not say.
func (l *loader) track(e *exchange, first *decode.Meta) *Track {
	t := l.find(e)
	if t == nil {
		t = &Track{key: e.key(), at: l.now, View: e.view}
		if e.path != "" {
			t.Target, _ = stream.ParsePath(e.path) // request has looked
			t.Target.LabelSelector = e.query.Get("labelSelector")
			t.Target.FieldSelector = e.query.Get("fieldSelector")
		}
		l.tracks = append(l.tracks, t)
	}
	if t.Kind == "" && !first.IsTable() && e.view == stream.Object {
		t.Kind = string(first.Kind)
	}
	if t.Target.Resource == "" && t.Kind != "" {
		t.Target = guess(t.Kind, string(first.APIVersion))
	}
	return t
}

// guess names the collection of objects that were recorded without a request.
// Only a server knows the plural for certain; it is for people here.
func guess(kind, apiVersion string) stream.Target {
	group, version, found := strings.Cut(apiVersion, "/")
	if !found {
		group, version = "", apiVersion
	}
	return stream.Target{Group: group, Version: cmp.Or(version, "v1"), Resource: plural(kind)}
}

// Path is where a server most likely has the objects of a kind, or of a list
// of it.
func Path(kind, apiVersion string) string {
	t := guess(strings.TrimSuffix(kind, "List"), apiVersion)
	if t.Group == "" {
		return "/api/" + t.Version + "/" + t.Resource
	}
	return "/apis/" + t.Group + "/" + t.Version + "/" + t.Resource
}

// plural is what the plural of a kind most often is.
func plural(kind string) string {
	name := strings.ToLower(kind)
	switch {
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ey"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

// event adds a line to the watch of t. version is the one that the recorded
// watch began from.
func (t *Track) event(pause time.Duration, version, line string) {
	if len(t.script) == 0 {
		t.begin(version)
	}
	t.watch()
	t.step(pause, replay.Write(line+"\n"))
}

// watch opens a watch if none is open.
func (t *Track) watch() {
	if !t.open {
		t.open = true
		request := replay.Request{Query: map[string]string{"watch": "true"}}
		t.script = append(t.script, replay.Exchange{Request: request, Answer: []replay.Step{replay.Respond(200)}})
	}
}

// begin decides how a watch starts that no list came before.
func (t *Track) begin(version string) {
	switch {
	case t.key == (&exchange{}).key():
		t.start, t.version = stream.StartExact, exactVersion
	case version == "":
		t.start = stream.StartMostRecent
	case version == "0":
		t.start = stream.StartAny
	default:
		t.start, t.version = stream.StartExact, version
	}
}

// list adds the list in run. A watch before it ends in a loss of history: the
// recorded client had a reason to list again.
func (t *Track) list(pause time.Duration) {
	if len(t.script) > 0 {
		t.watch()
		t.close(replay.Write(cmp.Or(t.gone, listedAgain)+"\n"), replay.End())
	}
	t.gone = ""
	for _, p := range t.run {
		request := replay.Request{Query: map[string]string{"watch": "", "continue": p.token}}
		t.script = append(t.script, replay.Exchange{Request: request})
		if pause > 0 {
			t.step(0, replay.Pause(pause))
			pause = 0
		}
		t.step(0, replay.JSON(200, p.body)...)
	}
	t.run = nil
}

var listedAgain = strings.TrimSuffix(replay.EventOf("ERROR", `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",`+
	`"message":"the recorded client listed again","reason":"Expired","code":410}`), "\n")

// close ends the watch that is open, if one is.
func (t *Track) close(steps ...replay.Step) {
	if t.open {
		t.open = false
		t.step(0, steps...)
	}
}

// step appends to the answer of the last exchange.
func (t *Track) step(pause time.Duration, steps ...replay.Step) {
	last := &t.script[len(t.script)-1]
	if pause > 0 {
		last.Answer = append(last.Answer, replay.Pause(pause))
	}
	last.Answer = append(last.Answer, steps...)
}

// server is where the requests of a playback go; no host of this name exists.
var server = url.URL{Scheme: "http", Host: "recording.invalid"}
