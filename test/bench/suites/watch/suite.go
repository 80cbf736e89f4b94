package watch

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"example.com/rawwatch/test/bench/endless"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/process"
)

const (
	ownedName     = "rawwatch stream"
	untrackedName = "rawwatch stream, untracked"
	lentName      = "rawwatch decode, lent"

	podsName  = "pods"
	smallName = "small ConfigMaps"
)

// contenders, and how many cycles of events each reads in a turn. Those of
// client-go take some twenty times as long.
var contenders = []struct {
	name   string
	cycles int
	watch  func(ctx context.Context, s source, event func() bool) error
}{
	{"lines", 16, lines},
	{lentName, 16, lent},
	{untrackedName, 16, untracked},
	{ownedName, 16, tracked},
	{"encoding/json", 3, standard},
	{"RetryWatcher, dynamic", 2, retryDynamic},
	{"RetryWatcher, typed", 2, retryTyped},
	{"Reflector, typed", 2, reflector},
}

// Suite is the suite.
func Suite() measure.Suite {
	return measure.Suite{
		Name:    "watch",
		Title:   "Events of a watch",
		Figures: []string{cpu, speed, allocations},
		Bars: []measure.Bar{
			{Case: podsName, Figure: speed, Contender: ownedName, Against: lentName, AtLeast: 0.5},
			// Two of its own; the hundredth is for what the runtime allocates
			// in between.
			{Case: podsName, Figure: allocations, Contender: ownedName, AtMost: 2.01},
			{Case: smallName, Figure: allocations, Contender: ownedName, AtMost: 2.01},
		},
		Modules: []string{"k8s.io/client-go"},
		Cases:   cases,
	}
}

func cases(ctx context.Context, o measure.Options) (all []measure.Case, end func(), err error) {
	var stops []func()
	end = func() {
		for _, stop := range stops {
			stop()
		}
	}
	added, err := endless.Pods()
	if err != nil {
		return nil, end, err
	}
	events := endless.Changes(added)
	memory := &url.URL{Scheme: "http", Host: "memory.test"}
	small := &endless.Server{Kind: "ConfigMap", Events: endless.Changes(endless.ConfigMaps())}
	large := &endless.Server{Kind: "Pod", Events: events}
	inMemory := source{name: podsName, resource: "pods", bytes: len(events), memory: large, url: memory}
	sources := []source{inMemory, {name: smallName, resource: "configmaps", bytes: len(small.Events), memory: small, url: memory}}

	file := filepath.Join(o.Folder, "events")
	if err := os.WriteFile(file, events, 0o600); err != nil {
		return nil, end, err
	}
	program, err := process.Build(ctx, o.Folder, "endless")
	if err != nil {
		return nil, end, err
	}
	for _, wire := range []struct {
		name string
		args []string
	}{{"pods, HTTP/1.1", nil}, {"pods, HTTP/1.1 and TLS", []string{"-tls"}}, {"pods, HTTP/2 and TLS", []string{"-tls", "-http2"}}} {
		s, stop, err := inMemory.dial(ctx, program, append(wire.args, "-events", file)...)
		if stop != nil {
			stops = append(stops, stop)
		}
		if err != nil {
			return nil, end, err
		}
		s.name = wire.name
		sources = append(sources, s)
	}

	for _, s := range sources {
		c := measure.Case{Name: s.name}
		for _, contender := range contenders {
			cycles := contender.cycles
			if o.Once {
				cycles = 1
			}
			c.Contenders = append(c.Contenders, measure.Contender{Name: contender.name, Run: func(ctx context.Context) (measure.Figures, error) {
				runtime.GC() // what the one before has left is not this one's
				m := meter{end: (1 + cycles) * endless.Cycle}
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				if err := contender.watch(ctx, s, m.event); err != nil {
					return nil, err
				}
				return m.figures(s.bytes), nil
			}})
		}
		all = append(all, c)
	}
	return all, end, nil
}
