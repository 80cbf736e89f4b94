// Command endless is package endless over connections, in a process of its own:
// what it costs is then not counted as its clients' cost. Its first line of
// output has its URL and, in base64, its certificate.
package main

import (
	"encoding/base64"
	"flag"
	"fmt"
	"net/http/httptest"
	"os"

	"example.com/rawwatch/test/bench/endless"
	"example.com/rawwatch/test/bench/peers/internal/self"
)

func main() {
	events := flag.String("events", "", "the file of the events, one in each line")
	kind := flag.String("kind", "Pod", "the kind of the objects")
	tls := flag.Bool("tls", false, "speak TLS")
	http2 := flag.Bool("http2", false, "speak HTTP/2, over TLS")
	flag.Parse()

	s := endless.Server{Kind: *kind}
	var err error
	if s.Events, err = os.ReadFile(*events); err != nil {
		self.Fail(err)
	}
	server := httptest.NewUnstartedServer(&s)
	if !*tls {
		server.Start()
		fmt.Println(server.URL)
		select {}
	}
	server.EnableHTTP2 = *http2
	server.StartTLS()
	fmt.Println(server.URL, base64.StdEncoding.EncodeToString(server.Certificate().Raw))
	select {}
}
