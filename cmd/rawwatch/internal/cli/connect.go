package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/kubeconfig"
)

// optionFlags are the flags that fill in kubeconfig.Options, in place of the
// names that package kubeconfig, which knows of no flags, has in its messages.
// A name that begins another one comes after it.
var optionFlags = strings.NewReplacer(
	"Options.Path", "--kubeconfig",
	"Options.Context", "--context",
	"Options.Cluster", "--cluster",
	"Options.User", "--user",
	"Options.Namespace", "--namespace",
	"Options.Server", "--server",
	"Options.Token", "--token",
	"Options.AsGroups", "--as-group",
	"Options.AsUID", "--as-uid",
	"Options.As", "--as",
	"Options.CertificateAuthority", "--certificate-authority",
	"Options.ClientCertificate", "--client-certificate",
	"Options.ClientKey", "--client-key",
	"Options.InsecureSkipTLSVerify", "--insecure-skip-tls-verify",
	"Options.TLSServerName", "--tls-server-name",
	"Options.RequestTimeout", "--request-timeout",
	"Options.NoExec", "--no-exec",
	"Options: ", "flags: ",
)

// connect loads the configuration, and tells of what looks wrong in it.
//
// The goroutine is for a file that is a pipe nobody writes to (--kubeconfig
// <(command) with a command that hangs): opening it waits, and whoever presses
// Ctrl-C then does not want to wait with it. It is left behind; the process
// ends soon.
func (a *ask) connect(ctx context.Context, stderr io.Writer, tell *story.Story) (*kubeconfig.Config, error) {
	options := a.connection
	options.UserAgent, options.Stderr = userAgent, stderr
	if len(a.namespaces) > 0 {
		options.Namespace = a.namespaces[0]
	}
	type result struct {
		config *kubeconfig.Config
		err    error
	}
	loaded := make(chan result, 1)
	go func() {
		config, err := kubeconfig.Load(options)
		loaded <- result{config, err}
	}()
	select {
	case r := <-loaded:
		if r.err != nil {
			return nil, r.err
		}
		for _, warning := range r.config.Warnings {
			tell.Say("warning: %s", optionFlags.Replace(warning))
		}
		return r.config, nil
	case <-ctx.Done():
		tell.Say("%s, while the kubeconfig was being read", context.Cause(ctx))
		return nil, context.Cause(ctx)
	}
}

// dryRun prints what the watch would talk to, and as whom, and where each of
// that comes from. Nobody is contacted, and no plugin is run.
//
// It is a flag of the watch, and not a command of its own, for two reasons: the
// command line that does the wrong thing is explained by adding one word to
// it, namespaces included; and a word like "config" would be taken from the
// TYPEs, of which some servers have one by that name.
func (a *ask) dryRun(config *kubeconfig.Config, out io.Writer, tell *story.Story) error {
	var b strings.Builder
	line := func(name, value, from string) {
		if from != "" {
			value += "  (" + optionFlags.Replace(from) + ")"
		}
		fmt.Fprintf(&b, "%-12s %s\n", name, escape.Text(value))
	}
	for _, d := range config.Details() {
		if d.Odd != "" {
			tell.Say("warning: %s", d.Odd)
		}
		if d.Name == "namespace" {
			a.dryRunNamespace(&d)
		}
		line(d.Name, d.Value, d.From)
	}
	switch {
	case len(a.types) > 0:
		line("watch", strings.TrimSpace(strings.Join(a.types, ", ")+" "+a.target.Name), "the server says which resource that is")
	case a.target.Resource != "":
		line("watch", a.target.String(), "a path")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// dryRunNamespace corrects the namespace for what only the command knows of.
func (a *ask) dryRunNamespace(d *kubeconfig.Detail) {
	switch {
	case a.allNamespaces:
		d.Value, d.From = "all", "--all-namespaces"
	case a.target.Resource != "" && len(a.types) == 0:
		d.Value, d.From = cmp.Or(a.target.Namespace, "all, or none"), "the path"
	case len(a.namespaces) > 1:
		d.Value, d.From = strings.Join(a.namespaces, ", "), "--namespace"
	}
}
