// Command rawwatch watches with this library, as a program that embeds it does.
package main

import (
	"context"
	"flag"
	"net/url"
	"runtime"

	"example.com/rawwatch/kubeconfig/transport"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/bench/peers/internal/self"
	"example.com/rawwatch/test/bench/peers/internal/task"
)

func main() {
	t := task.Flags()
	streaming := flag.Bool("stream", false, "begin with a streaming list")
	metadata := flag.Bool("metadata", false, "ask for metadata only")
	page := flag.Int("page", 0, "page size of a list")
	live := flag.Bool("live", false, "report how much memory lives at the end that did not at the start")
	flag.Parse()

	server, err := url.Parse(t.Server)
	if err != nil {
		self.Fail(err)
	}
	token, err := transport.Token(t.Token)
	if err != nil {
		self.Fail(err)
	}
	client, err := transport.NewClient(transport.Config{
		Server: server, Credential: token, TLS: transport.TLS{CA: transport.Source{File: t.CA}},
	})
	if err != nil {
		self.Fail(err)
	}
	w := stream.Watcher{
		Client: client, Server: server, PageSize: *page,
		Target: stream.Target{Version: "v1", Resource: "pods", Namespace: t.Namespace},
	}
	if *streaming {
		w.Start = stream.StartStream
	}
	if *metadata {
		w.View = stream.MetadataOnly
	}
	if *live {
		before := heap()
		t.Figures = func() map[string]float64 { return map[string]float64{"live MB": heap() - before} }
	}
	synced := false
	for ev, err := range w.Watch(context.Background()) {
		switch {
		case err != nil:
			self.Fail(err)
		case ev.Type == stream.Synced:
			synced = true
		case synced:
			t.Change()
		default:
			t.Object()
		}
	}
}

// heap is what lives on it, in MB.
func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}
