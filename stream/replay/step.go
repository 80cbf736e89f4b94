package replay

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"
)

// A Step is one thing a server does while it answers. The functions of this
// package that return a Step are the whole vocabulary.
type Step struct {
	kind   stepKind
	status int
	header []string // "Key: value"
	bytes  string
	cuts   []int // of a Write: where it is divided
	delay  time.Duration
	code   uint32 // of RST_STREAM and GOAWAY
	do     func()
}

type stepKind uint8

const (
	stepRespond stepKind = iota + 1
	stepWrite
	stepRaw
	stepPause
	stepDo
	stepMark
	stepEnd
	stepCut
	stepReset
	stepHold
	stepFreeze
	stepRstStream
	stepGoAway
)

var stepNames = [...]string{"none", "Respond", "Write", "Raw", "Pause", "Do", "Mark", "End", "Cut",
	"Reset", "Hold", "Freeze", "RstStream", "GoAway"}

func (k stepKind) String() string { return stepNames[k] }

// last reports whether nothing can follow: the connection or the stream is
// over, or never goes on.
func (k stepKind) last() bool {
	switch k {
	case stepCut, stepReset, stepHold, stepFreeze, stepRstStream:
		return true
	}
	return false
}

// Respond sends the status line and the header: lines of the form
// "Key: value". Content-Type is application/json unless given, and the body is
// chunked unless there is a Content-Length, or a status that has no body. A
// line with nothing after the colon keeps the field from being sent.
func Respond(status int, header ...string) Step {
	return Step{kind: stepRespond, status: status, header: header}
}

// Write sends body as exactly one chunk (HTTP/2: as few DATA frames as it
// fits in), or as it is if the answer is not chunked.
func Write(body string) Step { return Step{kind: stepWrite, bytes: body} }

// Raw puts bytes on the connection as they are: half a header, a torn chunk,
// garbage. An answer can consist of nothing else.
func Raw(bytes string) Step { return Step{kind: stepRaw, bytes: bytes} }

// Pause does nothing for d, or until the client goes away.
func Pause(d time.Duration) Step { return Step{kind: stepPause, delay: d} }

// Do calls f when the script gets there: to cancel a context, to let another
// goroutine go on. The answer waits for it to return.
func Do(f func()) Step { return Step{kind: stepDo, do: f} }

// Mark does nothing; its name is a place that faults can be put at.
func Mark(name string) Step { return Step{kind: stepMark, bytes: name} }

// End ends the answer as a server does that has said everything: with the zero
// chunk, or with nothing if a Content-Length was sent (HTTP/2: END_STREAM).
// The connection stays open for the next request, unless a "Connection: close"
// was sent. Steps after it act on the idle connection.
func End() Step { return Step{kind: stepEnd} }

// Cut sends FIN and nothing else: no zero chunk, no TLS close-notify (HTTP/2:
// no END_STREAM, no GOAWAY), as when the server's process is killed.
func Cut() Step { return Step{kind: stepCut} }

// Reset sends RST: the client's read fails with syscall.ECONNRESET, in memory
// after it has read what was sent before.
func Reset() Step { return Step{kind: stepReset} }

// Hold sends nothing more and keeps the connection open until the client goes
// away. As the first step it is an answer whose header never comes.
func Hold() Step { return Step{kind: stepHold} }

// Freeze is Hold of a peer that has vanished from the network: HTTP/2 PINGs are
// not answered either, on any stream of the connection.
func Freeze() Step { return Step{kind: stepFreeze} }

// RstStream ends the stream with RST_STREAM and an error code (2 is
// INTERNAL_ERROR). HTTP/2 only; the connection lives on.
func RstStream(code uint32) Step { return Step{kind: stepRstStream, code: code} }

// GoAway sends GOAWAY with an error code (0 is NO_ERROR) and takes no new
// requests on this connection. HTTP/2 only; the answer goes on.
func GoAway(code uint32) Step { return Step{kind: stepGoAway, code: code} }

// JSON is a whole answer with a Content-Length.
func JSON(status int, body string, header ...string) []Step {
	header = append([]string{"Content-Length: " + strconv.Itoa(len(body))}, header...)
	return []Step{Respond(status, header...), Write(body), End()}
}

// pieces is what a Write sends, one piece after the other.
func (s *Step) pieces() iter.Seq[string] {
	return func(yield func(string) bool) {
		last := 0
		for _, c := range s.cuts {
			if !yield(s.bytes[last:c]) {
				return
			}
			last = c
		}
		yield(s.bytes[last:])
	}
}

// field splits a header line.
func field(line string) (key, value string) {
	key, value, _ = strings.Cut(line, ":")
	return strings.TrimSpace(key), strings.TrimSpace(value)
}

// fields is the header a Respond step sends: what it names, and the default
// Content-Type. It does not hold the framing.
func (s *Step) fields() (lines [][2]string, contentLength, closes bool) {
	typed := false
	for _, line := range s.header {
		k, v := field(line)
		switch strings.ToLower(k) {
		case "content-type":
			typed = true
		case "content-length":
			contentLength = true
		case "connection":
			closes = closes || strings.EqualFold(v, "close")
		}
		if v != "" {
			lines = append(lines, [2]string{k, v})
		}
	}
	if !typed && bodyAllowed(s.status) {
		lines = append([][2]string{{"Content-Type", "application/json"}}, lines...)
	}
	return lines, contentLength, closes
}

// bodyAllowed reports whether an answer of this status has a body.
func bodyAllowed(status int) bool { return status >= 200 && status != 204 && status != 304 }

// validate finds scripts that cannot be played as they are written, so that
// the test fails where it begins and not with a puzzle later.
func (script Script) validate(http2 bool) error {
	for i := range script {
		if len(script[i].Answer) == 0 && !script[i].connects() {
			return fmt.Errorf("replay: exchange %d has no steps; an answer that never comes is Hold", i+1)
		}
		for j := range script[i].Answer {
			step := &script[i].Answer[j]
			switch {
			case step.kind == 0:
				return fmt.Errorf("replay: exchange %d, step %d: the zero Step does nothing", i+1, j+1)
			case (step.kind == stepRstStream || step.kind == stepGoAway) && !http2:
				return fmt.Errorf("replay: exchange %d, step %d: %v needs Options.HTTP2", i+1, j+1, step.kind)
			case step.kind.last() && j < len(script[i].Answer)-1:
				return fmt.Errorf("replay: exchange %d, step %d: nothing can follow %v", i+1, j+1, step.kind)
			}
		}
	}
	return nil
}
