package cli

import (
	_ "embed"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/nearest"
)

// The pages that --help and "rawwatch options" show: one screen each, examples
// first. A test holds them and the flags together: each flag is on one of them.
var (
	//go:embed help.txt
	helpText string
	//go:embed options.txt
	optionsText string
)

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
	// cobra's own says that it knows nothing of a command, and exits with 0.
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Show the help of a command",
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usagef("there is no command %q; rawwatch help shows them", strings.Join(args, " "))
			}
			return cmd.Help()
		},
	})
}

// newOptions is the page of the flags that few people need, by the name that
// kubectl has for such a page.
func newOptions() *cobra.Command {
	return &cobra.Command{
		Use:   "options",
		Short: "Show the flags that --help has no room for",
		Args:  noArguments,
		Run: func(cmd *cobra.Command, _ []string) {
			io.WriteString(cmd.OutOrStdout(), optionsText)
		},
	}
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

// checkShells makes the completion command refuse a shell that it does not
// know: cobra's shows its help instead, and exits with 0, which goes unnoticed
// where its output is read by a shell.
func checkShells(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion"})
	if err != nil {
		return // there is none
	}
	var shells []string
	for _, shell := range cmd.Commands() {
		shells = append(shells, shell.Name())
	}
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef("which shell? write one of %s", strings.Join(shells, ", "))
		}
		near := ""
		if to := nearest.To(args[0], shells, 1); len(to) > 0 {
			near = "; did you mean " + to[0] + "?"
		}
		return usagef("no completion for %q%s; there is one for %s", args[0], near, strings.Join(shells, ", "))
	}
}
