package status

import (
	"bytes"
	"strings"
)

// This file reads as much JSON as a Status needs: a walker goes through the
// members of an object, a reader moves over one value. encoding/json could be
// talked into it (it refuses a body that is cut off, and takes "Code" for
// "code"), but would then be a third of all that a small program links beyond
// net/http. The two agree on what JSON is, down to the depth where they give
// up and to strings that are not UTF-8.

const maxDepth = 10_000

// A walker goes through an object or an array up to its end, or to the first
// thing in it that is not JSON.
type walker struct {
	key   []byte // of the member, without escapes and clipped; valid until next
	value []byte // a whole value, as it stands

	begun bool // a key or an element was there, whatever came after it
	ended bool // the end was there

	r     reader
	close byte
}

// walk starts a walk through data. If that does not begin with open, a brace
// or a bracket, there is nothing to go through.
func walk(data []byte, open byte) walker {
	w := walker{r: reader{b: data}, close: closing(open)}
	if !w.r.take(open) {
		w.r = reader{}
	}
	return w
}

// next moves to the next member or element. One that is cut off is not there.
func (w *walker) next() bool {
	switch {
	case w.r.take(w.close):
		w.ended = true
		return false
	case w.begun && !w.r.take(','):
		return false
	}
	if w.close == '}' {
		key, ok := w.r.string()
		if !ok {
			return false
		}
		w.begun = true
		w.key = unescape(w.key[:0], key, maxField)
		if !w.r.take(':') {
			return false
		}
	}
	w.r.space()
	from := w.r.i
	if !w.r.skip() {
		return false
	}
	w.begun = true
	w.value = w.r.b[from:w.r.i]
	return true
}

func closing(open byte) byte { return open + 2 } // ASCII has '{' '|' '}' and '[' '\' ']'

// A reader is a place in bytes that should be JSON. Its methods move over what
// they are named for, and return false where something else is, or the end.
type reader struct {
	b []byte
	i int
}

// valid reports whether data is one value, white space around it left out.
func valid(data []byte) bool {
	r := reader{b: data}
	return r.skip() && r.i == len(data)
}

// one moves over one of these bytes.
func (r *reader) one(of string) bool {
	if r.i == len(r.b) || strings.IndexByte(of, r.b[r.i]) < 0 {
		return false
	}
	r.i++
	return true
}

func (r *reader) space() {
	for r.one(" \t\r\n") {
	}
}

// take moves over c and the white space before it.
func (r *reader) take(c byte) bool {
	r.space()
	if r.i == len(r.b) || r.b[r.i] != c {
		return false
	}
	r.i++
	return true
}

// skip moves over a value of any kind. It keeps the brackets that are open in
// a slice and not on the stack: how many there are is the server's choice.
func (r *reader) skip() bool {
	open := make([]byte, 0, 32) // each by the bracket that closes it
	for {
		r.space()
		opened := r.one("{[")
		if opened {
			open = append(open, closing(r.b[r.i-1]))
		}
		if len(open) > maxDepth || !opened && !r.scalar() {
			return false
		}
		for len(open) > 0 && r.take(open[len(open)-1]) {
			open, opened = open[:len(open)-1], false
		}
		switch {
		case len(open) == 0:
			return true
		case !opened && !r.take(','), open[len(open)-1] == '}' && !r.name():
			return false
		}
	}
}

// name moves over a key and its colon.
func (r *reader) name() bool {
	_, ok := r.string()
	return ok && r.take(':')
}

func (r *reader) scalar() bool {
	for _, word := range [...]string{"null", "true", "false"} {
		if bytes.HasPrefix(r.b[r.i:], []byte(word)) {
			r.i += len(word)
			return true
		}
	}
	if r.i < len(r.b) && r.b[r.i] == '"' {
		_, ok := r.string()
		return ok
	}
	return r.number()
}

func (r *reader) number() bool {
	r.one("-")
	if !r.one("0") && !r.digits() {
		return false
	}
	if r.one(".") && !r.digits() {
		return false
	}
	if r.one("eE") {
		r.one("+-")
		return r.digits()
	}
	return true
}

func (r *reader) digits() bool {
	from := r.i
	for r.one("0123456789") {
	}
	return r.i > from
}

// string moves over a string and returns what is between its quotes.
func (r *reader) string() ([]byte, bool) {
	if !r.take('"') {
		return nil, false
	}
	for from := r.i; r.i < len(r.b); {
		c := r.b[r.i]
		r.i++
		switch {
		case c == '"':
			return r.b[from : r.i-1], true
		case c < ' ', c == '\\' && !r.escaped():
			return nil, false
		}
	}
	return nil, false
}

// escaped moves over what may follow a backslash.
func (r *reader) escaped() bool {
	if !r.one("u") {
		return r.one(`"\/bfnrt`)
	}
	for range 4 {
		if !r.one("0123456789abcdefABCDEF") {
			return false
		}
	}
	return true
}
