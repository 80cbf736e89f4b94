// Command rawwatch watches with this library: a Watcher for each namespace, one
// client for all.
package main

import (
	"context"
	"net/url"

	"example.com/rawwatch/kubeconfig/transport"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/bench/peers/internal/crowd"
	"example.com/rawwatch/test/bench/peers/internal/self"
)

func main() {
	c := crowd.Flags()
	server, err := url.Parse(c.Server)
	if err != nil {
		self.Fail(err)
	}
	client, err := transport.NewClient(transport.Config{Server: server, TLS: transport.TLS{CA: transport.Source{File: c.CA}}})
	if err != nil {
		self.Fail(err)
	}
	c.Run(func(namespace string, synced func()) {
		w := &stream.Watcher{
			Client: client, Server: server, WatchTimeout: c.Life,
			Target: stream.Target{Version: "v1", Resource: "configmaps", Namespace: namespace},
		}
		go func() {
			for ev, err := range w.Watch(context.Background()) {
				switch {
				case err != nil:
					self.Fail(err)
				case ev.Type == stream.Synced:
					synced()
				default:
					c.Event(ev.Object)
				}
			}
		}()
	})
}
