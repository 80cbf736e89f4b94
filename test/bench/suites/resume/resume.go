// Package resume measures how long a client is without a watch: from the end of
// a stream that the server ended, as it does at timeoutSeconds, to the next
// request, as the server sees both.
package resume

import (
	"context"
	"slices"
	"time"

	"example.com/rawwatch/test/bench/crowd"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/watchserver"
)

// Suite returns the suite.
func Suite() measure.Suite {
	return measure.Suite{
		Name:    "resume",
		Title:   "From the end of a stream to the next request",
		Rounds:  3,
		Figures: []string{"median ms", "p90 ms", "resumes"},
		Modules: []string{"k8s.io/client-go"},
		Bars:    []measure.Bar{{Figure: "median ms", Contender: crowd.Rawwatch, AtMost: 60}},
		Cases:   cases,
	}
}

func cases(ctx context.Context, o measure.Options) (cases []measure.Case, end func(), err error) {
	var servers []*watchserver.Server
	end = func() {
		for _, s := range servers {
			s.End()
		}
	}
	lives := []struct {
		name string
		crowd.Task
	}{
		{"streams of 1 s", crowd.Task{Watches: 50, Life: time.Second, Wait: 12 * time.Second}},
		{"streams of 10 s", crowd.Task{Watches: 200, Life: 10 * time.Second, Wait: 24 * time.Second}},
	}
	for _, life := range lives {
		if o.Once {
			life.Task = crowd.Task{Watches: 3, Life: time.Second, Wait: 2500 * time.Millisecond}
		}
		server, err := watchserver.Start(o.Folder, watchserver.Options{Life: life.Life})
		if err != nil {
			return nil, end, err
		}
		servers = append(servers, server)
		after := func(f measure.Figures) { add(f, server.Gaps()) }
		// A bare reader does not resume.
		contenders, err := crowd.Contenders(ctx, o.Folder, server, life.Task, after, crowd.Lines)
		if err != nil {
			return nil, end, err
		}
		cases = append(cases, measure.Case{Name: life.name, Contenders: contenders})
	}
	return cases, end, nil
}

// add adds what the gaps say. Without any there are no figures, which the bars
// then miss.
func add(f measure.Figures, gaps []time.Duration) {
	if len(gaps) == 0 {
		return
	}
	slices.Sort(gaps)
	f["median ms"] = float64(gaps[len(gaps)/2]) / 1e6
	f["p90 ms"] = float64(gaps[len(gaps)*9/10]) / 1e6
	f["resumes"] = float64(len(gaps))
}
