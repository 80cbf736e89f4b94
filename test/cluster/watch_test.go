package cluster

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// plainWatch is the simplest watch there is: one request, one decoder.
type plainWatch struct {
	resp   *http.Response
	events *json.Decoder
	cancel context.CancelFunc
}

// event is a line of a watch.
type event struct {
	Type   string
	Object json.RawMessage
}

// eventLimit bounds the wait for one event. A server that has been started
// again may need seconds for what it has not loaded yet.
const eventLimit = 30 * time.Second

// watch opens a watch from a resourceVersion.
func watch(t *testing.T, s *Server, c *http.Client, in Collection, version string) *plainWatch {
	t.Helper()
	q := url.Values{"watch": {"true"}, "resourceVersion": {version}}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL.String()+in.Path()+"?"+q.Encode(), nil)
	require.NoError(t, err)
	limit := time.AfterFunc(eventLimit, cancel)
	resp, err := c.Do(r)
	require.NoError(t, err, "waited for the headers of a watch, for up to %s", eventLimit)
	limit.Stop()
	t.Cleanup(func() { resp.Body.Close() })
	return &plainWatch{resp, json.NewDecoder(resp.Body), cancel}
}

// next reads an event; the error is how the watch ended.
func (w *plainWatch) next(t *testing.T) (event, error) {
	t.Helper()
	limit := time.AfterFunc(eventLimit, w.cancel)
	defer limit.Stop()
	var ev event
	err := w.events.Decode(&ev)
	return ev, err
}

// see reads an event that must be there.
func (w *plainWatch) see(t *testing.T, kind, name string) Object {
	t.Helper()
	ev, err := w.next(t)
	require.NoError(t, err)
	require.Equal(t, kind, ev.Type, "%s", ev.Object)
	o, err := ParseObject(ev.Object)
	require.NoError(t, err)
	require.Equal(t, name, o.Name)
	return o
}

// end reads how the watch ends, when no event may be left.
func (w *plainWatch) end(t *testing.T) error {
	t.Helper()
	ev, err := w.next(t)
	require.Error(t, err, "got %s %s", ev.Type, ev.Object)
	return err
}
