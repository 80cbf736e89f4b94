// Package human writes lengths of time, numbers of things and names of objects
// the way people read them: the same in the story, in the status, in reports
// and in errors.
package human

import (
	"fmt"
	"strings"
	"time"
)

// Short is d for people: rounded to about three digits.
func Short(d time.Duration) string {
	switch {
	case d < time.Second:
		d = d.Round(time.Millisecond)
	case d < 10*time.Second:
		d = d.Round(100 * time.Millisecond)
	default:
		d = d.Round(time.Second)
	}
	return Exact(d)
}

// Exact is d without the parts that are zero: "5m", where time.Duration says
// "5m0s".
func Exact(d time.Duration) string {
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return text
}

// Count is a number of things: "1 event", "2 events", "3 losses".
func Count[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ss"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Name is the name of an object, with its namespace in front if it has one. It
// is not escaped for a terminal.
func Name(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
