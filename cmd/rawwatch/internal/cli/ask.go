package cli

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/goal"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/stream"
)

// ask is what a command line asks for, once it is known to make sense.
type ask struct {
	*flags

	// types are to be found by discovery. If there are none, target is all
	// there is to know: a path was given.
	types  []string
	target stream.Target

	// begin is what --start, --watch-only, --resource-version and -o raw come
	// to together.
	begin stream.Start
	// goal is what --for asks for.
	goal goal.Goal
	// rawNow: it is now only because -o raw is.
	rawNow bool
}

func usagef(format string, args ...any) error {
	return &usageError{text: fmt.Sprintf(format, args...)}
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
	if err := a.where(); err != nil {
		return nil, err
	}
	if err := a.when(given); err != nil {
		return nil, err
	}
	if err := a.since(given); err != nil {
		return nil, err
	}
	if err := a.waits(given); err != nil {
		return nil, err
	}
	if err := f.recording.check(given); err != nil {
		return nil, err
	}
	if err := f.printing.check(given); err != nil {
		return nil, err
	}
	if err := f.metrics.check(given); err != nil {
		return nil, err
	}
	return a, a.limits(given)
}

// several: more than one collection is asked for.
func (a *ask) several() bool {
	return len(a.types) > 1 || len(a.namespaces) > 1 && !a.allNamespaces
}

// what reads TYPE NAME, TYPE/NAME, TYPE,TYPE NAME, or a path.
func (a *ask) what(args []string, given func(string) bool) error {
	switch len(args) {
	case 0:
		if a.dry {
			return nil
		}
		return usagef("nothing to watch: write rawwatch TYPE, as in rawwatch pods")
	case 1, 2:
	default:
		return usagef("too many arguments: %q; one TYPE and one NAME at most; several types are written %s", args[2:], strings.Join(args, ","))
	}
	if err := notType(args[0]); err != nil {
		return err
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
	for one := range strings.SplitSeq(typ, ",") {
		switch {
		case typ == "":
			return usagef("the TYPE is empty")
		case one == "":
			return usagef("a TYPE is empty in %q", typ)
		}
		if !slices.Contains(a.types, one) {
			a.types = append(a.types, one)
		}
	}
	switch {
	case strings.Contains(args[0], ",") && strings.Contains(args[0], "/"):
		return usagef("%q: a NAME comes after all types, as in rawwatch pods,services web", args[0])
	case slash && (name == "" || strings.Contains(name, "/")):
		return usagef("%q is no NAME", name)
	}
	a.target.Name = name
	return nil
}

// notType refuses what is a place on a server, but not written as a path.
func notType(arg string) error {
	if u, err := url.Parse(arg); err == nil && u.Scheme != "" && u.Host != "" {
		return usagef("that is a URL: use --server %s://%s and the path %s", u.Scheme, u.Host, pathOf(u))
	}
	if strings.HasPrefix(arg, "api/") || strings.HasPrefix(arg, "apis/") {
		return usagef("%q is no TYPE; did you mean /%s?", arg, arg)
	}
	return nil
}

// pathOf is the path of a URL with what a path may carry; what else is in the
// query may be a token.
func pathOf(u *url.URL) string {
	path, mark := u.EscapedPath(), "?"
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); name == "labelSelector" || name == "fieldSelector" {
			path, mark = path+mark+part, "&"
		}
	}
	return path
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

// where looks at the namespaces; the kubeconfig has its say later.
func (a *ask) where() error {
	var namespaces []string
	for _, n := range a.namespaces {
		switch {
		case n == "":
			return usagef("-n is empty; for all namespaces write -A")
		case strings.Contains(n, ","):
			return usagef("-n %s: give -n once for each namespace", n)
		case n == "." || n == ".." || strings.ContainsAny(n, "/%"):
			return usagef("-n %q is no namespace", n)
		case !slices.Contains(namespaces, n):
			namespaces = append(namespaces, n)
		}
	}
	a.namespaces = namespaces
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
	raw := a.printing.format() == output.Raw
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
		case a.several():
			return usagef("--resource-version is the place in the history of one collection, and several are asked for")
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
		a.begin = stream.StartStream
	case startNow:
		switch {
		case a.once && raw && !begins:
			return usagef("-o raw shows no lists; use --start stream")
		case a.once:
			return usagef("--once ends when all that exists has been shown, but nothing of it is asked for (--start now)")
		}
		a.begin, a.rawNow = stream.StartNow, raw && !begins
	case startList:
		if raw {
			return usagef("-o raw shows the watch alone, not a list; leave out --start, or write --start stream")
		}
		a.begin = stream.StartList
	}
	return nil
}

// since looks at where the last run ended.
func (a *ask) since(given func(string) bool) error {
	if !given("checkpoint") {
		return nil
	}
	switch {
	case a.checkpoint == "":
		return usagef("--checkpoint is empty; name a file")
	case given("resource-version"):
		return usagef("--checkpoint says where to begin; leave out --resource-version")
	case a.once && a.noTrack:
		return usagef("--once --checkpoint shows what has changed, but with --no-track nothing is remembered to compare with")
	}
	return nil
}

// limits refuses what no watch can have.
func (a *ask) limits(given func(string) bool) error {
	switch {
	case given("watch") && !a.watch:
		return usagef("--watch=false: it always watches; for what exists alone write --once")
	case a.metadataOnly && a.printing.format() == output.Wide:
		return usagef("-o wide shows more of the server's columns, and --metadata-only asks for none; leave out one of them")
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
	return &usageError{text: text}
}
