package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/rawwatch/backoff"
	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/discovery"
	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// located is the collection to watch, and what discovery said about it.
type located struct {
	target stream.Target
	kind   string // "" when a path was given
	// everywhere: the objects have namespaces, and all of them are watched.
	everywhere bool
}

// what names it in a sentence.
func (l located) what() string {
	if l.everywhere {
		return l.target.String() + " in all namespaces"
	}
	return l.target.String()
}

// kindIn is the kind to call the objects by. In a view other than the whole
// object they call themselves by the view's kind, so of a path that says none
// the resource has to do.
func (l located) kindIn(view stream.View) string {
	if l.kind == "" && view != stream.Object {
		return l.target.Resource
	}
	return l.kind
}

// locate finds the collection. A path needs no request.
func (a *ask) locate(ctx context.Context, config *kubeconfig.Config, tell *story.Story) (located, error) {
	if a.typ == "" {
		return located{target: a.target}, nil
	}
	// A name after TYPE is not looked up: the watch selects it, and shows it
	// when it comes to exist.
	client := &discovery.Client{HTTP: config.Client, Server: config.Server, UserAgent: userAgent}
	r, err := a.resolve(ctx, client, tell)
	if err != nil {
		return located{}, err
	}
	tell.Detail(1, "%s is %s, %s in %s", a.typ, r.Kind, r.Name, r.GroupVersion())
	l := located{target: a.target, kind: r.Kind}
	l.target.Group, l.target.Version, l.target.Resource = r.Group, r.Version, r.Name
	switch {
	case !r.Namespaced: // as kubectl: a namespace means nothing here
	case a.allNamespaces:
		l.everywhere = true
	default:
		l.target.Namespace = config.Namespace
	}
	return l, nil
}

// discoveryTimeout bounds one round of discovery, unless --request-timeout
// bounds its requests. The watch has limits of its own; here a server that
// takes the connection and says nothing would hang the command for ever.
const discoveryTimeout = 30 * time.Second

// resolve asks until there is an answer that waiting does not change, by the
// same table that the watch goes by.
func (a *ask) resolve(ctx context.Context, client *discovery.Client, tell *story.Story) (discovery.Resource, error) {
	delays := backoff.Backoff{Policy: a.backoff()}
	for failures := 1; ; failures++ {
		r, err := a.resolveOnce(ctx, client)
		if err == nil {
			return r, nil
		}
		// First of all: a request that was interrupted fails in every way
		// there is.
		if ctx.Err() != nil {
			return r, context.Cause(ctx)
		}
		wait, again := a.again(err, &delays)
		if !again {
			return r, err
		}
		if limit := int(a.maxReconnects); limit > 0 && failures > limit {
			return r, fmt.Errorf("%w: %w", stream.ErrMaxReconnects, err)
		}
		tell.Repeat("discovery", "cannot find out what %q is: %s; waiting %s", a.typ, cause.Of(err), story.Short(wait))
		if err := backoff.Sleep(ctx, wait); err != nil {
			return r, err
		}
	}
}

func (a *ask) resolveOnce(ctx context.Context, client *discovery.Client) (discovery.Resource, error) {
	if a.connection.RequestTimeout == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, discoveryTimeout, errSlow)
		defer cancel()
	}
	return client.Resolve(ctx, a.typ)
}

var errSlow = errors.New("no answer for " + discoveryTimeout.String())

// again decides whether to ask once more, and when. What --persist waits for
// beyond the verdict table is what somebody may put right in the meantime:
// access, a server that is not up yet, a CRD that is about to be installed.
func (a *ask) again(err error, delays *backoff.Backoff) (wait time.Duration, again bool) {
	var request *discovery.RequestError
	if !errors.As(err, &request) {
		// The server has told all it has. Two candidates stay two, and what
		// cannot be watched stays so; but what is not there may yet come.
		var unknown *discovery.UnknownTypeError
		return delays.AtCap(), a.persist && errors.As(err, &unknown)
	}
	var answer *status.Error
	verdict := status.Decide(status.Failure{Verb: status.List, Err: request.Err}, status.Run{})
	wait = delays.Next(verdict.AtLeast)
	if errors.As(request.Err, &answer) {
		// An answer: the server is there. Busy and broken ones are asked
		// again in any case, as the watch itself would.
		switch verdict.Row {
		case status.RowDenied, status.RowBadRequest:
			return delays.AtCap(), a.persist
		}
		return wait, verdict.Action != status.Stop
	}
	// No answer at all. A person who mistyped an address wants to know at
	// once; certificates and plugins do not get better by waiting.
	switch verdict.Row {
	case status.RowUnreachable, status.RowConnect:
		return wait, a.persist
	}
	return wait, false
}
