package kubeconfig

import (
	"fmt"
	"strings"
)

// choice is which entries are used. Either entry is nil if there is none: a
// cluster by flags alone, an anonymous user.
type choice struct {
	context       string
	namespace     string // of the context
	at            place  // of the context
	from          string // what says that it is that one
	cluster, user *entry
}

var contextKeys = []string{"cluster", "user", "namespace", "extensions"}

// choose finds the entries that the options and the current context name.
//
// A cluster that is not named at all is no error here: then this is not a
// configuration, and the caller knows what to fall back to. A name that leads
// nowhere is one, always. client-go goes on without the entry, and ends at
// localhost:8080 or as an anonymous user, far from the cause.
func (c *catalog) choose(o Options, report *report) choice {
	var chosen choice
	var clusterName, userName string
	var at *Error // where the names stand, for messages

	// A context is a cluster, a user and a namespace under one name. One that
	// is the only one is not taken without being asked for: kubectl does not
	// either, and tomorrow there may be two.
	name, asked := o.Context, o.Context != ""
	if !asked {
		name = c.current
	}
	if name != "" {
		entry := c.contexts[name]
		if entry == nil {
			report.fail(c.noContext(name, asked))
			return chosen
		}
		s := entry.content(report, contextKeys)
		chosen.context, chosen.namespace, chosen.at = name, s.str("namespace"), entry.place()
		if chosen.from = "Options.Context"; !asked {
			chosen.from = "current-context of " + c.currentFile
		}
		clusterName, userName = s.str("cluster"), s.str("user")
		at = entry.place().error("", nil)
	}

	// Flags replace one part of the context and leave the others. A name in
	// the context that leads nowhere does not matter if flags provide what it
	// stands for.
	switch {
	case o.Cluster != "":
		if chosen.cluster = c.clusters[o.Cluster]; chosen.cluster == nil {
			report.fail(missing("cluster", o.Cluster, nil, c.clusters))
		}
	case clusterName != "":
		chosen.cluster = c.clusters[clusterName]
		if chosen.cluster == nil && o.Server == "" {
			report.fail(missing("cluster", clusterName, at, c.clusters))
		}
	}
	switch {
	case o.User != "":
		if chosen.user = c.users[o.User]; chosen.user == nil {
			report.fail(missing("auth info", o.User, nil, c.users))
		}
	case userName != "":
		chosen.user = c.users[userName]
		if chosen.user == nil && o.Token == "" && o.ClientCertificate == "" {
			report.fail(missing("user", userName, at, c.users))
		}
	}
	return chosen
}

// noContext uses kubectl's two wordings: people search for them.
func (c *catalog) noContext(name string, asked bool) *Error {
	if asked {
		return &Error{Err: fmt.Errorf("context %q does not exist", name), Hint: known("contexts", c.contexts)}
	}
	return &Error{File: c.currentFile, Field: "current-context",
		Err: fmt.Errorf("context was not found for specified context: %s", name), Hint: known("contexts", c.contexts)}
}

// missing reports a name that leads nowhere, and lists those that exist: the
// usual reasons are a typing error and a file of the list that was left out.
// at is where the name stands, nil for a flag.
func missing(kind, name string, at *Error, from entries) *Error {
	e := new(Error)
	if at != nil {
		*e = *at
	}
	plural := "clusters"
	if kind != "cluster" {
		plural = "users"
	}
	e.Err, e.Hint = fmt.Errorf("%s %q does not exist", kind, name), known(plural, from)
	return e
}

// known lists the names that there are.
func known(plural string, from entries) string {
	if len(from) == 0 {
		return "there are no " + plural
	}
	return plural + ": " + quoteAll(from.names())
}

// noConfiguration explains why nothing says where the server is: what was
// looked for where, or which contexts there are to choose from. The phrase of
// ErrNoConfiguration is client-go's, cut before its advice to set
// KUBERNETES_MASTER, which has no effect here.
func (c *catalog) noConfiguration(chosen choice, origin string, files, missing []string) *Error {
	e := &Error{Err: ErrNoConfiguration}
	switch {
	case len(c.contexts) > 0 && chosen.context == "":
		e.Err = fmt.Errorf("%w: no current-context is set", ErrNoConfiguration)
		e.Hint = "choose one with Options.Context: " + quoteAll(c.contexts.names())
	case len(c.contexts) > 0:
		e.Err = fmt.Errorf("%w: context %q names no cluster", ErrNoConfiguration, chosen.context)
		e.Hint = known("clusters", c.clusters)
	case len(c.clusters) > 0:
		e.Err = fmt.Errorf("%w: there are clusters, but no contexts", ErrNoConfiguration)
		e.Hint = "choose one with Options.Cluster: " + quoteAll(c.clusters.names())
	case len(missing) > 0 && origin == homeOrigin:
		e.Err = fmt.Errorf("%w: there is no %q, and KUBECONFIG is not set", ErrNoConfiguration, missing[0])
		e.Hint = "set KUBECONFIG, or give Options.Path or Options.Server"
	case len(missing) > 0:
		e.Err = fmt.Errorf("%w: %s names no file that exists: %s", ErrNoConfiguration, origin, quoteAll(missing))
		e.Hint = "set KUBECONFIG, or give Options.Path or Options.Server"
		for _, file := range missing {
			if hint := pathHint(file); hint != "" {
				e.Hint = hint
			}
		}
	case len(files) > 0:
		e.Err = fmt.Errorf("%w: nothing is in %s", ErrNoConfiguration, quoteAll(files))
	default:
		e.Err = fmt.Errorf("%w: KUBECONFIG and HOME name no file", ErrNoConfiguration)
	}
	return e
}

// namespaceOption takes the prefix off "ns/kube-system", which is what kubectl
// prints for a namespace and people paste. kubectl takes it off as well, in any
// case.
func namespaceOption(namespace string) string {
	lower := strings.ToLower(namespace)
	for _, prefix := range []string{"namespaces/", "namespace/", "ns/"} {
		if strings.HasPrefix(lower, prefix) {
			return namespace[len(prefix):]
		}
	}
	return namespace
}
