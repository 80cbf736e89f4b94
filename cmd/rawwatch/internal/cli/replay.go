package cli

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/playback"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream"
)

// replayed are the flags of replay.
type replayed struct {
	printing printing
	count    count
	speed    pace
	maxFrame size
}

func newReplay(streams Streams) *cobra.Command {
	f := &replayed{maxFrame: defaultMaxFrame}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Print a recording's events as the watch would",
		Long: `Print the events of a recording as a watch delivers them: each once, deletes that
only a relist showed, gaps. FILE is a recording of rawwatch, lines of events as
kubectl's --output-watch-events -o json prints them, or an answer as curl -i --raw
writes it, in gzip or not; - is standard input.

What the network did is left out: rawwatch serve shows it to a client. With -o raw
it is the lines of its watches as they were received, ERROR events and what came
twice among them, and no lists.`,
		Example: `  rawwatch replay pods.rwr
  rawwatch replay pods.rwr.gz -o json --speed original
  kubectl get pods -w -o json --output-watch-events | jq -c | rawwatch replay -`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.printing.check(cmd.Flags().Changed); err != nil {
				return err
			}
			return f.run(cmd.Context(), args[0], streams)
		},
	}
	set := cmd.Flags()
	set.Var(&f.count, "count", "stop after this many events")
	f.printing.add(set)
	set.Var(&f.speed, "speed", "how fast: as it was recorded, N times as fast, or without pauses")
	set.Var(&f.maxFrame, "max-frame", "the largest event")
	return cmd
}

func (f *replayed) run(ctx context.Context, name string, streams Streams) error {
	ctx, stop := withReader(ctx, streams.Out)
	defer stop()
	tell := story.New(streams.Err, story.Options{})
	file, err := readRecording(name, streams.In, tell)
	if err != nil {
		return err
	}
	defer file.close()
	r, err := file.open()
	if err != nil {
		return file.failed(err)
	}
	if f.printing.format() == output.Raw {
		return f.lines(ctx, r, file, streams, tell)
	}
	recording, err := playback.Load(r, float64(f.speed), int(f.maxFrame))
	if err != nil {
		return file.failed(err)
	}
	if n := recording.Unread; n > 0 {
		tell.Say("%d lists or pieces of a watch are missing: they might have held Secrets, and only their length was recorded", n)
	}
	p := f.play(ctx, recording, streams, tell)
	switch {
	case isClosedPipe(p.err):
		return nil
	case p.err != nil:
		return p.err
	}
	err = f.printing.jq.result(nil, tell)
	tell.Say("%s: %s in %s", file.name, human.Count(p.shown, "event"), human.Short(recording.Took))
	return err
}

// playing is a recording that is being printed.
type playing struct {
	*replayed
	printer *output.Printer

	mu    sync.Mutex
	shown int
	over  bool  // --count is reached
	err   error // the first one
}

// play prints all tracks: at a pace, all of them at once, as they came;
// without pauses one after the other, since then nothing says which event came
// before which.
func (f *replayed) play(ctx context.Context, recording *playback.Recording, streams Streams, tell *story.Story) *playing {
	p := &playing{replayed: f}
	var sources []output.Source
	for _, t := range recording.Tracks {
		sources = append(sources, output.Source{
			Watcher: &t.Watcher, Group: t.Target.Group, Kind: t.Kind, Resource: t.Target.Resource, Namespace: t.Target.Namespace,
		})
	}
	p.printer = output.New(streams.Out, f.printing.options(ctx, streams.Out, tell), sources...)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var running sync.WaitGroup
	for _, t := range recording.Tracks {
		tell := tell
		if len(recording.Tracks) > 1 {
			tell = tell.Of(t.Target.String())
		}
		track := func() {
			if p.track(ctx, t, tell) {
				cancel()
			}
		}
		switch {
		case f.speed > 0:
			running.Go(track)
		case !p.over:
			track()
		}
	}
	running.Wait()
	return p
}

// track prints one track, and reports whether the others have to end, too.
func (p *playing) track(ctx context.Context, t *playback.Track, tell *story.Story) (over bool) {
	for ev, err := range t.Watch(ctx, playback.Options{Bookmarks: p.printing.bookmarks, MaxFrame: int(p.maxFrame), Listen: p.printer.Listen}) {
		objects := -1
		if ev.Type == stream.Synced {
			objects = t.Watcher.State().Objects
		}
		if err == nil {
			tell.Event(ev, objects)
		}
		if !p.print(ev, err) {
			break
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over || p.err != nil
}

// print prints one event, or keeps the error; false if nothing more is to come.
func (p *playing) print(ev stream.Event, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return false
	}
	printed := false
	if err == nil && p.err == nil {
		printed, err = p.printer.Print(ev)
	}
	if p.err == nil {
		p.err = err
	}
	if printed {
		p.shown++
		p.over = p.shown == int(p.count)
	}
	return p.err == nil && !p.over
}
