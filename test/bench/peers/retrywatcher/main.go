// Command retrywatcher is a list and client-go's RetryWatcher behind it, with
// the dynamic client: what a program uses that wants events and no cache.
package main

import (
	"context"
	"errors"
	"flag"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	toolswatch "k8s.io/client-go/tools/watch"

	"example.com/rawwatch/test/bench/peers/internal/clientgo"
	"example.com/rawwatch/test/bench/peers/internal/self"
	"example.com/rawwatch/test/bench/peers/internal/task"
)

func main() {
	t := task.Flags()
	flag.Parse()
	client, err := dynamic.NewForConfig(clientgo.Config(t.Server, t.CA, t.Token))
	if err != nil {
		self.Fail(err)
	}
	ctx := context.Background()
	pods := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace(t.Namespace)

	// The version of the list is that of its first page.
	version := ""
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		list, err := pods.List(ctx, o)
		if err == nil && version == "" {
			version = list.GetResourceVersion()
		}
		return list, err
	})
	err = pages.EachListItem(ctx, metav1.ListOptions{}, func(runtime.Object) error {
		t.Object()
		return nil
	})
	if err != nil {
		self.Fail(err)
	}
	w, err := toolswatch.NewRetryWatcherWithContext(ctx, version, &cache.ListWatch{WatchFuncWithContext: pods.Watch})
	if err != nil {
		self.Fail(err)
	}
	for event := range w.ResultChan() {
		if event.Type == watch.Modified {
			t.Change()
		}
	}
	self.Fail(errors.New("the watch is over"))
}
