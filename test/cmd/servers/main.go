// Command servers builds the etcd, the kube-apiserver and the kubectl of the
// end-to-end tests, unless they are there, and prints their paths.
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
		fail(err)
	}
	kubectl, err := servers.Kubectl(ctx, os.Stderr)
	if err != nil {
		fail(err)
	}
	fmt.Println(b.Etcd)
	fmt.Println(b.APIServer)
	fmt.Println(kubectl)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
