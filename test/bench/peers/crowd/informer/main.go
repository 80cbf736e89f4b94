// Command informer is client-go's dynamic informer, one for each namespace.
package main

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

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
	seen := func(object any) {
		now := time.Now()
		if u, ok := object.(*unstructured.Unstructured); ok {
			if sent, ok := u.GetAnnotations()["sent"]; ok {
				c.Sent(sent, now)
			}
		}
	}
	c.Run(func(namespace string, synced func()) {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
		informer := factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}).Informer()
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { synced() },
			UpdateFunc: func(_, object any) { seen(object) },
		})
		if err != nil {
			self.Fail(err)
		}
		go informer.Run(nil)
	})
}
