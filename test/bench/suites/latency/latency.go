// Package latency measures how late events come, from the moment at which the
// server begins to write one to that at which the consumer has it, at a
// thousand events a second on one stream. Both look at the clock of the one
// machine.
package latency

import (
	"context"
	"time"

	"example.com/rawwatch/test/bench/crowd"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/watchserver"
)

// Suite returns the suite.
func Suite() measure.Suite {
	return measure.Suite{
		Name:    "latency",
		Title:   "Latency of an event, at 1,000 a second",
		Figures: []string{"p50 ms", "p99 ms", "CPU ms", "events"},
		Modules: []string{"k8s.io/client-go"},
		Bars:    []measure.Bar{{Figure: "p50 ms", Contender: crowd.Rawwatch, Against: crowd.Lines, AtMost: 1.2}},
		Cases: func(ctx context.Context, o measure.Options) ([]measure.Case, func(), error) {
			wait := 5 * time.Second
			if o.Once {
				wait = 100 * time.Millisecond
			}
			server, err := watchserver.Start(o.Folder, watchserver.Options{Every: time.Millisecond})
			if err != nil {
				return nil, nil, err
			}
			contenders, err := crowd.Contenders(ctx, o.Folder, server, crowd.Task{Watches: 1, Wait: wait}, nil)
			return []measure.Case{{Name: "1,000 events a second", Contenders: contenders}}, server.End, err
		},
	}
}
