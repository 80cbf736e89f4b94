package stream_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"syscall"

	"example.com/rawwatch/stream/replay"
)

// answers take the server's place.
var answers = []struct {
	watch, list bool
	once        bool // three in a row would end the watch, and rightly
	refusal     bool // so would one, but for a consumer that persists
	steps       []replay.Step
}{
	{watch: true, list: true, steps: replay.JSON(503, "<html>upstream</html>", "Content-Type: text/html")},
	{watch: true, list: true, steps: replay.JSON(429, replay.StatusRetry(429, "TooManyRequests", 1))},
	{watch: true, list: true, steps: replay.JSON(500, replay.StatusBody(500, "InternalError"))},
	{watch: true, list: true, steps: replay.JSON(504, replay.StatusBody(504, "Timeout"))},
	{watch: true, list: true, steps: replay.JSON(410, replay.StatusBody(410, "Expired"))},
	{watch: true, list: true, steps: []replay.Step{replay.Cut()}},
	{watch: true, list: true, steps: []replay.Step{replay.Reset()}},
	{watch: true, list: true, steps: []replay.Step{replay.Hold()}},
	{watch: true, list: true, steps: []replay.Step{replay.Respond(200), replay.Hold()}},
	{watch: true, list: true, steps: []replay.Step{replay.Respond(200), replay.Write("garbage\n"), replay.End()}},
	{watch: true, list: true, refusal: true, steps: replay.JSON(403, replay.StatusBody(403, "Forbidden"))},
	{watch: true, list: true, refusal: true, steps: replay.JSON(404, replay.StatusBody(404, "NotFound"))},
	{watch: true, once: true, steps: replay.JSON(200, replay.ListBody("100", replay.Item("n1", "90")))},
	{watch: true, steps: []replay.Step{replay.Respond(200), replay.End()}},
	{watch: true, steps: errorEvent(replay.ErrorEvent(410, "Expired"))},
	{watch: true, steps: errorEvent(replay.ErrorEvent(500, "InternalError"))},
	{watch: true, steps: errorEvent(replay.ErrorEvent(500, "StorageReadError"))},
	{watch: true, steps: errorEvent(`{"type":"ERROR","object":null}` + "\n")},
	{watch: true, steps: errorEvent(replay.EventOf("ERROR", `{"kind":"Pod"}`))},
	{watch: true, steps: []replay.Step{replay.Respond(200), replay.Write(replay.EventOf("NEWS", `{}`)), replay.Cut()}},
	{watch: true, steps: []replay.Step{replay.Respond(200), replay.Write(replay.EventOf("BOOKMARK", `{"kind":"ConfigMap","metadata":{}}`)), replay.End()}},
	{watch: true, steps: []replay.Step{replay.Respond(200), replay.Write(`{"type":"ADDED","object":{"meta`), replay.Hold()}},
	// A collection whose body was never finished, and a Status at the end, where
	// an item would stand, and in the middle of one.
	{list: true, steps: []replay.Step{replay.Respond(200), replay.Write(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[` + replay.StatusBody(500, "InternalError")), replay.End()}},
	{list: true, steps: []replay.Step{replay.Respond(200), replay.Write(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[{"meta` + replay.StatusBody(500, "InternalError")), replay.End()}},
	{list: true, steps: []replay.Step{replay.Respond(200), replay.Write(`{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"100"},"items":[`), replay.Cut()}},
	{list: true, steps: replay.JSON(504, strings.Replace(replay.StatusBody(504, "Timeout"), `"code"`, `"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":""}]},"code"`, 1))},
}

func errorEvent(line string) []replay.Step {
	return []replay.Step{replay.Respond(200), replay.Write(line), replay.End()}
}

// intercept answers one request in five in the server's place.
func (c *chaos) intercept(r *http.Request) []replay.Step {
	var src *source
	for _, src = range c.sources {
		if strings.Contains(r.URL.Path, "/namespaces/"+src.namespace+"/") {
			break
		}
	}
	// A killed process may still be asking while the next one does.
	src.chance.Lock()
	defer src.chance.Unlock()
	if c.calm.Load() || src.answers.IntN(5) > 0 {
		src.last = -1
		return nil
	}
	which := src.answers.IntN(len(answers))
	answer := answers[which]
	watch := r.URL.Query().Get("watch") == "true"
	if watch && !answer.watch || !watch && !answer.list || answer.once && which == src.last || answer.refusal && !src.persists {
		return nil
	}
	src.last = which
	return answer.steps
}

// network is what is between one source and the server.
type network struct {
	*chaos
	*source
}

// RoundTrip spoils some bodies.
func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	n.chance.Lock()
	refused := !n.calm.Load() && n.bodies.IntN(40) == 0
	n.chance.Unlock()
	if refused {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	resp, err := n.to.RoundTrip(r)
	if err != nil || n.calm.Load() {
		return resp, err
	}
	n.chance.Lock()
	defer n.chance.Unlock()
	body := &spoiledBody{ReadCloser: resp.Body, left: -1, rand: rand.New(rand.NewPCG(n.bodies.Uint64(), 0))}
	body.closed, body.close = context.WithCancel(r.Context())
	if n.bodies.IntN(4) == 0 {
		body.left, body.end = n.bodies.IntN(4000), n.bodies.IntN(4)
	}
	resp.Body = body
	return resp, nil
}

// spoiledBody comes in pieces, and breaks after left bytes, if there is a limit.
type spoiledBody struct {
	io.ReadCloser
	closed context.Context
	close  context.CancelFunc
	left   int // -1: no limit
	end    int
	rand   *rand.Rand
}

func (b *spoiledBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		switch b.end {
		case 0:
			return 0, io.EOF // a proxy that ends the answer as if it were whole
		case 1:
			return 0, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
		case 2:
			<-b.closed.Done() // silence
			return 0, b.closed.Err()
		}
		return 0, io.ErrUnexpectedEOF
	}
	if len(p) > 1 && b.rand.IntN(3) == 0 {
		p = p[:1+b.rand.IntN(min(len(p)-1, 300))]
	}
	if b.left > 0 {
		p = p[:min(len(p), b.left)]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= min(n, max(b.left, 0))
	return n, err
}

func (b *spoiledBody) Close() error {
	b.close()
	return b.ReadCloser.Close()
}
