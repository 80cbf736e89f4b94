package demo

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/cause"
	"example.com/rawwatch/cmd/rawwatch/internal/human"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// narrator writes both sides of the story, and the events between them. Server
// and client speak from goroutines of their own.
type narrator struct {
	mu       sync.Mutex
	out, err io.Writer
	colours  terminal.Colours // in the events
	colour   terminal.Colours // in the story
	scenes   int
	headed   bool

	idle   time.Duration
	ended  bool // a request has failed, and the next one is news
	waited time.Duration
}

func newNarrator(o Options, d *director) *narrator {
	return &narrator{out: o.Out, err: o.Err, colours: o.ColourOut, colour: o.ColourErr, scenes: len(d.scenes), idle: d.idle}
}

const width = 80

// line writes a line of the story.
func (n *narrator) line(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	io.WriteString(n.err, strings.TrimRight(fmt.Sprintf(format, args...), " ")+"\n")
}

// rule writes a line across the page, with a title in it.
func (n *narrator) rule(title string) {
	rest := strings.Repeat("─", max(width-len(title)-4, 0))
	n.line("%s %s %s", n.colour.Paint(terminal.Dim, "──"), n.colour.Paint(terminal.Bold, title), n.colour.Paint(terminal.Dim, rest))
}

func (n *narrator) intro(server *url.URL, onLoopback bool) {
	where := "in this process"
	if onLoopback {
		where = "in this process, at " + server.Host
	}
	n.line("An API server %s,", where)
	n.line("and the client that you would use. Pods come, change and go; the server breaks")
	n.line("the connection in %s. Not one event may get lost.", human.Count(n.scenes, "way"))
	n.line("")
}

func (n *narrator) scene(number int, s scene) {
	n.rule(fmt.Sprintf("%d of %d: %s", number, n.scenes, s.title))
}

func (n *narrator) server(format string, args ...any) {
	n.line("   %s %s", n.colour.Paint(terminal.Yellow, "server"), fmt.Sprintf(format, args...))
}

func (n *narrator) client(format string, args ...any) {
	n.line("   %s %s", n.colour.Paint(terminal.Cyan, "client"), fmt.Sprintf(format, args...))
}

// podStatus is what a row shows of a pod.
type podStatus struct {
	Status struct{ Phase string }
}

// event writes one event: a row on standard output, or a line of the story for
// what is no object's.
func (n *narrator) event(ev stream.Event) error {
	switch ev.Type {
	case stream.Gap:
		n.client("says GAP: what came after version %s is not known", ev.ResourceVersion)
		return nil
	case stream.Synced:
		n.client("says SYNCED: this is all there is at version %s", ev.ResourceVersion)
		return nil
	}
	phase, note := "-", ""
	if ev.Inferred {
		note = "   not in the new list"
	} else if p, err := stream.As[podStatus](ev); err == nil {
		phase = p.Status.Phase
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.headed {
		n.headed = true
		if _, err := fmt.Fprintf(n.out, "%-10s %-10s %-12s %s\n", "EVENT", "POD", "PHASE", "VERSION"); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(n.out, "%s %-10s %-12s %s%s\n",
		n.colours.Paint(output.ColourOf(ev.Type), fmt.Sprintf("%-10s", ev.Type)), ev.Name, phase, ev.ResourceVersion, note)
	return err
}

// trace tells what the client does between events.
func (n *narrator) trace() *stream.Trace {
	return &stream.Trace{
		Ended: func(e stream.Ended) {
			if e.Err != nil {
				n.ended, n.waited = true, 0
				n.client("%s", n.because(e))
			}
		},
		Waiting: func(w stream.Waiting) { n.waited += w.For },
		Request: func(r stream.Request) {
			if !n.ended {
				return
			}
			n.ended = false
			what := "watches on from version " + r.ResourceVersion
			if r.Verb == stream.List {
				what = "lists, and compares with what it knew"
			}
			n.client("waited %s, and %s", human.Short(n.waited), what)
		},
	}
}

// because says what the client has noticed.
func (n *narrator) because(e stream.Ended) string {
	var (
		end    *status.End
		answer *status.Error
	)
	switch {
	case errors.As(e.Err, &answer) && answer.Event:
		return "reads " + cause.Of(e.Err)
	case errors.As(e.Err, &answer):
		return "is told " + cause.Of(e.Err)
	case errors.Is(e.Err, syscall.ECONNRESET):
		return "reads: connection reset"
	case !errors.As(e.Err, &end):
		return "cannot go on: " + cause.Of(e.Err)
	}
	switch end.Kind {
	case status.EndClean:
		return "notices the end of the stream"
	case status.EndIdle:
		return "has read nothing for " + human.Short(n.idle) + ", and hangs up"
	case status.EndTorn:
		var torn *decode.TornError
		if errors.As(e.Err, &torn) && torn.Dropped > 0 {
			return "notices that the stream broke off, and throws half an event away"
		}
		return "notices that the stream broke off"
	}
	return "gives the stream up: " + cause.Of(e.Err)
}
