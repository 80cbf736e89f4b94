// Command typed is client-go's typed informer, which speaks protobuf.
package main

import (
	"flag"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"example.com/rawwatch/test/bench/peers/internal/clientgo"
	"example.com/rawwatch/test/bench/peers/internal/informer"
	"example.com/rawwatch/test/bench/peers/internal/self"
	"example.com/rawwatch/test/bench/peers/internal/task"
)

func main() {
	t := task.Flags()
	flag.Parse()
	config := clientgo.Config(t.Server, t.CA, t.Token)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		self.Fail(err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(t.Namespace))
	informer.Run(t, factory.Core().V1().Pods().Informer())
}
