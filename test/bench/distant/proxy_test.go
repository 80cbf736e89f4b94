package distant_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/test/bench/distant"
)

// Everything that is sent comes back, and no sooner than a round trip later.
func TestProxy(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer echo.Close()
	go func() {
		c, err := echo.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		_, _ = io.Copy(c, c)
	}()

	const roundTrip = 60 * time.Millisecond
	p, err := distant.Start(echo.Addr().String(), roundTrip)
	require.NoError(t, err)
	defer p.Close()
	c, err := net.Dial("tcp", p.Address())
	require.NoError(t, err)
	defer c.Close()

	start := time.Now()
	_, err = c.Write([]byte("there and back"))
	require.NoError(t, err)
	back := make([]byte, len("there and back"))
	_, err = io.ReadFull(c, back)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, time.Since(start), roundTrip)
	assert.Equal(t, "there and back", string(back))
}
