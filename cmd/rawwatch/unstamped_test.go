package main

import (
	"io"
	"regexp"
)

// unstamped takes the time of day out of a story, so that scripts show it as a
// terminal does. story.txtar looks at the time itself, with "exec".
type unstamped struct{ io.Writer }

var stamp = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\dZ (rawwatch: )`)

// Write gets whole lines: the story writes each at once.
func (u unstamped) Write(b []byte) (int, error) {
	if _, err := u.Writer.Write(stamp.ReplaceAll(b, []byte("$1"))); err != nil {
		return 0, err
	}
	return len(b), nil
}
