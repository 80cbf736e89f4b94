// Command get sends one GET over TLS with net/http, and nothing else. It is
// what the size of ../../minimal is compared with.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	pool := x509.NewCertPool()
	if pem, err := os.ReadFile("ca.crt"); err == nil {
		pool.AppendCertsFromPEM(pem)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	resp, err := client.Get("https://kubernetes.default.svc/version")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer resp.Body.Close()
	io.Copy(os.Stdout, resp.Body)
}
