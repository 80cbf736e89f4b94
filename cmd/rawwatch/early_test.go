package main

import (
	"io"
	"net"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdEarly is signal for a command that has not come as far as an event. The
// signal comes when one of these has happened:
//
//	text:TEXT   TEXT is on standard error
//	opens:FILE  the command opens FILE, which is a named pipe
//	connects    it has connected to SILENT, the address of a server that says nothing
func cmdEarly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: early INT|TERM|HUP CODE text:TEXT|opens:FILE|connects ARGS…")
	}
	kind, what, _ := strings.Cut(args[2], ":")
	seen := &watched{text: what, seen: make(chan struct{})}
	stderr := io.Writer(io.Discard)
	switch kind {
	case "text":
		stderr = seen
	case "opens":
		done := make(chan struct{})
		defer close(done)
		go func() {
			// Opening waits for a reader, and closing would let it read on.
			if f, err := os.OpenFile(ts.MkAbs(what), os.O_WRONLY, 0); err == nil {
				defer f.Close()
				close(seen.seen)
				<-done
			}
		}()
	case "connects":
		seen.seen = ts.Value(connectedKey{}).(chan struct{})
	default:
		ts.Fatalf("early: when is %q?", args[2])
	}
	interrupt(ts, args[0], args[1], io.Discard, stderr, seen.seen, args[3:])
}

type connectedKey struct{}

// silentPort is the address of a port that takes connections, and says nothing.
// The channel gets a value for each.
func silentPort(atEnd func(func())) (string, chan struct{}, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	connected, over := make(chan struct{}, 16), make(chan struct{})
	go func() {
		defer close(over)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			connected <- struct{}{}
		}
	}()
	atEnd(func() {
		l.Close()
		<-over
	})
	return l.Addr().String(), connected, nil
}
