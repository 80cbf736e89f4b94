package suites

import "example.com/rawwatch/test/bench/report"

// Page is the page that the suites fill.
func Page() report.Page {
	return report.Page{
		Suites:  All(),
		Columns: []string{"rawwatch", "RetryWatcher", "dynamic informer", "typed informer"},
		Costs:   costs(),
	}
}

// costs are what an engineer asks first who has to choose: a figure of each
// suite that has one.
func costs() []report.Cost {
	return []report.Cost{
		{What: "the smallest program that watches, MB", Suite: "size", Case: "a program", Figure: "MB",
			Of: []string{"minimal watch in a pod", "RetryWatcher", "dynamic informer", "typed informer"}},
		{What: "list and watch 5,000 pods of 8 KB: CPU ms", Suite: "load", Case: "the objects", Figure: "CPU ms",
			Of: []string{"rawwatch", "RetryWatcher", "dynamic informer", "typed informer"}},
		{What: "the same: peak of memory, MB", Suite: "load", Case: "the objects", Figure: "peak MB",
			Of: []string{"rawwatch", "RetryWatcher", "dynamic informer", "typed informer"}},
		{What: "100,000 pods of 2 KB: peak of memory, MB", Suite: "growth", Case: "100000 objects", Figure: "peak MB",
			Of: []string{"rawwatch", "", "dynamic informer", "typed informer"}},
		{What: "one event of a pod: CPU µs", Suite: "watch", Case: "pods", Figure: "CPU µs/event",
			Of: []string{"rawwatch stream", "RetryWatcher, dynamic", "", "Reflector, typed"}},
		{What: "the same: allocations", Suite: "watch", Case: "pods", Figure: "allocs/event",
			Of: []string{"rawwatch stream", "RetryWatcher, dynamic", "", "Reflector, typed"}},
		{What: "an idle watch, of 1,000: KB", Suite: "idle", Case: "1000", Figure: "KB each",
			Of: []string{"rawwatch", "RetryWatcher", "dynamic informer"}},
		{What: "the same: goroutines", Suite: "idle", Case: "1000", Figure: "goroutines each",
			Of: []string{"rawwatch", "RetryWatcher", "dynamic informer"}},
		{What: "an event at 1,000 a second, from write to caller: ms (p50)", Suite: "latency", Case: "1,000 events a second", Figure: "p50 ms",
			Of: []string{"rawwatch", "RetryWatcher", "dynamic informer"}},
		{What: "without a watch after a stream's end: ms (median)", Suite: "resume", Case: "streams of 10 s", Figure: "median ms",
			Of: []string{"rawwatch", "RetryWatcher", "dynamic informer"}},
	}
}
