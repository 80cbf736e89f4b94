// Package suites is the list of all suites. Each is a package of its own below
// this folder; a new one has to be named here, and its section put into the
// page by hand, once.
package suites

import (
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/suites/growth"
	"example.com/rawwatch/test/bench/suites/idle"
	"example.com/rawwatch/test/bench/suites/latency"
	"example.com/rawwatch/test/bench/suites/lists"
	"example.com/rawwatch/test/bench/suites/load"
	"example.com/rawwatch/test/bench/suites/resume"
	"example.com/rawwatch/test/bench/suites/scan"
	"example.com/rawwatch/test/bench/suites/size"
	"example.com/rawwatch/test/bench/suites/watch"
	"example.com/rawwatch/test/bench/suites/window"
)

// All returns the suites in the order in which they are measured.
func All() []measure.Suite {
	return []measure.Suite{
		scan.Suite(),
		watch.Suite(),
		lists.Suite(),
		load.Suite(),
		growth.Suite(),
		idle.Suite(),
		resume.Suite(),
		latency.Suite(),
		window.Suite(),
		size.Suite(),
	}
}
