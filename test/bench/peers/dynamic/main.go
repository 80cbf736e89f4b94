// Command dynamic is client-go's dynamic informer: unstructured objects, JSON.
package main

import (
	"flag"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"

	"example.com/rawwatch/test/bench/peers/internal/clientgo"
	"example.com/rawwatch/test/bench/peers/internal/informer"
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
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, t.Namespace, nil)
	informer.Run(t, factory.ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Informer())
}
