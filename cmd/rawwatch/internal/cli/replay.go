package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/playback"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
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
only a relist showed, gaps; of several types in the order they came. FILE is a
recording of rawwatch, of any size, lines of events as kubectl's
--output-watch-events -o json prints them, or an answer as curl -i --raw writes
it, in gzip or not; - is standard input, and is held in memory.

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
	recording, err := playback.Look(r, int(f.maxFrame))
	if err != nil {
		return file.failed(err)
	}
	if n := recording.Unread; n > 0 {
		tell.Say("%d pieces of lists and watches are missing: they might have held Secrets, and only their length was recorded", n)
	}
	if r, err = file.open(); err != nil {
		return file.failed(err)
	}
	shown, err := f.play(ctx, recording, r, streams, tell)
	switch {
	case isClosedPipe(err):
		return nil
	case err != nil:
		return err
	}
	err = f.printing.jq.result(nil, tell)
	tell.Say("%s: %s in %s", file.name, human.Count(shown, "event"), human.Short(recording.Took))
	return err
}

// play prints the events of all tracks, up to --count.
func (f *replayed) play(ctx context.Context, recording *playback.Recording, r *replay.Reader, streams Streams, tell *story.Story) (shown int, err error) {
	var sources []output.Source
	tells := map[*stream.Watcher]*story.Story{}
	for _, t := range recording.Tracks {
		sources = append(sources, output.Source{
			Watcher: &t.Watcher, Group: t.Target.Group, Kind: t.Kind, Resource: t.Target.Resource, Namespace: t.Target.Namespace,
		})
		tells[&t.Watcher] = tell
		if len(recording.Tracks) > 1 {
			tells[&t.Watcher] = tell.Of(t.Target.String())
		}
	}
	printer := output.New(streams.Out, f.printing.options(ctx, streams.Out, tell), sources...)
	for ev, err := range recording.Play(ctx, r, playback.Options{
		Speed: float64(f.speed), Bookmarks: f.printing.bookmarks, MaxFrame: int(f.maxFrame), Listen: printer.Listen,
	}) {
		if err != nil {
			return shown, err
		}
		objects := -1
		if ev.Type == stream.Synced {
			objects = ev.Source.State().Objects
		}
		tells[ev.Source].Event(ev, objects)
		printed, err := printer.Print(ev)
		if err != nil {
			return shown, err
		}
		if printed {
			if shown++; shown == int(f.count) {
				break
			}
		}
	}
	return shown, nil
}
