package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"example.com/rawwatch/stream"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		Run: func(cmd *cobra.Command, _ []string) {
			io.WriteString(cmd.OutOrStdout(), versionLine())
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("rawwatch %s %s/%s %s\n", stream.Version, runtime.GOOS, runtime.GOARCH, runtime.Version())
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments, got %q", cmd.Name(), args)
	}
	return nil
}
