package discovery

import (
	"context"
	"errors"
	"net/url"

	"example.com/rawwatch/status"
)

// LacksNamespace reports whether the server says that it has no such
// namespace. It does not say so by itself: a list in a namespace that nobody
// has made is an empty one, with status 200. Many people may not read
// namespaces, and a server that does not answer the question leaves it open:
// then the report is false.
func (c *Client) LacksNamespace(ctx context.Context, name string) bool {
	_, err := c.get(ctx, "/api/v1/namespaces/"+url.PathEscape(name), plain)
	// A server without namespaces, or a proxy, says 404 too, but not of one.
	var answer *status.Error
	return errors.Is(err, status.ErrNotFound) && errors.As(err, &answer) && answer.Kind == "namespaces" && answer.Name == name
}
