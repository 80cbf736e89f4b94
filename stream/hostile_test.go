package stream_test

import (
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const secret = "s3cret-token"

// withToken sends a credential with every request, as kubeconfig's client does.
type withToken struct{ base http.RoundTripper }

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+secret)
	return t.base.RoundTrip(r)
}

// A hostile server gets a bounded number of requests, and its words never make
// the token appear anywhere.
func TestHostileServer(t *testing.T) {
	echo := `{"kind":"Status","status":"Failure","message":"you sent Bearer ` + secret + `\u001b[2J","reason":"Forbidden","code":403}`
	for name, tt := range map[string]struct {
		answer   []replay.Step
		requests int // in the first ten minutes, at the most
	}{
		"redirect to another host": {replay.JSON(307, "", "Location: http://evil.test/"), 1},
		"echoes the token":         {replay.JSON(403, echo), 1},
		"garbage":                  {stream200("\x00\xff\x1f\x8b\n", end), 30},
		"nested without end":       {stream200(`{"type":"ADDED","object":`+strings.Repeat("[", 100_000)+"\n", end), 30},
		"lines of nothing":         {stream200(strings.Repeat("\n\r\n", 10_000), end), 30},
		"accepts and closes":       {[]replay.Step{cut}, 30},
		"asks for no pause":        {refused(503, "", "Retry-After: 0"), 30},
	} {
		bubble(t, name, func(t *testing.T) {
			answers := replay.Script{}
			for range 50 {
				answers = append(answers, on(replay.Request{}, tt.answer...))
			}
			srv := replay.NewServer(ignoreLeftovers{t}, answers, replay.Options{})
			client := *srv.Client()
			client.Transport = withToken{client.Transport}
			w := &stream.Watcher{Client: &client, Server: srv.URL(), Target: target, Start: stream.StartExact, ResourceVersion: "10"}
			ctx, cancel := contextFor(t, 10*time.Minute)
			defer cancel()
			for _, err := range w.Watch(ctx) {
				require.Error(t, err)
				assert.NotContains(t, err.Error(), secret)
				assert.NotContains(t, err.Error(), "\x1b")
				assert.NotContains(t, err.Error(), "\n")
			}
			assert.LessOrEqual(t, len(srv.Requests()), tt.requests)
		})
	}
}

// endless is a body that never ends, and whose lines do not either.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

type always struct {
	code   int
	prefix string
	asked  *int
}

func (a always) RoundTrip(r *http.Request) (*http.Response, error) {
	*a.asked++
	body := io.NopCloser(io.MultiReader(strings.NewReader(a.prefix), endless{}))
	return &http.Response{StatusCode: a.code, Proto: "HTTP/1.1", Header: http.Header{}, Request: r, Body: body}, nil
}

func TestEndlessBodiesCostBoundedMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		code   int
		prefix string
		start  stream.Start
		want   status.EndKind
	}{
		"an endless line":      {200, `{"type":"ADDED","object":"`, stream.StartMostRecent, status.EndFrameSize},
		"an endless list item": {200, `{"items":[{"data":"`, stream.StartList, status.EndFrameSize},
		"an endless list head": {200, `{"kind":"`, stream.StartList, status.EndFrameSize},
		"an endless refusal":   {403, `{"kind":"Status","message":"`, stream.StartList, ""},
	} {
		bubble(t, name, func(t *testing.T) {
			asked := 0
			w := &stream.Watcher{
				Client: &http.Client{Transport: always{tt.code, tt.prefix, &asked}},
				Server: replay.NewServer(t, nil, replay.Options{}).URL(),
				Target: target, Start: tt.start, MaxFrame: 1 << 20,
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, err := range w.Watch(t.Context()) {
				require.Error(t, err)
				if tt.want != "" {
					var kind status.Kinded
					require.ErrorAs(t, err, &kind)
					assert.EqualValues(t, tt.want, kind.FailureKind())
				}
			}
			runtime.ReadMemStats(&after)
			assert.LessOrEqual(t, asked, 2)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
}
