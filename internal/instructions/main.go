package main

import (
	"flag"
	"fmt"
	"os"
)

const (
	recording = "testdata/recordings/pods-300.watch.gz"
	kept      = "internal/instructions/counts.txt"
	tolerance = 1.03
)

func main() {
	update := flag.Bool("update", false, "keep what is counted")
	work := flag.String("work", "", "do the work that is counted: CORPUS,PARSER,PASSES")
	flag.Parse()
	begin := func() error { return run(*update) }
	if *work != "" {
		begin = func() error { return do(*work) }
	}
	if err := begin(); err != nil {
		fmt.Fprintln(os.Stderr, "instructions:", err)
		os.Exit(1)
	}
}

func run(update bool) error {
	now, err := countAll()
	if err != nil {
		return err
	}
	if update {
		return os.WriteFile(kept, now.format(), 0o644)
	}
	text, err := os.ReadFile(kept)
	if err != nil {
		return err
	}
	before, err := parse(text)
	if err != nil {
		return err
	}
	os.Stdout.Write(now.format())
	if now.version != before.version {
		fmt.Printf("not compared: the counts that were kept are of %s; -update keeps these\n", before.version)
		return nil
	}
	return now.worse(before)
}
