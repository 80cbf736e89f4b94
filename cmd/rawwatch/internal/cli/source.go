package cli

import (
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
)

// source is one of the collections to watch, most often the only one: what
// discovery said about it, and then the watch itself.
type source struct {
	target stream.Target
	kind   string // "" when a path was given
	// everywhere: the objects have namespaces, and all of them are watched.
	everywhere bool
	// label tells it from the other sources in the story; "" if it is the only
	// one.
	label string

	watcher *stream.Watcher
	tell    *story.Story
	synced  bool // once at least
	any     bool // an object has come
}

// what names it in a sentence.
func (s *source) what() string {
	if s.everywhere {
		return s.target.String() + " in all namespaces"
	}
	return s.target.String()
}

// label gives each of several sources a short name.
func label(sources []*source) {
	if len(sources) < 2 {
		return
	}
	namespaces := map[string]bool{}
	for _, s := range sources {
		if s.target.Namespace != "" {
			namespaces[s.target.Namespace] = true
		}
	}
	for _, s := range sources {
		s.label = (stream.Target{Group: s.target.Group, Resource: s.target.Resource}).String()
		if len(namespaces) > 1 && s.target.Namespace != "" {
			s.label += " in " + s.target.Namespace
		}
	}
}

// makeWatch makes the watch of a source.
func (a *ask) makeWatch(s *source, config *kubeconfig.Config, tell *story.Story, saving *saving) {
	s.tell = tell
	if s.label != "" {
		s.tell = tell.Of(s.label)
	}
	s.tell.Has(story.Traits{
		ListsHidden: a.printing.format() == output.Raw,
		Named:       s.target.Name != "",
		Persistent:  a.persist,
	})
	s.watcher = a.watcher()
	s.watcher.Client, s.watcher.Server, s.watcher.Target = config.Client, config.Server, s.target
	s.watcher.Trace = s.tell.Trace()
	what := s.what()
	if s.kind == "" && s.target.Namespace == "" {
		what += " in the whole cluster" // whether it has namespaces is for discovery to know
	}
	saving.keep(s.watcher)
	what += saving.since()
	s.tell.Watching(what, config.Server.Host)
}

// printed is the source as the printer knows it.
func (s *source) printed() output.Source {
	p := output.Source{
		Watcher: s.watcher, Group: s.target.Group, Kind: s.kind, Resource: s.target.Resource,
		Namespace: s.target.Namespace, Everywhere: s.everywhere,
	}
	// In a view other than the whole object, objects call themselves by the
	// view's kind, so of a path that says none the resource has to do.
	if p.Kind == "" && s.watcher.View != stream.Object {
		p.Kind = p.Resource
	}
	return p
}
