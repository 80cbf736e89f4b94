package stream_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// A server that dies takes every watch with it in the same moment; what must
// not happen is that they come back in the same moment too.
func TestFailureB37WatchesThatBrokeTogetherComeBackApart(t *testing.T) {
	const watchers, outage = 200, 10 * time.Second
	for name, relist := range map[string]bool{"and resume": false, "and have to relist": true} {
		bubble(t, name, func(t *testing.T) {
			down := time.Now().Add(time.Minute)
			up := down.Add(outage)
			ctx, cancel := contextFor(t, time.Until(up.Add(time.Minute)))
			defer cancel()
			var running sync.WaitGroup
			back := make([]time.Time, watchers) // first answer after the outage
			tries := make([]int, watchers)      // from its beginning on, for 60 s
			for i := range watchers {
				server := outageTransport{down: down, up: up, lost: relist, back: &back[i], tries: &tries[i]}
				w := &stream.Watcher{
					Client: &http.Client{Transport: server}, Server: &url.URL{Scheme: "http", Host: "fake.test"},
					Target: target, Rand: rand.New(rand.NewPCG(uint64(i+1), 0)),
				}
				running.Go(func() {
					for _, err := range w.Watch(ctx) {
						if err != nil {
							assert.ErrorIs(t, err, errScriptOver)
						}
					}
				})
			}
			running.Wait()
			perBucket := map[time.Duration]int{}
			for i := range watchers {
				assert.False(t, back[i].IsZero(), "watcher %d never came back", i)
				perBucket[back[i].Sub(up).Truncate(100*time.Millisecond)]++
				assert.LessOrEqual(t, tries[i], 12, "watcher %d", i)
			}
			for at, n := range perBucket {
				assert.LessOrEqual(t, n, watchers/5, "came back in the same 100 ms, %s after the server", at)
			}
			synctest.Wait()
		})
	}
}

// outageTransport is a server that is gone from down to up. Watches that are
// open at down break.
type outageTransport struct {
	down, up time.Time
	lost     bool // it knows no version from before the outage
	back     *time.Time
	tries    *int
}

func (s outageTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	now, q := time.Now(), r.URL.Query()
	if !now.Before(s.down) && now.Sub(s.down) < time.Minute {
		*s.tries++
	}
	if !now.Before(s.down) && now.Before(s.up) {
		return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
	}
	version := "10"
	if !now.Before(s.up) {
		version = "20"
		if s.back.IsZero() {
			*s.back = now
		}
	}
	var body io.Reader
	switch {
	case q.Get("watch") != "true":
		body = strings.NewReader(replay.ListBody(version))
	case s.lost && q.Get("resourceVersion") != version:
		body = strings.NewReader(gone)
	case now.Before(s.down):
		body = io.MultiReader(pause{r, s.down.Sub(now)}, broken{})
	default:
		body = pause{r, time.Hour}
	}
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", Header: http.Header{}, Request: r, Body: io.NopCloser(body)}, nil
}

// broken is a reader of a connection that was cut.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
