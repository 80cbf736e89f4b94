package cli

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
)

// ask is what a command line asks for, once it is known to make sense.
type ask struct {
	*flags

	// typ is to be found by discovery. If it is "", target is all there is to
	// know: a path was given.
	typ    string
	target stream.Target

	// begin is what --start, --watch-only, --resource-version and -o raw come
	// to together.
	begin stream.Start
}

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// parse reads the arguments, and looks at which flags go together. Everything
// that can be refused without a server is refused here.
func (f *flags) parse(cmd *cobra.Command, args []string) (*ask, error) {
	given := cmd.Flags().Changed
	a := &ask{flags: f}
	a.target.LabelSelector, a.target.FieldSelector = f.selector, f.fieldSelector
	if err := a.what(args, given); err != nil {
		return nil, err
	}
	if err := a.where(given); err != nil {
		return nil, err
	}
	if err := a.when(given); err != nil {
		return nil, err
	}
	return a, a.limits()
}

// what reads TYPE NAME, TYPE/NAME, or a path.
func (a *ask) what(args []string, given func(string) bool) error {
	switch len(args) {
	case 0:
		return usagef("nothing to watch: write rawwatch TYPE, as in rawwatch pods")
	case 1, 2:
	default:
		return usagef("too many arguments: %q; one TYPE and one NAME at most", args[2:])
	}
	if strings.HasPrefix(args[0], "/") {
		return a.path(args, given)
	}
	typ, name, slash := strings.Cut(args[0], "/")
	if len(args) == 2 {
		if slash {
			return usagef("two names: %q and %q; write one of them", name, args[1])
		}
		name, slash = args[1], true
	}
	switch {
	case strings.Contains(typ, ","):
		return usagef("%q are several types: watch one at a time", typ)
	case typ == "":
		return usagef("the TYPE is empty")
	case slash && (name == "" || strings.Contains(name, "/")):
		return usagef("%q is no NAME", name)
	}
	a.typ, a.target.Name = typ, name
	return nil
}

// path reads the path of a collection, with selectors in its query, as a log
// or a browser shows it.
func (a *ask) path(args []string, given func(string) bool) error {
	path, query, _ := strings.Cut(args[0], "?")
	target, err := stream.ParsePath(path)
	if err != nil {
		return usagef("%s", strings.TrimPrefix(err.Error(), "stream: "))
	}
	if len(args) == 2 {
		target.Name = args[1]
	}
	// A namespace that the path does not name would be left out without a
	// word, so it is refused instead.
	if given("namespace") || given("all-namespaces") {
		return usagef("the path says which namespace; leave out -n and -A")
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return usagef("the query of the path cannot be read: %v", err)
	}
	target.LabelSelector, target.FieldSelector = a.selector, a.fieldSelector
	for key := range values {
		own, flag := &target.LabelSelector, "selector"
		switch key {
		case "labelSelector":
		case "fieldSelector":
			own, flag = &target.FieldSelector, "field-selector"
		default:
			return usagef("a path may carry labelSelector and fieldSelector, not %q: there are flags for the rest", key)
		}
		if given(flag) {
			return usagef("%s is in the path and in --%s; write it once", key, flag)
		}
		*own = values.Get(key)
	}
	a.target = target
	return nil
}

// where looks at the namespace; the kubeconfig has its say later.
func (a *ask) where(given func(string) bool) error {
	switch {
	case len(a.namespaces) > 1:
		return usagef("-n is given %d times: watch one namespace at a time, or all with -A", len(a.namespaces))
	case given("namespace") && a.namespaces[0] == "":
		return usagef("-n is empty; for all namespaces write -A")
	case len(a.namespaces) == 1:
		a.connection.Namespace = a.namespaces[0]
	}
	timeout, err := kubeconfig.ParseTimeout(a.requestTimeout)
	if err != nil {
		return usagef("--request-timeout: %s", strings.TrimPrefix(err.Error(), "kubeconfig: "))
	}
	a.connection.RequestTimeout = timeout
	return nil
}

// when decides where the watch begins.
func (a *ask) when(given func(string) bool) error {
	// raw has nothing to show of a list, so it need not ask for one: that it
	// begins now goes without saying.
	raw := a.output.value == string(output.Raw)
	begins := given("start") || a.watchOnly
	start := a.start.value
	switch {
	case a.watchOnly && given("start") && start != startNow:
		return usagef("--watch-only is --start now, not --start %s", start)
	case a.watchOnly, raw && !begins:
		start = startNow
	}
	if given("resource-version") {
		switch {
		case begins:
			return usagef("--resource-version says where to begin; leave out --start and --watch-only")
		case a.resourceVersion == "":
			return usagef("--resource-version is empty; leave it out, or write 0 for whatever the server has at hand")
		case a.once:
			return usagef("--once ends when all that exists has been shown, but --resource-version begins after it")
		}
		// "0" is no version but a wish: whatever the server has at hand, which
		// may be older than anything. A library refuses it, because programs
		// send it by mistake; a person who types it means it.
		a.begin = stream.StartExact
		if a.resourceVersion == "0" {
			a.begin = stream.StartAny
		}
		return nil
	}
	switch start {
	case startStream:
		return usagef("--start stream, the streaming list, is not there yet; --start list shows the same")
	case startNow:
		if a.once {
			return usagef("--once ends when all that exists has been shown, but nothing of it is asked for (--start now)")
		}
		a.begin = stream.StartNow
	case startList:
		if raw {
			return usagef("-o raw shows the watch alone, not a list; leave out --start, or write --resource-version 0")
		}
		a.begin = stream.StartList
	}
	return nil
}

// limits refuses numbers that no watch can have.
func (a *ask) limits() error {
	switch {
	case time.Duration(a.watchTimeout) < time.Second:
		return usagef("--watch-timeout is under 1s, the unit the server counts in")
	case a.backoffMin == 0:
		return usagef("--backoff-min is 0: a server that is down would be asked without a pause")
	case a.backoffMin > a.backoffMax:
		return usagef("--backoff-min is more than --backoff-max (%s)", a.backoffMax.String())
	case time.Duration(a.backoffMax) > backoff.MaxDelay:
		return usagef("--backoff-max is over %s", backoff.MaxDelay)
	}
	return nil
}

// policy is what the flags make of stream's choices. A person at a terminal
// who mistyped an address wants to know at once, so first contact stops where
// a program would wait.
func (a *ask) policy() stream.Policy {
	p := stream.Policy{
		OnFirstContact: stream.StopFirstContact,
		Persist:        a.persist,
		MaxReconnects:  int(a.maxReconnects),
	}
	if a.persist {
		p.OnFirstContact = stream.RetryUnreachable
	}
	if a.onExpired.value == fail {
		p.OnExpired = stream.StopExpired
	}
	if a.onUnknownEvent.value == fail {
		p.OnUnknownEvent = stream.StopUnknownEvent
	}
	switch a.onUnknownError.value {
	case retry:
		p.OnErrorEvent = stream.RetryErrorEvent
	case fail:
		p.OnErrorEvent = stream.StopErrorEvent
	}
	return p
}

// backoff is the policy of delays.
func (a *ask) backoff() backoff.Policy {
	return backoff.Policy{Min: time.Duration(a.backoffMin), Max: time.Duration(a.backoffMax)}
}

// watcher is the Watcher the flags describe, still without a server and the
// type that discovery has to find.
func (a *ask) watcher() *stream.Watcher {
	w := &stream.Watcher{
		Target:       a.target,
		Start:        a.begin,
		Policy:       a.policy(),
		Backoff:      a.backoff(),
		PageSize:     int(a.chunkSize),
		WatchTimeout: time.Duration(a.watchTimeout),
		IdleTimeout:  time.Duration(a.idleTimeout),
		MaxFrame:     int(a.maxFrame),
		Untracked:    a.noTrack,
		Bookmarks:    a.bookmarks,
		UserAgent:    userAgent,
	}
	if a.chunkSize == 0 {
		w.PageSize = -1
	}
	if a.begin == stream.StartExact {
		w.ResourceVersion = a.resourceVersion
	}
	if a.metadataOnly {
		w.View = stream.MetadataOnly
	}
	if a.output.value == string(output.Raw) {
		// As received: bookmarks too, and what an index would leave out as
		// delivered before.
		w.Bookmarks, w.Untracked = true, true
	}
	return w
}

// flagError turns what the flag parser says into a usage error, with the flag
// that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown interface{ GetSpecifiedName() string }
	text := err.Error()
	if strings.HasPrefix(text, "unknown flag") && errors.As(err, &unknown) {
		if near := similarFlag(cmd, unknown.GetSpecifiedName()); near != "" {
			text += "; did you mean " + near + "?"
		}
	}
	return &usageError{text}
}
