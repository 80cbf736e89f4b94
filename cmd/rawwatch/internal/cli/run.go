package cli

import (
	"context"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"example.com/rawwatch/stream"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// userAgent of every request. Names like curl get lists that are indented.
const userAgent = "rawwatch/" + stream.Version + " (" + runtime.GOOS + "/" + runtime.GOARCH + ")"

// Run runs the command with the arguments after its name, and returns its
// exit code. It handles SIGINT, SIGTERM and SIGHUP while it runs.
func Run(ctx context.Context, args []string, streams Streams) int {
	ctx, stop := withSignals(ctx)
	defer stop()

	root := newRoot(streams)
	if len(args) == 1 && args[0] == "--version" {
		// cobra's own would print it by a template, and text/template is 1.9 MB.
		args = []string{"version"}
	}
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && !isInterrupted(err) && !isTold(err) {
		streams.Err.Write(errorLine(err, inJSON(cmd)))
	}
	return exitCode(err)
}

// inJSON: the command was told to tell its story so, and its error is the end
// of that.
func inJSON(cmd *cobra.Command) bool {
	flag := cmd.Flags().Lookup(logFormatFlag)
	return flag != nil && flag.Value.String() == logJSON
}

// newRoot makes the command: the watch itself, and the few others beside it.
//
// cobra is there for flags that are spelled as kubectl's are, and for shell
// completion. It is 0.25 MB of a binary of 9.9 (linux/amd64, stripped).
func newRoot(streams Streams) *cobra.Command {
	f := new(flags)
	root := &cobra.Command{
		Use:   "rawwatch TYPE[.VERSION][.GROUP] [NAME]",
		Short: "Watch Kubernetes objects",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := f.parse(cmd, args)
			if err != nil {
				return err
			}
			return a.run(cmd.Context(), streams)
		},
		SilenceErrors: true, // Run tells the error, in one line
		SilenceUsage:  true,
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetFlagErrorFunc(flagError)
	f.add(root)
	addHelp(root)
	root.AddCommand(newRecord(streams), newReplay(streams), newServe(streams), newInspect(streams), newDemo(streams), newExplain(), newOptions(), newVersion())
	checkShells(root)
	return root
}
