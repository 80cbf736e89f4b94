// Package load measures whole processes that list and watch 5,000 realistic
// pods of a real API server.
package load

import (
	"context"

	"example.com/rawwatch/test/bench/apiserver"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/pods"
	"example.com/rawwatch/test/bench/process"
)

const (
	objects  = "the objects"
	metadata = "their metadata alone"

	lines     = "lines"
	raw       = "rawwatch"
	streaming = "rawwatch, streaming list"
	typed     = "typed informer"
	partial   = "metadata informer"
)

// Suite is 5,000 pods, 40 MB of JSON, and 500 changes.
func Suite() measure.Suite {
	return measure.Suite{
		Name: "load", Title: "5,000 pods of a real API server",
		Figures: []string{process.CPU, process.Peak, process.Time},
		Bars: []measure.Bar{
			{Case: objects, Figure: process.CPU, Contender: raw, Against: lines, AtMost: 1.3},
			{Case: objects, Figure: process.CPU, Contender: streaming, Against: lines, AtMost: 1.3},
			{Case: objects, Figure: process.CPU, Contender: raw, Against: typed, AtMost: 1},
			{Case: objects, Figure: process.Peak, Contender: raw, AtMost: 16},
			{Case: objects, Figure: process.Peak, Contender: streaming, AtMost: 16},
			{Case: metadata, Figure: process.CPU, Contender: raw, Against: partial, AtMost: 1},
			{Case: metadata, Figure: process.Peak, Contender: raw, Against: partial, AtMost: 1},
		},
		Modules: []string{"k8s.io/client-go"},
		Cases:   cases,
	}
}

// peers are what is measured: a name, a program of peers/, its arguments.
var peers = []struct {
	of, name, program string
	args              []string
}{
	{objects, lines, "lines", nil},
	{objects, "lines, gzip", "lines", []string{"-gzip"}},
	{objects, raw, "rawwatch", nil},
	{objects, streaming, "rawwatch", []string{"-stream"}},
	{objects, typed, "typed", nil},
	{objects, "RetryWatcher", "retrywatcher", nil},
	{objects, "dynamic informer", "dynamic", nil},
	{metadata, raw, "rawwatch", []string{"-metadata"}},
	{metadata, streaming, "rawwatch", []string{"-metadata", "-stream"}},
	{metadata, partial, "metadata", nil},
}

func cases(ctx context.Context, o measure.Options) ([]measure.Case, func(), error) {
	server, err := apiserver.Shared(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	set, err := pods.Load(pods.Recording, false)
	if err != nil {
		return nil, nil, err
	}
	task := apiserver.Task{Server: server, Pods: set, Namespace: "load", Objects: 5000, Changes: 500}
	if o.Once {
		task.Objects, task.Changes = 50, 5
	}
	if err := server.Fill(ctx, set, task.Namespace, task.Objects); err != nil {
		return nil, nil, err
	}
	built := map[string]process.Program{}
	cases := []measure.Case{{Name: objects}, {Name: metadata}}
	for _, p := range peers {
		if _, ok := built[p.program]; !ok {
			if built[p.program], err = process.Build(ctx, o.Folder, p.program); err != nil {
				return nil, nil, err
			}
		}
		run := func(ctx context.Context) (measure.Figures, error) { return task.Do(ctx, built[p.program], p.args...) }
		for i := range cases {
			if cases[i].Name == p.of {
				cases[i].Contenders = append(cases[i].Contenders, measure.Contender{Name: p.name, Run: run})
			}
		}
	}
	return cases, nil, nil
}
