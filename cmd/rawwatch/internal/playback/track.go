package playback

import (
	"cmp"
	"strings"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Recording is what a recording is about.
type Recording struct {
	Tracks []*Track
	// Took is how long the recording took, from its first record to its last.
	Took time.Duration
	// Unread: so many pieces of lists and watches are in the recording by their
	// length only, since they might have held Secrets.
	Unread int
}

// Track is what a recording holds of one collection.
type Track struct {
	Target stream.Target
	View   stream.View
	// Kind is that of the objects; "" where they do not say.
	Kind string
	// Watcher is what delivers it, once Play has been called.
	Watcher stream.Watcher

	key     string // the track of its questions
	start   stream.Start
	version string // for StartExact
	server  *server
}

// exactVersion stands for a version that nobody knows: that of bare events.
const exactVersion = "1"

// Look reads the rest of a recording for its tracks. An event of more than
// maxFrame bytes is an error, as it is for a watch.
func Look(r *replay.Reader, maxFrame int) (*Recording, error) {
	out := &Recording{}
	script := newScript(maxFrame, func(s step) error { out.meet(s); return nil })
	if err := script.All(r); err != nil {
		return nil, err
	}
	out.Took, out.Unread = script.Now, script.unread
	return out, nil
}

// find is the track of a question, or nil.
func (r *Recording) find(q *question) *Track {
	for _, t := range r.Tracks {
		if t.key == q.track {
			return t
		}
	}
	return nil
}

// meet makes the track of a step, if it is the first one, and takes note of
// what its request does not say.
func (r *Recording) meet(s step) {
	t := r.find(s.question)
	if t == nil {
		t = &Track{key: s.track, Target: s.target, View: s.view}
		if s.pages == nil {
			t.begin(s.question)
		}
		r.Tracks = append(r.Tracks, t)
	}
	if t.Kind == "" && !s.object.IsTable() && s.view == stream.Object {
		t.Kind = string(s.object.Kind)
	}
	if t.Target.Resource == "" && t.Kind != "" {
		t.Target = guess(t.Kind, string(s.object.APIVersion))
	}
}

// begin decides how a watch starts that no list came before.
func (t *Track) begin(q *question) {
	switch {
	case q.bare:
		t.start, t.version = stream.StartExact, exactVersion
	case q.version == "":
		t.start = stream.StartMostRecent
	case q.version == "0":
		t.start = stream.StartAny
	default:
		t.start, t.version = stream.StartExact, q.version
	}
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
	case name == "endpoints":
		return name // the one kind that is a plural already
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"):
		return name + "es"
	case strings.HasSuffix(name, "y") && !strings.HasSuffix(name, "ey"):
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}
