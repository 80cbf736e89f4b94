package cli

import (
	"context"
	"slices"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/stream"
)

// namespaceTimeout bounds a question that is asked for the sake of a warning:
// the watch waits for its answer.
const namespaceTimeout = 5 * time.Second

// missing warns of namespaces that are not there. An empty watch looks the
// same in one that is quiet as in one that was mistyped. nil asks nothing.
type missing struct {
	client  *discovery.Client
	sources []*source
	asked   map[string]bool // by namespace
}

// missing is for watches whose types were found by discovery. Of a path the
// server is asked as it stands, and nothing else.
func (a *ask) missing(client *discovery.Client, sources []*source) *missing {
	if len(a.types) == 0 {
		return nil
	}
	return &missing{client: client, sources: sources, asked: map[string]bool{}}
}

// begin asks for the namespaces of watches that list nothing: of them it never
// shows whether there is something.
func (m *missing) begin(ctx context.Context) {
	if m == nil {
		return
	}
	for _, s := range m.sources {
		if s.watcher.Start == stream.StartNow && s.watcher.Checkpoint == nil {
			m.look(ctx, s)
		}
	}
}

// look asks for the namespace of a source, unless something in it has come.
func (m *missing) look(ctx context.Context, s *source) {
	if m == nil {
		return
	}
	namespace := s.target.Namespace
	lives := func(s *source) bool { return s.any && s.target.Namespace == namespace }
	if namespace == "" || m.asked[namespace] || slices.ContainsFunc(m.sources, lives) {
		return
	}
	m.asked[namespace] = true
	ctx, cancel := context.WithTimeout(ctx, namespaceTimeout)
	defer cancel()
	if m.client.LacksNamespace(ctx, namespace) {
		s.tell.Say("warning: the server has no namespace %q; what is made in it will be shown", namespace)
	}
}
