// Command window reads one long list over HTTP/2 with a receive window of a
// given size, and says how fast that was. Then it asks once more and reads
// nothing, to see what a consumer that is slow has to keep.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/test/bench/peers/internal/self"
)

func main() {
	server := flag.String("server", "", "URL of the list")
	ca := flag.String("ca", "", "file of its certificate authority")
	window := flag.Int("window", 0, "receive window of a stream, in bytes; 0: net/http's own")
	stall := flag.Duration("stall", 0, "how long to read nothing")
	flag.Parse()
	figures, err := run(*server, *ca, *window, *stall)
	if err != nil {
		self.Fail(err)
	}
	self.Report(figures)
}

func run(server, ca string, window int, stall time.Duration) (map[string]float64, error) {
	pem, err := os.ReadFile(ca)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := http.Client{Transport: &http.Transport{
		TLSClientConfig:    &tls.Config{RootCAs: roots},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
		HTTP2:              &http.HTTP2Config{MaxReceiveBufferPerStream: window},
	}}

	// The connection is there before the clock starts.
	if err := get(&client, server+"/healthz", func(body io.Reader) error {
		_, err := io.Copy(io.Discard, body)
		return err
	}); err != nil {
		return nil, err
	}
	var bytes counter
	start := time.Now()
	if err := get(&client, server+"/list", func(body io.Reader) error {
		for r := decode.NewListReader(io.TeeReader(body, &bytes), 0); ; {
			if _, err := r.Next(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}); err != nil {
		return nil, err
	}
	took := time.Since(start)
	read, _, err := self.Memory()
	if err != nil {
		return nil, err
	}

	debug.FreeOSMemory()
	_, before, err := self.Memory()
	if err != nil {
		return nil, err
	}
	var after float64
	err = get(&client, server+"/list", func(io.Reader) (err error) {
		time.Sleep(stall)
		debug.FreeOSMemory()
		_, after, err = self.Memory()
		return err
	})
	return map[string]float64{
		"MB/s":       float64(bytes) / 1e6 / took.Seconds(),
		"read MB":    read / 1e6,
		"stalled MB": (after - before) / 1e6,
	}, err
}

func get(client *http.Client, url string, read func(io.Reader) error) error {
	response, err := client.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.ProtoMajor != 2 {
		return fmt.Errorf("window: %s, %s", response.Proto, response.Status)
	}
	return read(response.Body)
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
