package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/inspect"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
)

// inspected are the flags of inspect.
type inspected struct {
	output  choice
	diff    string
	diffAll bool
	colour  choice
}

func newInspect(streams Streams) *cobra.Command {
	f := &inspected{}
	cmd := &cobra.Command{
		Use:   "inspect FILE",
		Short: "Tell what happened in a recording",
		Long: `Tell what happened in a recording: its connections and how each ended, where
events may be missing, events by kind, changes that changed nothing, who wrote,
which objects are the busiest, and the biggest events. With --diff, walk through
the history of one object. FILE is what rawwatch replay takes, of any size.`,
		Example: `  rawwatch inspect pods.rwr
  rawwatch inspect pods.rwr --diff shop/web-1     the history of one object
  rawwatch inspect pods.rwr.gz -o json`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed
			switch {
			case given("diff") && f.diff == "":
				return usagef("--diff is empty; write NAMESPACE/NAME, or NAME")
			case f.diff != "" && f.output.value == string(output.JSON):
				return usagef("--diff is text; leave out -o json, or --diff")
			case f.diffAll && f.diff == "":
				return usagef("--diff-all is about --diff NAMESPACE/NAME; write that, too")
			}
			return f.run(cmd.Context(), args[0], streams)
		},
	}
	set := cmd.Flags()
	f.output = choice{string(output.Text), []string{string(output.Text), string(output.JSON)}}
	set.VarP(&f.output, "output", "o", "the format")
	set.StringVar(&f.diff, "diff", "", "walk through the history of NAMESPACE/NAME, or of NAME")
	set.BoolVar(&f.diffAll, "diff-all", false, "with what changes all the time")
	addColour(set, &f.colour)
	return cmd
}

func (f *inspected) run(ctx context.Context, name string, streams Streams) error {
	ctx, stop := withReader(ctx, streams.Out)
	defer stop()
	file, err := findRecording(name, streams.In)
	if err != nil {
		return usagef("%v", err)
	}
	defer file.close()
	r, err := file.open()
	if err != nil {
		return file.failed(err)
	}
	colours := terminal.HasColours(streams.Out, f.colour.value)
	var walk *walk
	var each func(inspect.Version) error
	if f.diff != "" {
		walk = newWalk(f, streams.Out, colours)
		each = walk.version
	}
	report, err := inspect.Read(ctx, r, each)
	switch {
	case isClosedPipe(err):
		return nil
	case err != nil && (ctx.Err() != nil || walk != nil && walk.failed):
		return err
	case err != nil:
		return file.failed(err)
	case walk != nil && walk.seen == 0:
		return usagef("%s has no object %s; rawwatch inspect %s names the busiest", file.name, f.diff, name)
	case walk != nil:
		return nil
	}
	text := report.Text(file.name, colours)
	if f.output.value == string(output.JSON) {
		if text, err = json.MarshalIndent(report, "", "  "); err != nil {
			return err
		}
		text = append(text, '\n')
	}
	if _, err := streams.Out.Write(text); err != nil && !isClosedPipe(err) {
		return fmt.Errorf("cannot write to standard output: %w", err)
	}
	return nil
}

// walk prints the history of one object, each version with its time in front.
type walk struct {
	namespace, name string
	anywhere        bool // in any namespace, or none
	printer         *output.Printer
	out             io.Writer
	at              float64
	seen            int
	failed          bool // in writing
}

func newWalk(f *inspected, out io.Writer, colours terminal.Colours) *walk {
	w := &walk{out: out}
	namespace, name, found := strings.Cut(f.diff, "/")
	if w.namespace, w.name = namespace, name; !found {
		w.name, w.anywhere = f.diff, true
	}
	w.printer = output.New(w, output.Options{
		Format: output.Diff, Colour: colours, Diff: output.DiffOptions{Noise: f.diffAll},
	})
	return w
}

func (w *walk) version(v inspect.Version) error {
	if v.Name != w.name || !w.anywhere && v.Namespace != w.namespace {
		return nil
	}
	w.seen++
	w.at = v.At
	_, err := w.printer.Print(v.Event)
	w.failed = err != nil
	return err
}

// Write puts the time in front of what the printer says of a version.
func (w *walk) Write(b []byte) (int, error) {
	line := fmt.Appendf(nil, "%+9.3fs  ", w.at)
	if _, err := w.out.Write(append(line, b...)); err != nil {
		return 0, err
	}
	return len(b), nil
}
