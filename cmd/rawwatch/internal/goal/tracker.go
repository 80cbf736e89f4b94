package goal

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/stream"
)

// Tracker follows the events of one or more watches until a goal is met.
type Tracker struct {
	goal     Goal
	objectOf func(stream.Event) json.RawMessage
	sources  map[*stream.Watcher]*source
}

// source is one of the collections.
type source struct {
	name    string
	synced  bool              // and no relist is going on
	asked   bool              // synced once: who was there then is known
	objects map[string]object // by namespace/name; for delete only those that existed
}

type object struct {
	uid string
	met bool
	why string
}

// NewTracker makes a Tracker. names are those of the watches, for Missing;
// objectOf finds the object in an event.
func NewTracker(g Goal, objectOf func(stream.Event) json.RawMessage, names map[*stream.Watcher]string) *Tracker {
	t := &Tracker{goal: g, objectOf: objectOf, sources: map[*stream.Watcher]*source{}}
	for w, name := range names {
		t.sources[w] = &source{name: name, objects: map[string]object{}}
	}
	return t
}

// See looks at an event, and reports whether the goal is met.
func (t *Tracker) See(ev stream.Event) bool {
	s := t.sources[ev.Source]
	if s == nil {
		return false
	}
	switch ev.Type {
	case stream.Synced:
		s.synced, s.asked = true, true
	case stream.Gap:
		s.synced = false // what comes now is half of a list, until it is whole
	case stream.Deleted:
		delete(s.objects, key(ev))
	case stream.Added, stream.Modified:
		t.put(s, ev)
	}
	return t.met()
}

func (t *Tracker) put(s *source, ev stream.Event) {
	o := object{uid: ev.UID, met: true}
	switch {
	case t.goal.judge != nil:
		o.met, o.why = t.goal.judge(t.objectOf(ev))
	case t.goal.gone:
		was, known := s.objects[key(ev)]
		if known && was.uid != ev.UID {
			// Deleted and created again, and nobody told the server's DELETED
			// apart from a change: it is another object now.
			delete(s.objects, key(ev))
			return
		}
		if s.asked && !known {
			return // it came later than the question
		}
		o.why = "is still there"
	}
	s.objects[key(ev)] = o
}

func key(ev stream.Event) string { return human.Name(ev.Namespace, ev.Name) }

func (t *Tracker) met() bool {
	for _, s := range t.sources {
		if !t.metBy(s) {
			return false
		}
	}
	return true
}

func (t *Tracker) metBy(s *source) bool {
	switch {
	case t.goal.gone:
		return s.synced && len(s.objects) == 0
	case t.goal.judge == nil:
		return len(s.objects) > 0 // no list has to be whole for that
	case !s.synced || len(s.objects) == 0:
		return false
	}
	for _, o := range s.objects {
		if !o.met {
			return false
		}
	}
	return true
}

// show is how many objects Missing names.
const show = 3

// Missing says what keeps the goal from being met, in a line.
func (t *Tracker) Missing() string {
	var all []string
	for _, s := range t.sources {
		switch {
		case t.metBy(s):
		case len(s.objects) > 0:
			all = append(all, s.missing(t.goal))
		case s.synced:
			all = append(all, s.name+": there is none")
		default:
			all = append(all, s.name+": what exists has not come whole")
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

func (s *source) missing(g Goal) string {
	var waiting []string
	for _, name := range slices.Sorted(maps.Keys(s.objects)) {
		if o := s.objects[name]; g.gone || !o.met {
			waiting = append(waiting, name+" "+o.why)
		}
	}
	if len(waiting) == 0 {
		return s.name + ": what exists has not come whole"
	}
	more := ""
	if n := len(waiting) - show; n > 0 {
		waiting, more = waiting[:show], fmt.Sprintf(" and %d more", n)
	}
	return s.name + ": " + strings.Join(waiting, ", ") + more
}
