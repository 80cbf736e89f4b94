package cli

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream/replay"
)

func TestMetricsAreServedWhileTheWatchRuns(t *testing.T) {
	var stderr lockedBuffer
	var pages []string
	out := writerFunc(func(b []byte) (int, error) {
		at := regexp.MustCompile(`metrics are at (http://127\.0\.0\.1:\d+)/metrics`).FindStringSubmatch(stderr.String())
		require.NotNil(t, at, stderr.String())
		for _, path := range []string{"/metrics", "/healthz"} {
			resp, err := http.Get(at[1] + path)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			require.NoError(t, err)
			pages = append(pages, string(body))
		}
		return len(b), nil
	})
	code := Run(t.Context(), []string{replay.ConfigMaps, "-s", twoEvents(t), "--no-headers", "--count", "2", "--metrics", "0"},
		Streams{In: strings.NewReader(""), Out: out, Err: &stderr})
	require.Equal(t, 0, code, stderr.String())
	require.Len(t, pages, 4)
	assert.Contains(t, pages[0], `rawwatch_requests_total{group="",resource="configmaps",namespace="t"} 1`)
	assert.Contains(t, pages[2], `rawwatch_requests_total{group="",resource="configmaps",namespace="t"} 2`)
	assert.Equal(t, []string{"ok\n", "ok\n"}, []string{pages[1], pages[3]})
}

// lockedBuffer is a standard error that is read while it is written.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
