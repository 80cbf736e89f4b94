// Command rawwatch watches Kubernetes objects over plain HTTP.
package main

import (
	"context"
	"io"
	"log"
	"os"

	"example.com/rawwatch/cmd/rawwatch/internal/cli"
)

func main() {
	// What net/http has to say of a server that speaks out of turn holds the
	// server's bytes, and is no part of the story.
	log.SetOutput(io.Discard)
	os.Exit(cli.Run(context.Background(), cli.Arguments(os.Args), cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
