// Package informer runs an informer of client-go for a task.
package informer

import (
	"k8s.io/client-go/tools/cache"

	"example.com/rawwatch/test/bench/peers/internal/self"
	"example.com/rawwatch/test/bench/peers/internal/task"
)

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
