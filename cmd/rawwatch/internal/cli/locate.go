package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// locate finds the collections. A path needs no request.
func (a *ask) locate(ctx context.Context, config *kubeconfig.Config, tell *story.Story) ([]*source, error) {
	if len(a.types) == 0 {
		return []*source{{target: a.target}}, nil
	}
	// A name after TYPE is not looked up: the watch selects it, and shows it
	// when it comes to exist.
	client := discoveryOf(config)
	namespaces := a.namespaces
	switch {
	case a.allNamespaces:
		namespaces = []string{""}
	case len(namespaces) == 0:
		namespaces = []string{config.Namespace}
	}
	var all []*source
	for _, typ := range a.types {
		r, err := a.resolve(ctx, client, typ, tell)
		if err != nil {
			return nil, &typeError{typ, err}
		}
		tell.Detail(1, "%s is %s, %s in %s", typ, r.Kind, r.Name, r.GroupVersion())
		in := namespaces
		if !r.Namespaced {
			in = []string{""} // as kubectl: a namespace means nothing here
		}
		for _, namespace := range in {
			s := &source{target: a.target, kind: r.Kind, everywhere: r.Namespaced && namespace == ""}
			s.target.Group, s.target.Version, s.target.Resource = r.Group, r.Version, r.Name
			s.target.Namespace = namespace
			// "pods,po" is one collection.
			if !slices.ContainsFunc(all, func(other *source) bool { return other.target == s.target }) {
				all = append(all, s)
			}
		}
	}
	label(all)
	return all, nil
}

// discoveryOf asks the server of config what it has.
func discoveryOf(config *kubeconfig.Config) *discovery.Client {
	return &discovery.Client{HTTP: config.Client, Server: config.Server, UserAgent: userAgent}
}

// typeError: it could not be found out what a type is.
type typeError struct {
	typ string
	err error
}

func (e *typeError) Error() string { return e.err.Error() }
func (e *typeError) Unwrap() error { return e.err }

// waitedFor says what had not come when discovery was interrupted: a plugin
// that hangs looks like a server that does.
func waitedFor(err error, config *kubeconfig.Config) string {
	who := config.Server.Host
	if strings.Contains(config.Credentials, "exec plugin") {
		who = "the exec plugin or " + who
	}
	if typ := (*typeError)(nil); errors.As(err, &typ) {
		return fmt.Sprintf("before %s had answered what %q is", who, typ.typ)
	}
	return "before " + who + " had answered"
}

// discoveryTimeout bounds one round of discovery, unless --request-timeout
// bounds its requests. The watch has limits of its own; here a server that
// takes the connection and says nothing would hang the command for ever.
const discoveryTimeout = 30 * time.Second

// resolve asks until there is an answer that waiting does not change, by the
// same table that the watch goes by.
func (a *ask) resolve(ctx context.Context, client *discovery.Client, typ string, tell *story.Story) (discovery.Resource, error) {
	delays := backoff.Backoff{Policy: a.backoff()}
	for failures := 1; ; failures++ {
		r, err := a.resolveOnce(ctx, client, typ)
		if err == nil {
			tell.Over()
			return r, nil
		}
		// First of all: a request that was interrupted fails in every way
		// there is.
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		wait, row, again := a.again(err, &delays)
		if !again {
			return r, err
		}
		if limit := int(a.maxReconnects); limit > 0 && failures > limit {
			return r, fmt.Errorf("%w: %w", stream.ErrMaxReconnects, err)
		}
		reason := cause.Of(err)
		if request := (*discovery.RequestError)(nil); errors.As(err, &request) {
			reason = cause.Of(request.Err)
		}
		tell.Failing(fmt.Sprintf("cannot find out what %q is", typ), reason, row, wait)
		if err := backoff.Sleep(ctx, wait); err != nil {
			return r, err
		}
		client.Forget()
	}
}

func (a *ask) resolveOnce(ctx context.Context, client *discovery.Client, typ string) (discovery.Resource, error) {
	if a.connection.RequestTimeout == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, discoveryTimeout, errSlow)
		defer cancel()
	}
	return client.Resolve(ctx, typ)
}

var errSlow = errors.New("no answer for " + discoveryTimeout.String())

// again decides whether to ask once more, when, and by which row of the
// verdict table ("" for none). What --persist waits for
// beyond the verdict table is what somebody may put right in the meantime:
// access, a server that is not up yet, a CRD that is about to be installed.
func (a *ask) again(err error, delays *backoff.Backoff) (wait time.Duration, row string, again bool) {
	var request *discovery.RequestError
	if !errors.As(err, &request) {
		// The server has told all it has. Two candidates stay two, and what
		// cannot be watched stays so; but what is not there may yet come.
		var unknown *discovery.UnknownTypeError
		return delays.AtCap(), "", a.persist && errors.As(err, &unknown)
	}
	var answer *status.Error
	verdict := status.Decide(status.Failure{Verb: status.List, Err: request.Err}, status.Run{})
	wait = delays.Next(verdict.AtLeast)
	if errors.As(request.Err, &answer) {
		// An answer: the server is there. Busy and broken ones are asked
		// again in any case, as the watch itself would.
		switch verdict.Row {
		case status.RowDenied, status.RowBadRequest:
			return delays.AtCap(), verdict.Row, a.persist
		}
		return wait, verdict.Row, verdict.Action != status.Stop
	}
	// No answer at all. A person who mistyped an address wants to know at
	// once; certificates and plugins do not get better by waiting.
	switch verdict.Row {
	case status.RowUnreachable, status.RowConnect:
		return wait, verdict.Row, a.persist
	}
	return wait, verdict.Row, false
}
