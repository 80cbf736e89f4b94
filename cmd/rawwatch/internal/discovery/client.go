package discovery

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"example.com/rawwatch/status"
)

// Client asks one server what it has, and remembers the answers until
// [Client.Forget].
type Client struct {
	HTTP   *http.Client // copied; redirects are never followed
	Server *url.URL     // may have a path prefix

	// UserAgent of the requests. An empty one is Go's own, which servers have
	// no special treatment for.
	UserAgent string

	// Types are often asked for several at a time, and each needs the same few
	// answers.
	mu    sync.Mutex
	known map[string]answer // by path
}

// Forget makes the next Resolve ask the server again: what the answers so far
// did not have may have come to be.
func (c *Client) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = nil
}

// maxBody bounds an answer. Servers with hundreds of CRDs send a few MB.
const maxBody = 64 << 20

// An answer is a body, and what it says it is.
type answer struct {
	body       []byte
	aggregated bool
}

// core reads the core group. A server that has none (an aggregated one, asked
// directly) says 404, and gets an empty group.
func (c *Client) core(ctx context.Context) (group, error) {
	a, err := c.get(ctx, "/api", acceptAggregated)
	switch {
	case errors.Is(err, status.ErrNotFound):
		return group{}, nil
	case err != nil:
		return group{}, err
	case a.aggregated:
		groups, err := parseAggregated(a.body)
		if err != nil || len(groups) != 1 {
			return group{}, c.malformed("/api", err)
		}
		return groups[0], nil
	}
	core, err := parseVersions(a.body)
	if err != nil {
		return group{}, c.malformed("/api", err)
	}
	one := []group{core}
	c.fill(ctx, one)
	return one[0], context.Cause(ctx)
}

// groups reads every other group. In the plain form it leaves out those that
// cannot hold want, since each one costs a request.
func (c *Client) groups(ctx context.Context, want typeName) ([]group, error) {
	a, err := c.get(ctx, "/apis", acceptAggregated)
	if err != nil {
		return nil, err
	}
	// The two paths are asked one by one and may answer in different forms: an
	// aggregator in front of an old server does.
	if a.aggregated {
		groups, err := parseAggregated(a.body)
		if err != nil {
			return nil, c.malformed("/apis", err)
		}
		return groups, nil
	}
	groups, err := parseGroups(a.body)
	if err != nil {
		return nil, c.malformed("/apis", err)
	}
	groups = slices.DeleteFunc(groups, func(g group) bool { return !want.mayBeIn(g.name) })
	c.fill(ctx, groups)
	return groups, context.Cause(ctx)
}

// get is what the server answers to a path, asked once.
func (c *Client) get(ctx context.Context, path, accept string) (answer, error) {
	c.mu.Lock()
	a, ok := c.known[path]
	c.mu.Unlock()
	if ok {
		return a, nil
	}
	a, err := c.ask(ctx, path, accept)
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.known == nil {
			c.known = map[string]answer{}
		}
		c.known[path] = a
	}
	return a, err
}

// ask makes one request. The caller's context is the only limit on its time.
func (c *Client) ask(ctx context.Context, path, accept string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Server.JoinPath(path).String(), nil)
	if err != nil {
		return answer{}, c.failed(path, err)
	}
	req.Header.Set("Accept", accept)
	if c.UserAgent != "" {
		req.Header.Set("User-Agent", c.UserAgent)
	}
	resp, err := c.client().Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return answer{}, c.failed(path, context.Cause(ctx))
		}
		// net/http's own wrapper repeats the URL, which the error names anyway.
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return answer{}, c.failed(path, err)
	}
	if resp.StatusCode == http.StatusNotAcceptable && accept != plain {
		resp.Body.Close()
		return c.ask(ctx, path, plain) // it reads no further than the first clause
	}
	if resp.StatusCode != http.StatusOK {
		return answer{}, c.failed(path, status.FromResponse(resp))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	switch {
	case ctx.Err() != nil:
		return answer{}, c.failed(path, context.Cause(ctx))
	case err != nil:
		return answer{}, c.failed(path, err)
	case len(body) > maxBody:
		return answer{}, c.failed(path, fmt.Errorf("the answer is over %d MiB", maxBody>>20))
	}
	return answer{body: body, aggregated: isAggregated(resp.Header.Get("Content-Type"))}, nil
}

func (c *Client) client() *http.Client {
	client := *c.HTTP
	client.Timeout = 0
	// A bearer token would go along, and what comes back from elsewhere is a
	// login page at best.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

func (c *Client) failed(path string, err error) error {
	return &RequestError{Server: c.Server.Host, Path: path, Err: err}
}

// malformed: a 200 that is not what an API server says. Often it is a page.
func (c *Client) malformed(path string, err error) error {
	if err == nil {
		err = errors.New("nothing in it")
	}
	return c.failed(path, fmt.Errorf("the answer is no API discovery (is this a Kubernetes API server?): %w", err))
}
