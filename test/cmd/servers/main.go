// Command servers builds the etcd and the kube-apiserver of the end-to-end
// tests, unless they are there, and prints their paths.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"example.com/rawwatch/test/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b, err := servers.Find(ctx, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(b.Etcd)
	fmt.Println(b.APIServer)
}
