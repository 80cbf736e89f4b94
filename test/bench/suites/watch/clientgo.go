package watch

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	clientwatch "k8s.io/client-go/tools/watch"
)

func retryDynamic(ctx context.Context, s source, event func() bool) error {
	client, err := dynamic.NewForConfig(s.config())
	if err != nil {
		return err
	}
	resource := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: s.resource}).Namespace("default")
	return retry(ctx, &cache.ListWatch{WatchFuncWithContext: resource.Watch}, event)
}

func retryTyped(ctx context.Context, s source, event func() bool) error {
	lw, _, err := s.typed()
	if err != nil {
		return err
	}
	return retry(ctx, lw, event)
}

func retry(ctx context.Context, from cache.WatcherWithContext, event func() bool) error {
	w, err := clientwatch.NewRetryWatcherWithContext(ctx, "1", from)
	if err != nil {
		return err
	}
	defer func() {
		w.Stop()
		<-w.Done()
	}()
	for range w.ResultChan() {
		if event() {
			return nil
		}
	}
	return errors.New("watch: the RetryWatcher has ended")
}

// typed is a watch of Go structs, sent as JSON.
func (s source) typed() (*cache.ListWatch, runtime.Object, error) {
	client, err := kubernetes.NewForConfig(s.config())
	if err != nil {
		return nil, nil, err
	}
	if s.resource == "configmaps" {
		maps := client.CoreV1().ConfigMaps("default")
		return &cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return maps.List(ctx, o)
			},
			WatchFuncWithContext: maps.Watch,
		}, &corev1.ConfigMap{}, nil
	}
	pods := client.CoreV1().Pods("default")
	return &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return pods.List(ctx, o)
		},
		WatchFuncWithContext: pods.Watch,
	}, &corev1.Pod{}, nil
}

// reflector is what is below an informer: a typed watch into a store.
func reflector(ctx context.Context, s source, event func() bool) error {
	lw, object, err := s.typed()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	store := &counting{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), event: event, done: cancel}
	cache.NewReflectorWithOptions(lw, object, store, cache.ReflectorOptions{}).RunWithContext(ctx)
	if !store.ended {
		return errors.New("watch: the reflector has ended")
	}
	return nil
}

// counting is a store that tells of its updates.
type counting struct {
	cache.Store
	event func() bool
	done  func()
	ended bool
}

func (c *counting) Update(object any) error {
	if err := c.Store.Update(object); err != nil {
		return err
	}
	if !c.ended && c.event() {
		c.ended = true
		c.done()
	}
	return nil
}
