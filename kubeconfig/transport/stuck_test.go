package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.com/rawwatch/internal/testpki"
)

// TestPeerThatStopsReading: the pipe below the connection holds no byte, as the
// buffers of a connection do when they are full. Without a limit on writing,
// Read waits to tell the server of the room it has made for as long as the
// server pleases, and does not look at its context. In real time: others wait
// for a mutex then, which stops the clock of a bubble.
func TestPeerThatStopsReading(t *testing.T) {
	ca := testpki.New(t)
	conn, server := net.Pipe()
	defer server.Close()
	stuck := make(chan struct{})
	go func() {
		stopReading(tls.Server(server, &tls.Config{Certificates: []tls.Certificate{ca.Server}, NextProtos: []string{"h2"}}))
		// The first byte of what the client has to say to that; the next one
		// is what it waits with.
		if _, err := server.Read(make([]byte, 1)); err == nil {
			close(stuck)
		}
	}()
	client, err := NewClient(Config{Server: mustURL(t, "https://api.test"), TLS: TLS{CA: Source{Data: ca.PEM}}})
	require.NoError(t, err)
	r := client.Transport.(*roundTripper)
	require.Equal(t, writeTimeout, r.wire.writeTimeout)
	r.wire.writeTimeout = 20 * time.Millisecond
	r.roots = r.trust.current(time.Now())
	r.pool = r.newPool(r.roots, nil)
	r.pool.DialContext = func(context.Context, string, string) (net.Conn, error) { return conn, nil }

	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, "GET", "https://api.test/?watch=true", nil)
	require.NoError(t, err)
	resp, err := client.Do(request)
	require.NoError(t, err)
	require.Equal(t, "HTTP/2.0", resp.Proto)
	go func() {
		<-stuck
		cancel()
	}()
	_, err = io.ReadAll(resp.Body)
	require.Error(t, err)
	require.NoError(t, resp.Body.Close())
}

// stopReading is an HTTP/2 server that answers a request with more than it
// takes to make the client say something, and listens no longer by then.
func stopReading(conn net.Conn) {
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	settings := make(chan struct{})
	go func() {
		defer close(settings)
		framer.WriteSettings()
	}()
	stream := uint32(0)
	for acknowledged := false; stream == 0 || !acknowledged; {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			acknowledged = acknowledged || f.IsAck()
		case *http2.HeadersFrame:
			stream = f.StreamID
		}
	}
	<-settings
	var header bytes.Buffer
	hpack.NewEncoder(&header).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	framer.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: header.Bytes(), EndHeaders: true})
	framer.WriteData(stream, false, make([]byte, 12<<10))
}
