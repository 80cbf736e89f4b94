package cli

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/story"
	"example.com/rawwatch/stream/replay"
)

// The verbosity from which on HTTP is shown.
const (
	showHeaders = 3
	showBodies  = 4
)

// shownBytes is how much of a body is shown at a time.
const shownBytes = 1 << 10

// showTraffic makes client tell what passes through it.
//
// It is a recording that goes into the story: whatever a recording leaves out
// (credentials, the values of Secrets), and however it finds it, is left out
// here too. What the transport below adds, such as the bearer token, does not
// come by at all.
func showTraffic(client *http.Client, tell *story.Story, verbosity int) {
	if verbosity < showHeaders {
		return
	}
	client.Transport = &replay.Recorder{
		Base: client.Transport,
		To:   &traffic{tell: tell, bodies: verbosity >= showBodies},
	}
}

// traffic is what a recording is written to. It gets whole lines.
type traffic struct {
	tell   *story.Story
	bodies bool
	header []byte // the first line of the recording
}

func (t *traffic) Write(lines []byte) (int, error) {
	if t.header == nil {
		t.header = bytes.Clone(lines)
		return len(lines), nil
	}
	// A reader wants a recording from its beginning.
	r, err := replay.NewReader(bytes.NewReader(slices.Concat(t.header, lines)))
	if err != nil {
		return 0, err
	}
	for {
		record, err := r.Next()
		switch {
		case err == io.EOF:
			return len(lines), nil
		case err != nil:
			return 0, err
		}
		for _, text := range t.describe(record) {
			t.tell.Say("http %d %s", record.Exchange, text)
		}
	}
}

// describe is a record in lines, with > for what is sent and < for what comes,
// as curl -v has them.
func (t *traffic) describe(r *replay.Record) []string {
	switch r.Kind {
	case replay.KindRequest:
		return append([]string{"> " + r.Method + " " + r.URL}, headers("> ", r.Header)...)
	case replay.KindResponse:
		return append([]string{fmt.Sprintf("< %d %s", r.Status, http.StatusText(r.Status))}, headers("< ", r.Header)...)
	case replay.KindEnd:
		return []string{"< end: " + string(r.Why)}
	case replay.KindError:
		return []string{"no answer: " + string(r.Why) + ": " + r.Text}
	case replay.KindEvent, replay.KindBody, replay.KindRaw:
		if t.bodies {
			return []string{"< " + body(r)}
		}
	}
	return nil
}

func headers(before string, h http.Header) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(h)) {
		lines = append(lines, before+name+": "+strings.Join(h[name], ", "))
	}
	return lines
}

func body(r *replay.Record) string {
	switch n := len(r.Bytes); {
	case r.Hidden > 0:
		return fmt.Sprintf("(%d bytes that may hold a Secret)", r.Hidden)
	case n > shownBytes:
		return fmt.Sprintf("%s… (%d bytes)", r.Bytes[:shownBytes], n)
	}
	return string(r.Bytes)
}
