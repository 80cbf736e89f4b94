package cli

import (
	"bytes"
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/stream/replay"
)

func TestAReaderThatLeavesAQuietWatchEndsIt(t *testing.T) {
	for _, full := range []bool{false, true} {
		t.Run(map[bool]string{false: "with an empty pipe", true: "with a full one"}[full], func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer w.Close()
			ctx, stop := withReader(t.Context(), w)
			defer stop()
			if full {
				conn, err := w.SyscallConn()
				require.NoError(t, err)
				require.NoError(t, conn.Write(func(fd uintptr) bool {
					for {
						if _, err := syscall.Write(int(fd), bytes.Repeat([]byte("x"), 4096)); err != nil {
							return assert.ErrorIs(t, err, syscall.EAGAIN)
						}
					}
				}))
			}
			require.NoError(t, ctx.Err())
			require.NoError(t, r.Close())
			<-ctx.Done()
			assert.Equal(t, errClosedPipe, context.Cause(ctx))
		})
	}
	t.Run("before the watch begins", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer w.Close()
		require.NoError(t, r.Close())
		ctx, stop := withReader(t.Context(), w)
		defer stop()
		<-ctx.Done()
		assert.Equal(t, errClosedPipe, context.Cause(ctx))
	})
	t.Run("through the whole command", func(t *testing.T) {
		srv := replay.NewServer(t, replay.Script{
			replay.On(replay.Watch(replay.ConfigMaps, "10"), replay.Respond(200), replay.Write(replay.Event("ADDED", "a", "11")), replay.Hold()),
		}, replay.Options{TCP: true})
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer w.Close()
		left := make(chan struct{})
		go func() {
			defer close(left)
			r.Read(make([]byte, 1))
			r.Close()
		}()
		code, stderr := run(t, w, replay.ConfigMaps, "-s", srv.URL().String(), "--resource-version", "10")
		<-left
		assert.Zero(t, code)
		assert.NotContains(t, stderr, "nobody")
	})
}

func TestAReaderThatStaysEndsNothing(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	ctx, stop := withReader(t.Context(), w)
	_, err = w.Write([]byte("x"))
	require.NoError(t, err)
	_, err = r.Read(make([]byte, 1))
	require.NoError(t, err)
	assert.NoError(t, ctx.Err())
	stop()
	assert.Equal(t, context.Canceled, context.Cause(ctx))

	file, err := os.Create(t.TempDir() + "/file")
	require.NoError(t, err)
	defer file.Close()
	_, stop = withReader(t.Context(), file) // no pipe
	stop()
}
