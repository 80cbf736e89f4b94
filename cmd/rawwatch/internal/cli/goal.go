package cli

import (
	"context"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/goal"
	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/query"
	"example.com/rawwatch/stream"
)

// waits reads --for, and refuses what keeps a goal from being judged.
func (a *ask) waits(given func(string) bool) error {
	if !given("for") {
		return nil
	}
	g, err := goal.Parse(a.waitFor, compileQuery)
	if err != nil {
		return badExpression("--for", err)
	}
	a.goal = g
	switch {
	case a.once:
		return usagef("--for waits for what may come later, and --once ends before that; leave out one of them")
	case a.count > 0:
		return usagef("--for and --count both say when to stop; leave out one of them")
	case given("checkpoint"):
		return usagef("--for has to see what exists, and --checkpoint goes on after it; leave out one of them")
	case a.begin != stream.StartList && a.begin != stream.StartStream:
		return usagef("--for has to see what exists: leave out --start now, --watch-only, --resource-version and -o raw")
	case a.noTrack:
		return usagef("--for has to know what exists, and --no-track remembers nothing; leave out one of them")
	case g.NeedsObject() && a.metadataOnly:
		return usagef("--for %s looks into the object, and --metadata-only leaves it out", g)
	}
	return nil
}

// tracker follows the goal through the sources; nil if there is none.
func (a *ask) tracker(sources []*source) *goal.Tracker {
	if !a.goal.Asked() {
		return nil
	}
	names := map[*stream.Watcher]string{}
	for _, s := range sources {
		names[s.watcher] = s.what()
	}
	return goal.NewTracker(a.goal, output.ObjectOf, names)
}

// reached tells that the goal is met, which nothing on standard output says.
func (l *loop) reached(from *source) {
	from.tell.Say("--for is met, after %s", human.Short(time.Since(l.began)))
}

// compileQuery compiles the expression of jq=.
func compileQuery(expression string) (goal.Query, error) {
	f, err := query.Compile(expression)
	if err != nil {
		return nil, err
	}
	return func(object []byte) (bool, error) { return f.Is(context.Background(), object) }, nil
}
