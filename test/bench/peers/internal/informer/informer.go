// Package informer runs an informer of client-go for a task.
package informer

import (
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"example.com/rawwatch/test/bench/peers/internal/self"
	"example.com/rawwatch/test/bench/peers/internal/task"
)

// Config is what a program in a pod would have: no limits of its own (five
// requests a second would be one), and JSON unless it says otherwise.
func Config(t *task.Task) *rest.Config {
	return &rest.Config{
		Host: t.Server, BearerToken: t.Token, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAFile: t.CA},
	}
}

// Run counts what the informer hands out, until the task ends the process.
func Run(t *task.Task, informer cache.SharedIndexInformer) {
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { t.Object() },
		UpdateFunc: func(_, _ any) { t.Change() },
	})
	if err != nil {
		self.Fail(err)
	}
	informer.Run(nil)
}
