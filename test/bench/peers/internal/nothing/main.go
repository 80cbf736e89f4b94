// Command nothing measures itself doing nothing: what a Go program costs that
// has only begun.
package main

import "example.com/rawwatch/test/bench/peers/internal/self"

func main() { self.Report(nil) }
