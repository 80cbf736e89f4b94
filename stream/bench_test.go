package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"testing"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
	"github.com/stretchr/testify/require"
)

// BenchmarkWatch is what a caller of Watch gets: owned events of known objects,
// each compared with the index, or not. It takes turns with a decode.Reader of
// the same bytes, and says how fast it is by that.
func BenchmarkWatch(b *testing.B) {
	pods := podEvents(b)
	for _, events := range []struct {
		name  string
		lines []string
	}{{"pods", pods}, {"metadata", metadataOf(pods)}, {"configmaps", configMapEvents()}} {
		for _, untracked := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/untracked=%t", events.name, untracked), func(b *testing.B) {
				const turn = 3000
				body := changing(events.lines)
				b.SetBytes(int64(len(body.body) / len(events.lines) / 2))
				b.ReportAllocs()
				reader := decode.NewReader(changing(events.lines), 0)
				w := canned(func() io.Reader { return body }).watcher()
				w.Start, w.Untracked = stream.StartAny, untracked
				var lent time.Duration
				n := 0
				b.ResetTimer()
				for _, err := range w.Watch(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
					n++
					if left := n % turn; left == 0 || n == b.N {
						b.StopTimer()
						start := time.Now()
						for range n - (n-1)/turn*turn {
							if _, err := reader.Next(); err != nil {
								b.Fatal(err)
							}
						}
						lent += time.Since(start)
						b.StartTimer()
					}
					if n == b.N {
						break
					}
				}
				b.StopTimer()
				b.ReportMetric(lent.Seconds()/b.Elapsed().Seconds(), "of-lent-speed")
			})
		}
	}
}

// An event of a known object is two allocations: its bytes, and one string that
// all short fields are parts of.
func TestEventIsTwoAllocations(t *testing.T) {
	body := changing(configMapEvents())
	w := canned(func() io.Reader { return body }).watcher()
	w.Start = stream.StartAny
	next, stop := iter.Pull2(w.Watch(t.Context()))
	defer stop()
	one := func() {
		_, err, _ := next()
		require.NoError(t, err)
	}
	for range 600 {
		one()
	}
	require.LessOrEqual(t, testing.AllocsPerRun(3000, one), 2.0)
}

// BenchmarkList reads a list of 300 pods in one body: what a caller gets of it
// by what a decode.ListReader costs.
func BenchmarkList(b *testing.B) {
	pods := podEvents(b)
	body, err := io.ReadAll(listOfMany(pods, len(pods)))
	require.NoError(b, err)
	for _, untracked := range []bool{false, true} {
		b.Run(fmt.Sprintf("untracked=%t", untracked), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			var lent time.Duration
			for b.Loop() {
				w := canned(func() io.Reader { return bytes.NewReader(body) }).watcher()
				w.Untracked = untracked
				for ev, err := range w.Watch(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
					if ev.Type == stream.Synced {
						break
					}
				}
				b.StopTimer()
				start := time.Now()
				reader := decode.NewListReader(bytes.NewReader(body), 0)
				for {
					if _, err := reader.Next(); errors.Is(err, io.EOF) {
						break
					}
				}
				lent += time.Since(start)
				b.StartTimer()
			}
			b.StopTimer()
			b.ReportMetric(lent.Seconds()/b.Elapsed().Seconds(), "of-lent-speed")
		})
	}
}

// BenchmarkListHeap reads a list in one body and reports the most that is alive
// in the middle of it, at ten places: first without an index, then, with the
// last item in hand, all but the index.
func BenchmarkListHeap(b *testing.B) {
	pods := podEvents(b)
	for _, items := range []int{1000, 10_000, 100_000} {
		for _, untracked := range []bool{true, false} {
			b.Run(fmt.Sprintf("items=%d/untracked=%t", items, untracked), func(b *testing.B) {
				for b.Loop() {
					body := listOfMany(pods, items)
					before := stream.LiveHeap()
					w := canned(func() io.Reader { return body }).watcher()
					w.Untracked = untracked
					var most, index int64
					n := 0
					for _, err := range w.Watch(context.Background()) {
						if err != nil {
							b.Fatal(err)
						}
						n++
						if n == items {
							index = stream.LiveHeap()
							w.DropIndex()
							index -= stream.LiveHeap()
						}
						if n == items || untracked && n%(items/10) == 0 {
							most = max(most, stream.LiveHeap()-before)
						}
						if n == items {
							break
						}
					}
					b.ReportMetric(float64(most)/1024, "KiB-above-index")
					b.ReportMetric(float64(index)/float64(items), "index-B/item")
				}
			})
		}
	}
}
