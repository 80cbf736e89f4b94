// Command lines is the least that can be done with a watch: net/http, and a
// buffer in which lines are found. It looks at nothing but their beginning.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"

	"example.com/rawwatch/test/bench/peers/internal/self"
	"example.com/rawwatch/test/bench/peers/internal/task"
)

func main() {
	t := task.Flags()
	gzip := flag.Bool("gzip", false, "ask for gzip, as net/http does by itself")
	flag.Parse()
	response := t.Get(t.Pods()+"?watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", *gzip)
	lines := bufio.NewReaderSize(response.Body, 64<<10)
	synced := false
	for {
		line, err := lines.ReadSlice('\n')
		bookmark := bytes.HasPrefix(line, []byte(`{"type":"BOOKMARK"`))
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = lines.ReadSlice('\n')
		}
		switch {
		case err != nil:
			self.Fail(err)
		case bookmark:
			synced = true
		case synced:
			t.Change()
		default:
			t.Object()
		}
	}
}
