package main

import (
	"context"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/rawwatch/cmd/rawwatch/internal/cli"
)

// playingKey is where a script keeps the server that plays a recording.
type playingKey struct{}

// playing is "rawwatch serve", in this process.
type playing struct {
	stop func()
	done chan int // the exit code

	mu   sync.Mutex
	told strings.Builder
	up   chan struct{} // closed when it says where it is
}

var servedAt = regexp.MustCompile(`, at (http://\S+); try: `)

func (p *playing) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := servedAt.MatchString(p.told.String())
	p.told.Write(b)
	if !was && servedAt.MatchString(p.told.String()) {
		close(p.up)
	}
	return len(b), nil
}

func (p *playing) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told.String()
}

func cmdServes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serves ARGS…")
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &playing{stop: cancel, done: make(chan int, 1), up: make(chan struct{})}
	go func() {
		var kubeconfig strings.Builder
		p.done <- cli.Run(ctx, append([]string{"serve"}, args...), cli.Streams{In: strings.NewReader(""), Out: &kubeconfig, Err: unstamped{p}})
	}()
	ts.Defer(cancel)
	select {
	case <-p.up:
	case <-p.done:
		ts.Fatalf("it does not serve: %s", p.text())
	case <-time.After(10 * time.Second):
		ts.Fatalf("it never says where it is: %s", p.text())
	}
	ts.Setenv("SERVED", servedAt.FindStringSubmatch(p.text())[1])
	*ts.Value(playingKey{}).(**playing) = p
}

// cmdServed ends the server, and leaves what it has said in the file "served".
func cmdServed(ts *testscript.TestScript, neg bool, args []string) {
	p := *ts.Value(playingKey{}).(**playing)
	if neg || len(args) > 0 || p == nil {
		ts.Fatalf("usage: serves … served")
	}
	p.stop()
	<-p.done
	ts.Logf("[served]\n%s", p.text())
	ts.Check(os.WriteFile(ts.MkAbs("served"), []byte(p.text()), 0o600))
}
