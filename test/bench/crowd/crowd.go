// Package crowd makes contenders of the programs of peers/crowd, which watch
// many collections of a watchserver at once.
package crowd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/process"
	"example.com/rawwatch/test/bench/watchserver"
)

// Peers are the programs, by the names that they have in results.
var Peers = []struct{ Name, Program string }{
	{Lines, "lines"},
	{Rawwatch, "rawwatch"},
	{"RetryWatcher", "retrywatcher"},
	{"dynamic informer", "informer"},
}

// The names that bars use.
const (
	Lines    = "lines"
	Rawwatch = "rawwatch"
)

// Task is what a crowd does: so many watches at once, of streams that live so
// long (0: on and on), for so long after all have begun.
type Task struct {
	Watches int
	Life    time.Duration
	Wait    time.Duration
}

// Contenders builds the programs into folder and returns contenders that do the
// task at a server. Those named in without are left out. After, if there is
// one, adds what the server has seen to the figures of each turn.
func Contenders(ctx context.Context, folder string, server *watchserver.Server, t Task, after func(measure.Figures), without ...string) (contenders []measure.Contender, err error) {
	args := append(server.Args(), "-watches", fmt.Sprint(t.Watches), "-life", t.Life.String(), "-wait", t.Wait.String())
	for _, peer := range Peers {
		if slices.Contains(without, peer.Name) {
			continue
		}
		program, err := process.Build(ctx, folder, "crowd/"+peer.Program)
		if err != nil {
			return nil, err
		}
		contenders = append(contenders, measure.Contender{Name: peer.Name, Run: func(ctx context.Context) (measure.Figures, error) {
			server.Gaps() // of the turn before
			figures, err := program.Run(ctx, args...)
			if err == nil && after != nil {
				after(figures)
			}
			return figures, err
		}})
	}
	return contenders, nil
}
