package cli

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

const (
	// completeFor bounds what the shell waits for after a Tab.
	completeFor = 3 * time.Second
	// completeMost is as many names as are asked for: nobody reads more.
	completeMost = 500
)

// pluginName is what kubectl looks for to complete the arguments of its plugin
// "rawwatch" (kubectl plugin, "kubectl_complete-<plugin>"): a program that
// answers as cobra's own completion does.
const pluginName = "kubectl_complete-rawwatch"

// Arguments are those of the process, as they are to be read: under the name
// that kubectl completes by, they are a request for completion.
func Arguments(process []string) []string {
	if len(process) == 0 {
		return nil
	}
	name := strings.TrimSuffix(filepath.Base(process[0]), ".exe")
	if name == pluginName {
		return slices.Concat([]string{cobra.ShellCompRequestCmd}, process[1:])
	}
	return process[1:]
}

// complete makes the shell find types, names, namespaces, contexts and the
// words that flags take. Whatever fails leaves the list empty: a message would
// end up in the middle of the command line.
func (f *flags) complete(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return f.completeArgs(cmd.Context(), args, word)
	}
	flag := func(name string, words func(ctx context.Context) []string) {
		// It fails only for a flag that is not there, which a test would show.
		cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, word string) ([]string, cobra.ShellCompDirective) {
			return starting(words(cmd.Context()), word), cobra.ShellCompDirectiveNoFileComp
		})
	}
	names := func(of func(kubeconfig.Names) []string) func(context.Context) []string {
		return func(context.Context) []string {
			all, _ := kubeconfig.ReadNames(f.connection)
			return of(all)
		}
	}
	flag("context", names(func(n kubeconfig.Names) []string { return n.Contexts }))
	flag("cluster", names(func(n kubeconfig.Names) []string { return n.Clusters }))
	flag("user", names(func(n kubeconfig.Names) []string { return n.Users }))
	flag("namespace", f.namespaceNames)
	flag("for", func(context.Context) []string { return []string{"delete", "create", "condition=", "jq="} })
	for _, name := range []string{"start", "on-expired", "on-unknown-error", "on-unknown-event", "output", "color", logFormatFlag} {
		flag(name, func(context.Context) []string { return strings.Split(cmd.Flags().Lookup(name).Value.Type(), "|") })
	}
}

// starting are the words that begin like that and can be offered. A server's
// tenants choose names: one that a shell would have to cut in two (a line break
// makes a word of its own, a tab a description), or that a terminal would obey,
// is left out.
func starting(words []string, with string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool {
		return !strings.HasPrefix(w, with) || w != escape.Text(w)
	})
}

// completeArgs completes TYPE, TYPE,TYPE, TYPE/NAME and TYPE NAME.
func (f *flags) completeArgs(ctx context.Context, args []string, word string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(ctx, completeFor)
	defer cancel()
	const done = cobra.ShellCompDirectiveNoFileComp
	config, client := f.completer()
	if config == nil || len(args) > 1 || strings.HasPrefix(word, "/") {
		return nil, done
	}
	typ, name, slash := strings.Cut(word, "/")
	switch {
	case len(args) == 1 && strings.Contains(args[0], "/"):
		return nil, done
	case len(args) == 1:
		return starting(f.objectNames(ctx, config, client, args[0]), word), done
	case slash:
		var words []string
		for _, n := range starting(f.objectNames(ctx, config, client, typ), name) {
			words = append(words, typ+"/"+n)
		}
		return words, done
	}
	before := word[:strings.LastIndex(word, ",")+1]
	all, _ := client.All(ctx)
	words := starting(discovery.Spellings(all), word[len(before):])
	for i, w := range words {
		words[i] = before + w
	}
	return words, done
}

// completer is the server that the flags so far name, nil if there is none.
func (f *flags) completer() (*kubeconfig.Config, *discovery.Client) {
	options := f.connection
	options.UserAgent, options.Stderr = userAgent, io.Discard
	options.StdinUnavailable = "the shell is completing a command line"
	if len(f.namespaces) > 0 {
		options.Namespace = f.namespaces[0]
	}
	config, err := kubeconfig.Load(options)
	if err != nil {
		return nil, nil
	}
	return config, discoveryOf(config)
}

func (f *flags) objectNames(ctx context.Context, config *kubeconfig.Config, client *discovery.Client, typ string) []string {
	r, err := client.Resolve(ctx, typ)
	if err != nil {
		return nil
	}
	target := stream.Target{Group: r.Group, Version: r.Version, Resource: r.Name}
	if r.Namespaced && !f.allNamespaces {
		target.Namespace = config.Namespace
	}
	return namesOf(ctx, config, target)
}

func (f *flags) namespaceNames(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, completeFor)
	defer cancel()
	config, _ := f.completer()
	if config == nil {
		return nil
	}
	return namesOf(ctx, config, stream.Target{Version: "v1", Resource: "namespaces"})
}

// namesOf lists the objects, by their metadata alone.
func namesOf(ctx context.Context, config *kubeconfig.Config, target stream.Target) (names []string) {
	w := &stream.Watcher{
		Client: config.Client, Server: config.Server, Target: target, UserAgent: userAgent,
		View: stream.MetadataOnly, PageSize: completeMost, Untracked: true,
		Policy: stream.Policy{OnFirstContact: stream.StopFirstContact},
	}
	for ev, err := range w.Watch(ctx) {
		if err != nil || ev.Type != stream.Added || len(names) == completeMost {
			break // all there are, or as many as anybody reads
		}
		names = append(names, ev.Name)
	}
	return names
}

// completeRows completes explain: the rows of the table, and the reasons.
func completeRows(_ *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	var words []string
	for _, row := range status.Table() {
		words = append(words, row.ID)
	}
	words = append(words, reasons...)
	slices.Sort(words)
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return starting(slices.Compact(words), word), cobra.ShellCompDirectiveNoFileComp
}
