// Package window measures what the receive window of HTTP/2 is worth: how fast
// one long list comes from a server that is far away, and what a window costs
// when nobody reads.
//
// The distance is made by package distant; on the path there is nothing else
// that limits, so a window looks better here than behind a real link.
package window

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"example.com/rawwatch/test/bench/distant"
	"example.com/rawwatch/test/bench/endless"
	"example.com/rawwatch/test/bench/measure"
	"example.com/rawwatch/test/bench/process"
)

// windows of a stream, by their names in the results.
var windows = []struct {
	name string
	size int
}{
	{"1 MiB, rawwatch's", 1 << 20},
	{"4 MiB, net/http's", 0},
	{"16 MiB", 16 << 20},
	{"64 MiB", 64 << 20},
}

// Suite is the suite.
func Suite() measure.Suite {
	return measure.Suite{
		Name:    "window",
		Title:   "HTTP/2 windows and distance",
		Axis:    "ms",
		Rounds:  3,
		Figures: []string{"MB/s", "read MB", "stalled MB"},
		Cases:   cases,
	}
}

func cases(ctx context.Context, o measure.Options) (all []measure.Case, end func(), err error) {
	items, stall := 5000, time.Second
	trips := []time.Duration{0, 20 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond}
	if o.Once {
		items, stall, trips = 50, 10*time.Millisecond, trips[1:2]
	}
	added, err := endless.Pods()
	if err != nil {
		return nil, nil, err
	}
	server, ca, err := start(o.Folder, added, items)
	if err != nil {
		return nil, nil, err
	}
	ends := []func(){server.Close, server.CloseClientConnections}
	end = func() {
		for i := range ends {
			ends[len(ends)-1-i]()
		}
	}
	program, err := process.Build(ctx, o.Folder, "window")
	if err != nil {
		return nil, end, err
	}
	for _, trip := range trips {
		proxy, err := distant.Start(server.Listener.Addr().String(), trip)
		if err != nil {
			return nil, end, err
		}
		ends = append(ends, proxy.Close)
		c := measure.Case{Name: fmt.Sprintf("round trip of %v", trip), Size: float64(trip.Milliseconds())}
		for _, w := range windows {
			args := []string{"-server", "https://" + proxy.Address(), "-ca", ca, "-window", fmt.Sprint(w.size), "-stall", stall.String()}
			c.Contenders = append(c.Contenders, measure.Contender{Name: w.name, Run: func(ctx context.Context) (measure.Figures, error) {
				return program.Run(ctx, args...)
			}})
		}
		all = append(all, c)
	}
	return all, end, nil
}

// start starts the server, and writes the file of its authority.
func start(folder string, added []byte, items int) (server *httptest.Server, ca string, err error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /list", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.Copy(w, endless.List(added, items)) // fails where a client has seen enough
	})
	server = httptest.NewUnstartedServer(mux)
	server.EnableHTTP2 = true
	server.StartTLS()
	ca = filepath.Join(folder, "window-ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		server.Close()
		return nil, "", err
	}
	return server, ca, nil
}
