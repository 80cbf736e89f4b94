package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/rawwatch/backoff"
)

func ExampleBackoff() {
	b := backoff.Backoff{Policy: backoff.Policy{Min: time.Millisecond}}
	tries := 0
	connect := func() error {
		if tries++; tries < 3 {
			return errors.New("refused")
		}
		return nil
	}
	for connect() != nil {
		if err := backoff.Sleep(context.Background(), b.Next(0)); err != nil {
			return
		}
	}
	b.Reset()
	fmt.Println(tries)
	// Output: 3
}

func ExampleBackoff_Next() {
	b := backoff.Backoff{Rand: rand.New(rand.NewPCG(1, 2))}
	asked := 10 * time.Second // Retry-After: 10
	d := b.Next(asked)
	fmt.Println(d >= asked, d < 2*asked)
	// Output: true true
}
