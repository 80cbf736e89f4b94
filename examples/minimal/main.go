// Minimal watches the pods of the namespace it runs in, with the pod's own
// service account, which needs the verbs list and watch on pods. Build it with
//
//	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' ./examples/minimal
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/rawwatch/kubeconfig/incluster"
	"example.com/rawwatch/stream"
)

func main() {
	config, err := incluster.Load()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	w := stream.Watcher{
		Client: config.Client,
		Server: config.Server,
		Target: stream.Target{Version: "v1", Resource: "pods", Namespace: config.Namespace},
	}
	for ev, err := range w.Watch(context.Background()) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err) // the last pair: why the watch is over
			os.Exit(1)
		}
		fmt.Println(ev.Type, ev.Namespace, ev.Name, ev.ResourceVersion)
	}
}
