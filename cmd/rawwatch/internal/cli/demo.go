package cli

import (
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/demo"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
)

func newDemo(streams Streams) *cobra.Command {
	length := duration(20 * time.Second)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show a watch that survives everything; no cluster is needed",
		Long: `Start an API server in this process, watch pods on it, and break the connection
in every way there is: see what the server does, and what the client does about
it. At the end both sides are compared; the exit code is 0 if nothing was missed.

Events go to standard output, the story to standard error.`,
		Example: `  rawwatch demo
  rawwatch demo --duration 1m      slower
  rawwatch demo 2>/dev/null        only what a consumer sees`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := withReader(cmd.Context(), streams.Out)
			defer stop()
			err := demo.Run(ctx, demo.Options{
				Duration: time.Duration(length),
				Out:      streams.Out, ColourOut: terminal.HasColours(streams.Out, terminal.Auto),
				Err: streams.Err, ColourErr: terminal.HasColours(streams.Err, terminal.Auto),
			})
			if isClosedPipe(err) {
				return nil
			}
			return err
		},
	}
	cmd.Flags().Var(&length, "duration", "about how long; short ones have fewer scenes")
	return cmd
}
