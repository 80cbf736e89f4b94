package replay_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	watch "example.com/rawwatch/stream"
	. "example.com/rawwatch/stream/replay"
)

// serverVariable makes this program a server for the benchmarks: what the
// server costs must not be counted as the client's.
const serverVariable = "RAWWATCH_BENCH_SERVER"

// benchServer sends the recorded watch of 300 pods as often as the query says,
// and prints where it is and its certificate. It ends with its standard input.
func benchServer() {
	data, err := loadPods()
	if err != nil {
		panic(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		times, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
		for range times {
			if _, err := w.Write(data); err != nil {
				return
			}
		}
	}))
	if srv.EnableHTTP2 = true; os.Getenv(serverVariable) == "http" {
		srv.Start()
		fmt.Println(srv.URL)
	} else {
		srv.StartTLS()
		fmt.Println(srv.URL)
		pem.Encode(os.Stdout, &pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	}
	os.Stdout.Close()
	io.Copy(io.Discard, os.Stdin)
}

// startServer runs benchServer in a process of its own and returns a client.
func startServer(b *testing.B, kind string) (*http.Transport, *url.URL) {
	b.Helper()
	self, err := os.Executable()
	require.NoError(b, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), serverVariable+"="+kind)
	stdin, err := cmd.StdinPipe()
	require.NoError(b, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	b.Cleanup(func() { stdin.Close(); cmd.Wait() })
	br := bufio.NewReader(stdout)
	line, err := br.ReadString('\n')
	require.NoError(b, err)
	u, err := url.Parse(line[:len(line)-1])
	require.NoError(b, err)
	rest, err := io.ReadAll(br)
	require.NoError(b, err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(rest)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true, DisableCompression: true}
	b.Cleanup(transport.CloseIdleConnections)
	return transport, u
}

// consume watches once, as a client without the loop around it does, and
// returns what that cost the process in CPU time.
func consume(b *testing.B, client http.RoundTripper, server *url.URL, times int) time.Duration {
	w := &watch.Watcher{Client: &http.Client{Transport: client}, Server: server, Target: watch.Target{Version: "v1", Resource: "pods"}}
	before, events := cpuTime(b), 0
	for _, err := range w.Connect(context.Background(), strconv.Itoa(times)) {
		if err == io.EOF || err != nil && events == 300*times {
			break
		}
		require.NoError(b, err)
		events++
	}
	require.Equal(b, 300*times, events)
	return cpuTime(b) - before
}

// BenchmarkRecorderOverhead is what being recorded costs a client at full
// stream speed, in CPU time of its process: the same bytes with and without a
// Recorder in turn, from a server in another process. RESULTS.md has what came
// of it.
func BenchmarkRecorderOverhead(b *testing.B) {
	const times = 40 // 95 MB in each round
	for _, kind := range []string{"http", "https"} {
		for _, to := range []string{"discard", "file"} {
			for _, keep := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/%s/keepSecrets=%v", kind, to, keep), func(b *testing.B) {
					transport, server := startServer(b, kind)
					consume(b, transport, server, 2) // the handshake, and warm caches
					path := filepath.Join(b.TempDir(), "recording.rwr")
					var plain, recorded []time.Duration
					for b.Loop() {
						plain = append(plain, consume(b, transport, server, times))
						w := io.Discard
						if to == "file" {
							f, err := os.Create(path)
							require.NoError(b, err)
							defer f.Close()
							w = f
						}
						rec := &Recorder{Base: transport, To: w, KeepSecrets: keep}
						recorded = append(recorded, consume(b, rec, server, times))
						require.NoError(b, rec.Close())
					}
					p, r := median(plain), median(recorded)
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(p.Seconds()*1000, "cpu-ms-plain")
					b.ReportMetric(r.Seconds()*1000, "cpu-ms-recorded")
					b.ReportMetric(100*(r-p).Seconds()/p.Seconds(), "%overhead")
				})
			}
		}
	}
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
