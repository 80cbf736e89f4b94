// Command bench measures rawwatch next to its peers, keeps what it measured in
// bench/results, and writes it into BENCHMARKS.md at the root of the project.
//
// It is run in the folder test:
//
//	go run ./bench                       # everything
//	go run ./bench -suite scan -rounds 9 # one suite
//	go run ./bench -once                 # the smallest work, nothing is kept
//	go run ./bench -report               # only writes the page anew
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/record"
	"example.com/rawwatch/test/bench/suites"
)

const (
	results = "bench/results"
	page    = "../BENCHMARKS.md"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var (
		only   = flag.String("suite", "", "measure these suites, separated by commas; empty: all")
		rounds = flag.Int("rounds", 0, "turns of each contender; 0: as the suite has it")
		once   = flag.Bool("once", false, "do the smallest work that goes through everything, and keep nothing")
		write  = flag.Bool("report", false, "measure nothing, only write the page anew")
	)
	flag.Parse()
	if err := run(ctx, *only, *rounds, *once, *write); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, rounds int, once, reportOnly bool) error {
	chosen, err := choose(suites.All(), only)
	if err != nil {
		return err
	}
	if !reportOnly {
		var shared measure.Shared
		defer shared.Close()
		for _, s := range chosen {
			if err := measureSuite(ctx, s, rounds, measure.Options{Once: once, Shared: &shared}); err != nil {
				return err
			}
		}
	}
	if once {
		return nil
	}
	return suites.Page().Write(results, page)
}

func choose(all []measure.Suite, only string) (chosen []measure.Suite, err error) {
	if only == "" {
		return all, nil
	}
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(all, func(s measure.Suite) bool { return s.Name == name })
		if i < 0 {
			var names []string
			for _, s := range all {
				names = append(names, s.Name)
			}
			return nil, fmt.Errorf("bench: no suite %q; there are %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// measureSuite measures a suite and, unless it is done once, keeps the results.
func measureSuite(ctx context.Context, s measure.Suite, rounds int, o measure.Options) (err error) {
	if o.Folder, err = os.MkdirTemp("", "rawwatch-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(o.Folder)
	switch {
	case o.Once:
		rounds = 1
	case rounds == 0 && s.Rounds != 0:
		rounds = s.Rounds
	case rounds == 0:
		rounds = measure.Rounds
	}
	f := record.File{
		Suite:   s.Name,
		Command: fmt.Sprintf("go run ./bench -suite %s -rounds %d", s.Name, rounds),
		Date:    time.Now().UTC().Format(time.DateOnly),
		Machine: record.ThisMachine(),
		Go:      runtime.Version(),
	}
	if f.Versions, err = record.Versions(ctx, s.Modules); err != nil {
		return err
	}
	if f.Results, err = measure.Run(ctx, s, o, rounds, os.Stderr); err != nil || o.Once {
		return err
	}
	return f.Write(results)
}
