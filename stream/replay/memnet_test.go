package replay

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemoryConnectionDeadlinesWakeTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := memPipe()
		defer client.Close()
		defer server.Close()
		start := time.Now()
		require.NoError(t, client.SetDeadline(start.Add(time.Minute)))
		_, err := client.Read(make([]byte, 1))
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		var ne net.Error
		require.ErrorAs(t, err, &ne)
		assert.True(t, ne.Timeout())

		require.NoError(t, client.SetWriteDeadline(time.Now().Add(time.Minute)))
		n, err := client.Write(make([]byte, memWindow+1)) // nobody reads
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Equal(t, memWindow, n)

		// Taken back, a deadline does no more harm.
		require.NoError(t, client.SetReadDeadline(time.Time{}))
		go func() {
			time.Sleep(time.Hour)
			server.Write([]byte("x"))
		}()
		n, err = client.Read(make([]byte, 2))
		assert.NoError(t, err)
		assert.Equal(t, 1, n)
	})
}

func TestMemoryConnectionHalfClose(t *testing.T) {
	client, server := memPipe()
	_, err := client.Write([]byte("request"))
	require.NoError(t, err)
	require.NoError(t, client.CloseWrite())
	b, err := io.ReadAll(server)
	require.NoError(t, err)
	assert.Equal(t, "request", string(b))
	_, err = server.Write([]byte("answer"))
	require.NoError(t, err)
	require.NoError(t, server.Close())
	b, err = io.ReadAll(client)
	require.NoError(t, err)
	assert.Equal(t, "answer", string(b))

	_, err = client.Write([]byte("x"))
	assert.ErrorIs(t, err, net.ErrClosed, "its own writing side is closed")
	_, err = server.Read(make([]byte, 1))
	assert.ErrorIs(t, err, net.ErrClosed)
}

func TestMemoryConnectionTakesOneWriteThatNobodyReads(t *testing.T) {
	client, server := memPipe()
	require.NoError(t, server.Close())
	n, err := client.Write([]byte("request"))
	require.NoError(t, err)
	assert.Equal(t, 7, n)
	_, err = client.Write([]byte("more"))
	assert.ErrorIs(t, err, syscall.EPIPE)
	_, err = client.Read(make([]byte, 1))
	assert.Equal(t, io.EOF, err)
}

func TestMemoryConnectionResetIsReadAfterTheData(t *testing.T) {
	client, server := memPipe()
	_, err := server.Write([]byte("data"))
	require.NoError(t, err)
	server.reset()
	b, err := io.ReadAll(client)
	assert.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Equal(t, "data", string(b))
	_, err = client.Write([]byte("x"))
	assert.ErrorIs(t, err, syscall.ECONNRESET)
}

func TestMemoryConnectionWriterWaitsForTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := memPipe()
		want := strings.Repeat("abc", memWindow)
		var written error = errors.New("still writing")
		go func() {
			_, written = server.Write([]byte(want))
			server.Close()
		}()
		synctest.Wait()
		assert.EqualError(t, written, "still writing")
		b, err := io.ReadAll(client)
		require.NoError(t, err)
		assert.True(t, want == string(b))
		synctest.Wait()
		assert.NoError(t, written)
	})
}

func TestMemoryListenerThatIsClosedRefuses(t *testing.T) {
	l := newMemListener()
	require.NoError(t, l.Close())
	_, err := l.dial(t.Context())
	assert.ErrorIs(t, err, syscall.ECONNREFUSED)
	_, err = l.Accept()
	assert.ErrorIs(t, err, net.ErrClosed)
}
