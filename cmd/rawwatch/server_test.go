package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/rawwatch/stream/replay"
)

// A server file has one exchange after the other: a request on a line of its
// own, and the steps of its answer indented below it.
//
//	list PATH [KEY=VALUE…]      a list of PATH; KEY= wants the parameter absent
//	watch PATH RV [KEY=VALUE…]  a watch from RV ("-": from none)
//	get PATH [KEY=VALUE…]       anything else ("-": any path)
//	  header NAME: VALUE        also wants this in the request
//	drop N                      not a request: N connections are closed at once
//
// Steps: words in capitals stand for text, and objects are ConfigMaps.
//
//	objects RV NAME:RV…   the whole list; "+ TOKEN" at its end: a page of one
//	event TYPE NAME RV    a line of the watch
//	bookmark RV           (also: marker RV, the end of the initial events)
//	error CODE REASON     an ERROR event
//	send TEXT             any other line
//	write TEXT            the same, without a line break
//	status CODE REASON    a whole answer: a Status ("-": no reason)
//	answer CODE TEXT      a whole answer with any body
//	redirect URL          a whole answer that points elsewhere
//	recording FILE        a whole answer of a real server
//	cut-unanswered        the connection is closed before any answer
//	pause DURATION        silence
//	await TEXT            silence, until the command has written TEXT, or another
//	                      exchange has come to "say TEXT" ("exits" only)
//	say TEXT
//	end, cut, reset, hold how it ends; a watch that says nothing more ends
//
// A line that starts with # is a comment.

// parseServer reads a server file. told is what the command writes.
func parseServer(text string, told *told) (replay.Script, error) {
	var script replay.Script
	responded := false
	for n, line := range strings.Split(text, "\n") {
		bare := strings.TrimSpace(line)
		if bare == "" || strings.HasPrefix(bare, "#") {
			continue
		}
		var err error
		if strings.HasPrefix(line, " ") {
			err = addStep(&script[len(script)-1], bare, &responded, told)
		} else {
			var exchange replay.Exchange
			exchange, err = parseExchange(strings.Fields(bare))
			script, responded = append(script, exchange), false
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	return script, nil
}

func parseExchange(words []string) (replay.Exchange, error) {
	if len(words) < 2 {
		return replay.Exchange{}, fmt.Errorf("half an exchange: %q", words)
	}
	var request replay.Request
	rest := words[2:]
	switch words[0] {
	case "list":
		request = replay.List(words[1])
	case "watch":
		request, rest = replay.Watch(words[1], strings.TrimPrefix(words[2], "-")), words[3:]
	case "get":
		request = replay.Request{Path: strings.TrimPrefix(words[1], "-")}
	case "drop":
		n := 0
		_, err := fmt.Sscan(words[1], &n)
		return replay.Drop(n), err
	default:
		return replay.Exchange{}, fmt.Errorf("unknown exchange %q", words[0])
	}
	for _, pair := range rest {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return replay.Exchange{}, fmt.Errorf("not KEY=VALUE: %q", pair)
		}
		request = request.With(key, value)
	}
	return replay.On(request), nil
}

// addStep appends a step; responded is whether the header has been sent.
func addStep(e *replay.Exchange, line string, responded *bool, told *told) error {
	verb, text, _ := strings.Cut(line, " ")
	words := strings.Fields(text)
	word := func(i int) string {
		if i < len(words) {
			return strings.TrimPrefix(words[i], "-")
		}
		return ""
	}
	number := func() (n int) { fmt.Sscan(word(0), &n); return n }
	stream := func(body string) {
		if !*responded {
			*responded = true
			e.Answer = append(e.Answer, replay.Respond(200))
		}
		e.Answer = append(e.Answer, replay.Write(body))
	}
	switch verb {
	case "header":
		name, value, _ := strings.Cut(text, ": ")
		if e.Request.Header == nil {
			e.Request.Header = map[string]string{}
		}
		e.Request.Header[name] = value
	case "objects":
		e.Answer = append(e.Answer, replay.JSON(200, objects(words))...)
	case "event":
		stream(replay.Event(word(0), word(1), word(2)))
	case "bookmark":
		stream(replay.Bookmark(word(0)))
	case "marker":
		stream(replay.InitialEventsEnd(word(0)))
	case "error":
		stream(replay.ErrorEvent(number(), word(1)))
	case "send":
		stream(text + "\n")
	case "write":
		stream(text)
	case "status":
		e.Answer = append(e.Answer, replay.JSON(number(), replay.StatusBody(number(), word(1)))...)
	case "answer":
		_, body, _ := strings.Cut(text, " ")
		e.Answer = append(e.Answer, replay.JSON(number(), body)...)
	case "cut-unanswered":
		e.Answer = []replay.Step{replay.Cut()}
	case "redirect":
		e.Answer = []replay.Step{replay.Respond(http.StatusFound, "Location: "+text), replay.End()}
	case "recording":
		b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "recordings", text))
		if err != nil {
			return err
		}
		e.Answer = append(e.Answer, replay.Raw(string(b)))
		if !bytes.Contains(b, []byte("Transfer-Encoding: chunked")) && !bytes.Contains(b, []byte("Content-Length: ")) {
			e.Answer = append(e.Answer, replay.Cut())
		}
	case "pause":
		d, err := time.ParseDuration(text)
		if err != nil {
			return err
		}
		e.Answer = append(e.Answer, replay.Pause(d))
	case "await":
		e.Answer = append(e.Answer, replay.Do(func() { told.await(text) }))
	case "say":
		e.Answer = append(e.Answer, replay.Do(func() { told.Write([]byte(text)) }))
	case "end", "cut", "reset", "hold":
		if !*responded && verb != "reset" {
			*responded = true
			e.Answer = append(e.Answer, replay.Respond(http.StatusOK))
		}
		e.Answer = append(e.Answer, map[string]replay.Step{
			"end": replay.End(), "cut": replay.Cut(), "reset": replay.Reset(), "hold": replay.Hold(),
		}[verb])
	default:
		return fmt.Errorf("unknown step %q", verb)
	}
	return nil
}

// objects is a list: its version, then name:version for each, and perhaps
// "+ TOKEN" where another page follows.
func objects(words []string) string {
	token := ""
	if n := len(words); n > 2 && words[n-2] == "+" {
		words, token = words[:n-2], words[n-1]
	}
	var items []string
	for _, w := range words[1:] {
		name, version, _ := strings.Cut(w, ":")
		items = append(items, replay.Item(name, version))
	}
	return replay.ListPage(words[0], token, items...)
}

// told is what a command has written so far. With it, what one watch is sent can
// wait for what another one has shown.
type told struct {
	mu   sync.Mutex
	all  strings.Builder
	more chan struct{} // closed by the next write
}

func newTold() *told { return &told{more: make(chan struct{})} }

func (t *told) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.more)
	t.more = make(chan struct{})
	return t.all.Write(b)
}

// await gives up after a while: the script then fails by what it compares.
func (t *told) await(text string) {
	late := time.After(10 * time.Second)
	for {
		t.mu.Lock()
		seen, more := strings.Contains(t.all.String(), text), t.more
		t.mu.Unlock()
		if seen {
			return
		}
		select {
		case <-more:
		case <-late:
			return
		}
	}
}
