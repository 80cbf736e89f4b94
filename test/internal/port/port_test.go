package port

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFreePortCanBeListenedOnAndIsNoLocalPortOfConnections(t *testing.T) {
	for range 100 {
		p, err := Free()
		require.NoError(t, err)
		require.Less(t, p, 32768)
		l, err := net.Listen("tcp", Address(p))
		require.NoError(t, err)
		assert.Equal(t, p, l.Addr().(*net.TCPAddr).Port)
		require.NoError(t, l.Close())
	}
}
