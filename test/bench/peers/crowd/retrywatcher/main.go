// Command retrywatcher is client-go's RetryWatcher behind a list, one for each
// namespace, with the dynamic client.
package main

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/watch"

	"example.com/rawwatch/test/bench/peers/internal/clientgo"
	"example.com/rawwatch/test/bench/peers/internal/crowd"
	"example.com/rawwatch/test/bench/peers/internal/self"
)

func main() {
	c := crowd.Flags()
	client, err := dynamic.NewForConfig(clientgo.Config(c.Server, c.CA, c.Token))
	if err != nil {
		self.Fail(err)
	}
	c.Run(func(namespace string, synced func()) {
		maps := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Namespace(namespace)
		go func() { self.Fail(read(c, maps, synced)) }()
	})
}

func read(c *crowd.Crowd, maps dynamic.ResourceInterface, synced func()) error {
	ctx := context.Background()
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	w, err := watch.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{WatchFuncWithContext: maps.Watch})
	if err != nil {
		return err
	}
	synced()
	for event := range w.ResultChan() {
		now := time.Now()
		if u, ok := event.Object.(*unstructured.Unstructured); ok {
			if sent, ok := u.GetAnnotations()["sent"]; ok {
				c.Sent(sent, now)
			}
		}
	}
	return errors.New("the watch is over")
}
