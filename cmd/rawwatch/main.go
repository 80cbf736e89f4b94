// Command rawwatch watches Kubernetes objects over plain HTTP.
package main

import (
	"context"
	"os"

	"example.com/rawwatch/cmd/rawwatch/internal/cli"
)

func main() {
	os.Exit(cli.Run(context.Background(), os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
