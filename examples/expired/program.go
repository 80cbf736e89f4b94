// Package expired shows how to test a program that watches: what does it do
// when the server has forgotten its resourceVersion?
package expired

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/rawwatch/stream"
)

// myController stands for the program under test, written with whatever client.
// It says which objects exist, once it has been told that history was lost and
// what came of it.
func myController(ctx context.Context, client *http.Client, server *url.URL) (string, error) {
	w := stream.Watcher{Client: client, Server: server, Target: stream.Target{Version: "v1", Resource: "configmaps", Namespace: "t"}}
	exists, lost := map[string]bool{}, false
	for ev, err := range w.Watch(ctx) {
		switch {
		case err != nil:
			return "", err
		case ev.Type == stream.Gap:
			lost = true
		case ev.Type == stream.Deleted:
			delete(exists, ev.Name)
		case ev.Type == stream.Synced && lost:
			return strings.Join(slices.Sorted(maps.Keys(exists)), " "), nil
		case ev.Type != stream.Synced:
			exists[ev.Name] = true
		}
	}
	return "", nil
}
