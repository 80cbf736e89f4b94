package transport

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"example.com/rawwatch/internal/testpki"
)

// What a server is told in the first frame is how much it may send to a stream
// that nobody reads.
func TestStreamHoldsOneMebibyte(t *testing.T) {
	ca := testpki.New(t)
	conn, server := net.Pipe()
	client, err := NewClient(Config{Server: mustURL(t, "https://api.test"), TLS: TLS{CA: Source{Data: ca.PEM}}})
	require.NoError(t, err)
	r := client.Transport.(*roundTripper)
	r.roots = r.trust.current(time.Now())
	r.pool = r.newPool(r.roots, nil)
	r.pool.DialContext = func(context.Context, string, string) (net.Conn, error) { return conn, nil }
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if resp, err := client.Get("https://api.test/"); err == nil {
			resp.Body.Close()
		}
	}()

	peer := tls.Server(server, &tls.Config{Certificates: []tls.Certificate{ca.Server}, NextProtos: []string{"h2"}})
	_, err = io.ReadFull(peer, make([]byte, len(http2.ClientPreface)))
	require.NoError(t, err)
	frame, err := http2.NewFramer(peer, peer).ReadFrame()
	require.NoError(t, err)
	window, told := frame.(*http2.SettingsFrame).Value(http2.SettingInitialWindowSize)
	require.True(t, told)
	require.EqualValues(t, 1<<20, window)
	require.NoError(t, server.Close())
	<-ended
}
