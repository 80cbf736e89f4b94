// Package idle measures what watches cost that have nothing to do: in one
// process, over HTTP/2, one to a thousand of them.
package idle

import (
	"context"
	"fmt"
	"time"

	"example.com/rawwatch/test/bench/crowd"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/watchserver"
)

// Suite returns the suite.
func Suite() measure.Suite {
	return measure.Suite{
		Name:    "idle",
		Title:   "Idle watches in one process",
		Axis:    "watches",
		Rounds:  5,
		Figures: []string{"KB each", "goroutines each", "CPU ms", "synced ms", "peak MB"},
		Modules: []string{"k8s.io/client-go"},
		Bars: []measure.Bar{
			{Case: "1000", Figure: "KB each", Contender: crowd.Rawwatch, AtMost: 40},
			{Case: "1000", Figure: "goroutines each", Contender: crowd.Rawwatch, AtMost: 3},
		},
		Cases: func(ctx context.Context, o measure.Options) (cases []measure.Case, end func(), err error) {
			sizes, wait := []int{1, 10, 100, 1000}, 2*time.Second
			if o.Once {
				sizes, wait = []int{1, 3}, 50*time.Millisecond
			}
			server, err := watchserver.Start(o.Folder, watchserver.Options{})
			if err != nil {
				return nil, nil, err
			}
			for _, n := range sizes {
				contenders, err := crowd.Contenders(ctx, o.Folder, server, crowd.Task{Watches: n, Wait: wait}, nil)
				if err != nil {
					return nil, server.End, err
				}
				cases = append(cases, measure.Case{Name: fmt.Sprint(n), Size: float64(n), Contenders: contenders})
			}
			return cases, server.End, nil
		},
	}
}
