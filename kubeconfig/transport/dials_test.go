package transport

import (
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"

	"example.com/rawwatch/internal/testpki"
)

// TestServersThatTakeNoRequestAreNotDialledInAStorm: without a limit the
// transport never comes back from these.
func TestServersThatTakeNoRequestAreNotDialledInAStorm(t *testing.T) {
	for name, refuse := range map[string]func(*http2.Framer, uint32){
		"GOAWAY": func(f *http2.Framer, _ uint32) { f.WriteGoAway(0, http2.ErrCodeNo, nil) },
		"no streams": func(f *http2.Framer, stream uint32) {
			f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
			f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
		},
	} {
		t.Run(name, func(t *testing.T) {
			ca := testpki.New(t)
			listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{ca.Server}, NextProtos: []string{"h2"}})
			require.NoError(t, err)
			defer listener.Close()
			var connections atomic.Int32
			go func() {
				for {
					conn, err := listener.Accept()
					if err != nil {
						return
					}
					connections.Add(1)
					go refuseRequests(conn, refuse)
				}
			}()
			server := mustURL(t, "https://"+listener.Addr().String())
			client, err := NewClient(Config{Server: server, TLS: TLS{CA: Source{Data: ca.PEM}, ServerName: "api.test"}, RequestTimeout: 20 * time.Second})
			require.NoError(t, err)
			defer client.CloseIdleConnections()
			for range 2 {
				connections.Store(0)
				_, err = client.Get(server.String())
				require.ErrorIs(t, err, errTooManyDials)
				assert.LessOrEqual(t, connections.Load(), int32(maxDials))
			}
		})
	}
}

// refuseRequests is an HTTP/2 server that says no to each request and hangs up.
func refuseRequests(conn net.Conn, refuse func(*http2.Framer, uint32)) {
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(conn, conn)
	framer.WriteSettings()
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		if h, ok := frame.(*http2.HeadersFrame); ok {
			refuse(framer, h.StreamID)
		}
	}
}
