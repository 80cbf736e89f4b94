package endless

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
)

// identity is what every item has of its own.
var identity = regexp.MustCompile(`"name":"[^"]*","namespace":"[^"]*","uid":"[^"]*","resourceVersion":"[^"]*"`)

// list is the body of a list of many items, made while it is read.
type list struct {
	before, after [][]byte // of the identity, by template
	next, n       int
	made, rest    []byte
}

// List returns the body of a list of n pods like those of the events. They come
// without a kind, as items of built-in kinds do.
func List(added []byte, n int) io.Reader {
	l := &list{n: n}
	for line := range bytes.Lines(added) {
		object := line[bytes.Index(line, []byte(`"metadata":`)) : len(line)-len("}\n")]
		at := identity.FindIndex(object)
		l.before = append(l.before, object[:at[0]])
		l.after = append(l.after, object[at[1]:])
	}
	return l
}

func (l *list) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		if l.next > l.n {
			return 0, io.EOF
		}
		l.rest = l.part(l.next)
		l.next++
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// part makes item i with what comes before it, or the end of the list.
func (l *list) part(i int) []byte {
	b := l.made[:0]
	switch i {
	case 0:
		b = append(b, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[{`...)
	case l.n:
		return append(b, "]}\n"...)
	default:
		b = append(b, ",{"...)
	}
	template := i % len(l.before)
	b = append(b, l.before[template]...)
	b = fmt.Appendf(b, `"name":"web-7d9c6b5f4-%06d","namespace":"default","uid":"%08x-e070-4c83-9915-3cb6c953bb24","resourceVersion":"%d"`, i, i, i+1)
	l.made = append(b, l.after[template]...)
	return l.made
}
