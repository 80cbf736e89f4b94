// Command lines reads the lines of one watch, and is the least that can be
// done: net/http and a buffer.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"

	"example.com/rawwatch/test/bench/peers/internal/crowd"
	"example.com/rawwatch/test/bench/peers/internal/self"
)

func main() {
	c := crowd.Flags()
	pem, err := os.ReadFile(c.CA)
	if err != nil {
		self.Fail(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	c.Run(func(namespace string, synced func()) {
		go func() { self.Fail(read(c, &client, namespace, synced)) }()
	})
}

func read(c *crowd.Crowd, client *http.Client, namespace string, synced func()) error {
	response, err := client.Get(c.Server + "/api/v1/namespaces/" + namespace + "/configmaps?watch=true")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %s", response.Status)
	}
	synced()
	for lines := bufio.NewReaderSize(response.Body, 64<<10); ; {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return err
		}
		c.Event(line)
	}
}
