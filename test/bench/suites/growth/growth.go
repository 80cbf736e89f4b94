// Package growth measures whole processes over the number of objects that they
// list and watch.
package growth

import (
	"context"
	"fmt"

	"example.com/rawwatch/test/bench/apiserver"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/pods"
	"example.com/rawwatch/test/bench/process"
)

// overIndex is what is held at most beyond 16 MB, by what is remembered of the
// objects at the end.
const overIndex = "(peak − 16 MB) by live MB"

// live is what the peer of rawwatch reports beside.
const live = "live MB"

const raw = "rawwatch"

// Suite is 1,000, 10,000 and 100,000 pods. They are lean: 100,000 of the full
// ones would be about 7 GB in the dynamic informer alone.
func Suite() measure.Suite {
	return measure.Suite{
		Name: "growth", Title: "Growth over the number of objects", Axis: "objects",
		Figures: []string{process.CPU, process.Peak, process.Time, live, overIndex},
		Bars: []measure.Bar{
			{Case: name(100_000), Figure: overIndex, Contender: raw, AtMost: 2.5},
		},
		Modules: []string{"k8s.io/client-go"},
		Rounds:  3,
		Cases:   cases,
	}
}

func name(n int) string { return fmt.Sprintf("%d objects", n) }

var peers = []struct {
	name, program string
	args          []string
}{
	{"lines", "lines", nil},
	{raw, "rawwatch", []string{"-live"}},
	{"metadata informer", "metadata", nil},
	{"typed informer", "typed", nil},
	{"dynamic informer", "dynamic", nil},
}

func cases(ctx context.Context, o measure.Options) (cases []measure.Case, _ func(), err error) {
	server, err := apiserver.Shared(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	set, err := pods.Load(pods.Recording, true)
	if err != nil {
		return nil, nil, err
	}
	programs := make([]process.Program, len(peers))
	for i, p := range peers {
		if programs[i], err = process.Build(ctx, o.Folder, p.program); err != nil {
			return nil, nil, err
		}
	}
	sizes := []int{1_000, 10_000, 100_000}
	if o.Once {
		sizes = []int{10, 20}
	}
	for _, n := range sizes {
		// Each size has a namespace: to list one is not to look at the others.
		task := apiserver.Task{Server: server, Pods: set, Namespace: fmt.Sprintf("growth-%d", n), Objects: n, Changes: 10}
		if err := server.Fill(ctx, set, task.Namespace, n); err != nil {
			return nil, nil, err
		}
		c := measure.Case{Name: name(n), Size: float64(n)}
		for i, p := range peers {
			c.Contenders = append(c.Contenders, measure.Contender{Name: p.name, Run: func(ctx context.Context) (measure.Figures, error) {
				figures, err := task.Do(ctx, programs[i], p.args...)
				if kept, ok := figures[live]; ok {
					figures[overIndex] = (figures[process.Peak] - 16) / kept
				}
				return figures, err
			}})
		}
		cases = append(cases, c)
	}
	return cases, nil, nil
}
