package e2e

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/rawwatch/internal/history"
	"example.com/rawwatch/kubeconfig"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/test/cluster"
	"example.com/rawwatch/test/proxy"
)

// scene is two watches behind a bad network, and a writer on a good one.
type scene struct {
	*testing.T
	*proxy.Proxy
	*writer
	loop    *consumer
	command *command
}

// silence is how long the watches of a scene bear it. No server sends
// bookmarks that often, so a quiet time is taken for a dead one now and then:
// that costs a request, and must cost nothing else.
const silence = 2 * time.Second

// protocols are the environments in which they are spoken. HTTP/2 connections
// are pinged sooner than by default, so that a test need not wait for a minute.
var protocols = map[string][]string{
	"HTTP/1.1": {"DISABLE_HTTP2=1"},
	"HTTP/2.0": {"HTTP2_READ_IDLE_TIMEOUT_SECONDS=1", "HTTP2_PING_TIMEOUT_SECONDS=1"},
}

func TestBadNetwork(t *testing.T) {
	t.Parallel()
	s := cluster.Shared(t)
	for name, happens := range map[string]func(*scene){
		"cut in the middle of a frame":  cut,
		"reset":                         reset,
		"stalled":                       stalled,
		"frozen connection":             frozen,
		"refused":                       refused,
		"cut again and again in a list": cutInList,
	} {
		for protocol, environment := range protocols {
			t.Run(name+" over "+protocol, func(t *testing.T) {
				t.Parallel()
				sc := &scene{T: t, Proxy: proxy.Start(t, s.Address()), writer: newWriter(t, s, configMaps(s.Namespace(t)))}
				for i := range 60 {
					sc.create("many-" + strconv.Itoa(i))
				}
				via := s.Via(sc.Address())
				sc.CutAfter(firstCut)
				sc.loop = consume(t, "library", newWatcher(t, via, sc.in, func(w *stream.Watcher) {
					w.Client = load(t, kubeconfig.Options{Path: via.Kubeconfig(t, s.Admin, "")}, environment...)
					w.PageSize = 10
					w.IdleTimeout, w.HeaderTimeout = silence, silence
				}), nil, nil)
				sc.command = run(t, via, s.Admin, environment, sc.in.Path(), "-o", "json", "--markers", "--persist",
					"--chunk-size", "10", "--backoff-min", "50ms", "--backoff-max", "1s", "--idle-timeout", silence.String())
				happens(sc)
				sc.churn(10)
				verify(t, sc.ledger, sc.loop, sc.command)

				assert.Equal(t, []string{protocol}, sc.loop.protocols())
				for _, o := range []observer{sc.loop, sc.command} {
					assert.NotContains(t, words(o.seen()), "GAP", "a network loses no history")
				}
			})
		}
	}
}

// firstCut lets the handshake through and a part of the first answer.
const firstCut = 5000

func (sc *scene) synced() {
	sc.Helper()
	awaitSynced(sc, sc.loop, sc.command)
}

// failed waits until the loop has met a row of the verdict table.
func (sc *scene) failed(row string) {
	sc.Helper()
	await(sc, sc.loop, row, func([]history.Event) bool { return sc.loop.has(row) })
}

func cut(sc *scene) {
	sc.synced()
	for range 6 {
		sc.CutAfter(rand.Int64N(600))
		sc.churn(3)
		settle(sc, sc.ledger, sc.loop, sc.command)
	}
}

func reset(sc *scene) {
	sc.synced()
	for range 4 {
		sc.churn(3)
		sc.Reset()
		sc.churn(3)
		settle(sc, sc.ledger, sc.loop, sc.command)
	}
}

func stalled(sc *scene) {
	sc.synced()
	sc.Stall()
	sc.churn(5)
	sc.failed(status.RowConnect) // after the watch that was open, new ones fail as well
	sc.churn(5)
	sc.Flow()
}

func frozen(sc *scene) {
	sc.synced()
	for range 2 {
		sc.Freeze()
		sc.churn(5)
		settle(sc, sc.ledger, sc.loop, sc.command)
	}
}

func refused(sc *scene) {
	sc.synced()
	sc.Refuse()
	sc.Cut()
	sc.churn(5)
	sc.failed(status.RowConnect)
	sc.churn(5)
	sc.Accept(sc)
}

func cutInList(sc *scene) {
	for n := range int64(12) {
		end := sc.Received() + 3000 + 1500*n
		sc.CutAfter(end - sc.Received())
		cluster.Wait(sc, patience, "the cut, or the end of the list", func() bool {
			return sc.Received() >= end || has("SYNCED", "")(sc.loop.seen()) && has("SYNCED", "")(sc.command.seen())
		})
	}
	sc.synced()
	assert.True(sc, sc.loop.has(status.RowBrokenStream))
}
