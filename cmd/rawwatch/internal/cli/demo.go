package cli

import (
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/demo"
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
				Out:      streams.Out, ColourOut: hasColours(streams.Out),
				Err: streams.Err, ColourErr: hasColours(streams.Err),
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

// hasColours reports whether w is a terminal, and nobody has said that they do
// not want any (no-color.org).
func hasColours(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
