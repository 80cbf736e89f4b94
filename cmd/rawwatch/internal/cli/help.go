package cli

import (
	_ "embed"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/nearest"
)

// helpText is the page that --help shows: one screen, examples first. A test
// holds it and the flags together.
//
//go:embed help.txt
var helpText string

// addHelp makes root show its own page; the commands below it keep cobra's.
func addHelp(root *cobra.Command) {
	others := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if cmd != root {
			others(cmd, args)
			return
		}
		io.WriteString(cmd.OutOrStdout(), helpText)
	})
}

// similarFlag is the flag of cmd that name is closest to, "" if it is like
// none.
func similarFlag(cmd *cobra.Command, name string) string {
	var names []string
	for usage := range strings.Lines(cmd.Flags().FlagUsages()) {
		if _, after, ok := strings.Cut(usage, "--"); ok {
			flag, _, _ := strings.Cut(after, " ")
			names = append(names, flag)
		}
	}
	if near := nearest.To(name, names, 1); len(near) > 0 {
		return "--" + near[0]
	}
	return ""
}
