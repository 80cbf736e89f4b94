package e2e

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"example.com/rawwatch/test/cluster"
)

// listing is a ListerWatcher that client-go does not ask for a streaming list.
type listing struct{ cache.ListerWatcher }

func (listing) IsWatchListSemanticsUnSupported() bool { return true }

// typed lists and watches the ConfigMaps of namespace t as a generated client
// does. Those are left out: to compile them all takes minutes.
func typed(t *testing.T, c *rest.Config) cache.ListerWatcher {
	scheme := runtime.NewScheme()
	require.NoError(t, corev1.AddToScheme(scheme))
	config := rest.CopyConfig(c)
	config.APIPath = "/api"
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	require.NoError(t, err)
	return cache.NewListWatchFromClient(client, "configmaps", "t", fields.Everything())
}

// informerKinds are the ways to make an informer of ConfigMaps of namespace t.
var informerKinds = map[string]func(t *testing.T, c *rest.Config) cache.SharedInformer{
	"typed, streaming": func(t *testing.T, c *rest.Config) cache.SharedInformer {
		return cache.NewSharedInformer(typed(t, c), &corev1.ConfigMap{}, 0)
	},
	"typed, listing": func(t *testing.T, c *rest.Config) cache.SharedInformer {
		return cache.NewSharedInformer(listing{typed(t, c)}, &corev1.ConfigMap{}, 0)
	},
	"dynamic, streaming": func(t *testing.T, c *rest.Config) cache.SharedInformer {
		client, err := dynamic.NewForConfig(c)
		require.NoError(t, err)
		maps := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace("t")
		return cache.NewSharedInformer(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				return maps.List(ctx, o)
			},
			WatchFuncWithContext: maps.Watch,
		}, &unstructured.Unstructured{}, 0)
	},
}

// sightings are the versions of each object that an informer showed its
// handler.
type sightings struct {
	mu   sync.Mutex
	seen map[string][]string
}

func (s *sightings) note(object any) {
	if _, deleted := object.(cache.DeletedFinalStateUnknown); deleted {
		return
	}
	o, err := meta.Accessor(object)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen[o.GetName()] = append(s.seen[o.GetName()], o.GetResourceVersion())
}

func (s *sightings) of(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[name]
}

// client-go's informers, whose first request is a streaming list, or none, see
// in a recording exactly the recorded objects and each of their states, and end
// up with what existed in the end: across a torn frame, and across a loss of
// history.
func TestInformersSeeARecording(t *testing.T) {
	t.Parallel()
	for _, how := range sessions {
		for name, newInformer := range informerKinds {
			t.Run(how.file+", "+name, func(t *testing.T) {
				t.Parallel()
				told := readTale(t, kept+how.file)
				config, err := clientcmd.BuildConfigFromFlags("", serving(t, kept+how.file, "--speed", "max"))
				require.NoError(t, err)
				informer := newInformer(t, config)
				seen := &sightings{seen: map[string][]string{}}
				_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
					AddFunc:    seen.note,
					UpdateFunc: func(_, object any) { seen.note(object) },
				})
				require.NoError(t, err)
				var running sync.WaitGroup
				running.Go(func() { informer.RunWithContext(t.Context()) })
				t.Cleanup(running.Wait)

				stored := func() map[string]string {
					all := map[string]string{}
					for _, object := range informer.GetStore().List() {
						o, err := meta.Accessor(object)
						require.NoError(t, err)
						all[o.GetName()] = o.GetResourceVersion()
					}
					return all
				}
				cluster.Wait(t, patience, "what existed in the end", func() bool {
					return informer.HasSynced() && assert.ObjectsAreEqual(told.final, stored())
				})
				for name, versions := range told.versions {
					cluster.Wait(t, patience, "the last state of "+name, func() bool {
						got := seen.of(name)
						return len(got) > 0 && got[len(got)-1] == versions[len(versions)-1]
					})
					assert.Subset(t, versions, seen.of(name), "%s has states that were not recorded", name)
				}
				assert.Len(t, seen.seen, len(told.versions), "objects that were not recorded, or not all of them")
			})
		}
	}
}
