package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// Client changes and reads objects, over plain HTTP, as one user. A request
// that fails fails the test.
type Client struct {
	base *url.URL
	http *http.Client
}

// requestLimit bounds one request. It is the API server's own limit for
// requests that are no watches (--request-timeout).
const requestLimit = time.Minute

// Client returns a Client of this server. Each of its requests makes its own
// connection: a kept one may have died with a server that was restarted, and
// net/http does not repeat a POST.
func (s *Server) Client(t testing.TB, u User) *Client {
	t.Helper()
	tr := &http.Transport{TLSClientConfig: s.TLS(t, u), DisableKeepAlives: true}
	return &Client{base: s.URL, http: &http.Client{Transport: bearer{u.Token, tr}, Timeout: requestLimit}}
}

// Object is what a server says an object is.
type Object struct {
	APIVersion      string
	Kind            string
	Namespace       string
	Name            string
	UID             string
	ResourceVersion string
	JSON            json.RawMessage
}

// ParseObject reads the identity of an object from its JSON.
func ParseObject(body []byte) (Object, error) {
	var o struct {
		APIVersion string
		Kind       string
		Metadata   struct{ Namespace, Name, UID, ResourceVersion string }
	}
	if err := json.Unmarshal(body, &o); err != nil {
		return Object{}, err
	}
	m := o.Metadata
	return Object{o.APIVersion, o.Kind, m.Namespace, m.Name, m.UID, m.ResourceVersion, body}, nil
}

// Create makes an object of the collection.
func (c *Client) Create(t testing.TB, in Collection, m Manifest) Object {
	t.Helper()
	return c.object(t, http.MethodPost, in.Path(), "application/json", m, http.StatusCreated)
}

// Patch merges a manifest into an object (RFC 7386).
func (c *Client) Patch(t testing.TB, in Collection, name string, m Manifest) Object {
	t.Helper()
	return c.object(t, http.MethodPatch, in.Object(name), "application/merge-patch+json", m, http.StatusOK)
}

// Get reads an object.
func (c *Client) Get(t testing.TB, in Collection, name string) Object {
	t.Helper()
	return c.object(t, http.MethodGet, in.Object(name), "", nil, http.StatusOK)
}

// Delete deletes an object. A pod is first modified, to say that it is going,
// and then deleted, which is what is returned; all others go at once, and a
// Status is returned.
func (c *Client) Delete(t testing.TB, in Collection, name string) Object {
	t.Helper()
	return c.object(t, http.MethodDelete, in.Object(name), "", nil, http.StatusOK)
}

// ResourceVersion is that of the collection as it is now.
func (c *Client) ResourceVersion(t testing.TB, in Collection) string {
	t.Helper()
	return c.object(t, http.MethodGet, in.Path()+"?limit=1", "", nil, http.StatusOK).ResourceVersion
}

func (c *Client) object(t testing.TB, method, path, contentType string, m Manifest, want int) Object {
	t.Helper()
	// Cleanup functions make requests too, and by then t.Context is done.
	a, err := c.Do(context.WithoutCancel(t.Context()), method, path, contentType, m)
	if err != nil {
		t.Fatalf("cluster: %s %s: %v", method, path, err)
	}
	if a.Status != want {
		t.Fatalf("cluster: %s %s: got status %d, want %d: %s", method, path, a.Status, want, a.Body)
	}
	o, err := ParseObject(a.Body)
	if err != nil {
		t.Fatalf("cluster: %s %s: %v in %s", method, path, err, a.Body)
	}
	return o
}

// Answer is a response read whole.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Do sends a request; path may have a query, m may be nil. The status is for
// the caller to judge.
func (c *Client) Do(ctx context.Context, method, path, contentType string, m Manifest) (Answer, error) {
	var body io.Reader
	if m != nil {
		content, err := json.Marshal(m)
		if err != nil {
			return Answer{}, err
		}
		body = bytes.NewReader(content)
	}
	u, err := c.base.Parse(c.base.Path + path)
	if err != nil {
		return Answer{}, err
	}
	r, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return Answer{}, err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	content, err := io.ReadAll(resp.Body)
	return Answer{resp.StatusCode, resp.Header, content}, err
}
