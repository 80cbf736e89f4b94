package decode

import "fmt"

// MaxDepth is how deep arrays and objects may nest, as in encoding/json.
const MaxDepth = 10_000

// A cursor walks through the few containers whose members are wanted, key by
// key, and hands everything else to the validator. It never goes back: each
// byte is looked at once. The first problem stops it: next and nextElement
// then return false, so loops end by themselves, and finish reports it.
type cursor struct {
	b    []byte
	i    int // the next byte to look at
	s    *Scanner
	room int    // levels of nesting that are still allowed
	key  []byte // of the member that next moved to

	first bool    // nothing has been read of the innermost container
	why   problem // that stopped the cursor at i, or ok
}

// space moves over white space.
func (c *cursor) space() {
	for c.i < len(c.b) && isSpace(c.b[c.i]) {
		c.i++
	}
}

// at reports whether the next byte is x.
func (c *cursor) at(x byte) bool { return c.i < len(c.b) && c.b[c.i] == x }

// fail stops the cursor at the current byte. Only the first problem counts: it
// is where the bytes went wrong.
func (c *cursor) fail(why problem) {
	if c.why == ok {
		c.why = why
	}
}

// enter goes into an object, if one is next.
func (c *cursor) enter() bool { return c.open('{') }

// enterArray goes into an array, if one is next.
func (c *cursor) enterArray() bool { return c.open('[') }

func (c *cursor) open(x byte) bool {
	if !c.at(x) {
		return false
	}
	c.room-- // the cursor itself goes only a few levels deep
	c.i++
	c.first = true
	return true
}

// more moves to the next member or element, or over the closing byte.
func (c *cursor) more(closing byte) bool {
	if c.why != ok {
		return false
	}
	c.space()
	// A container that was entered since has reset first. That is right: if
	// it has ended, the one around it has been read from.
	first := c.first
	c.first = false
	switch {
	case c.at(closing):
		c.i++
		c.room++
		return false
	case first:
		return true
	case c.at(','):
		// Something must follow. In an object, next sees that it is a key; in
		// an array, the validator that it is a value.
		c.i++
		c.space()
		return true
	}
	c.fail(badSeparator)
	return false
}

// next moves to the value of the next member of an object and sets key, or
// leaves the object and returns false.
func (c *cursor) next() bool {
	if !c.more('}') {
		return false
	}
	if !c.at('"') {
		c.fail(badKey)
		return false
	}
	c.key = c.text()
	if c.why != ok {
		return false
	}
	c.space()
	if !c.at(':') {
		c.fail(badColon)
		return false
	}
	c.i++
	c.space()
	return true
}

// nextElement moves to the next element of an array, or leaves the array and
// returns false.
func (c *cursor) nextElement() bool { return c.more(']') }

// skip validates the next value and moves behind it.
func (c *cursor) skip() {
	c.i, c.why = c.s.valid.value(c.b, c.i, c.room)
}

// text reads the next value, and returns it decoded if it is a string, else
// nil. An empty string is not nil.
func (c *cursor) text() []byte {
	if !c.at('"') {
		c.skip()
		return nil
	}
	start := c.i + 1
	escaped := false
	c.i, escaped, c.why = stringEnd(c.b, start)
	if c.why != ok {
		return nil
	}
	// Cut to its length, so that a caller's append cannot run into the frame.
	raw := c.b[start : c.i-1 : c.i-1]
	if !escaped {
		return raw
	}
	from := len(c.s.scratch)
	c.s.scratch = appendUnescaped(c.s.scratch, raw)
	return c.s.scratch[from:len(c.s.scratch):len(c.s.scratch)]
}

// version reads a resourceVersion: a string, or, from a server that does not
// know better, a number, whose text is as good an opaque token as any.
func (c *cursor) version() []byte {
	if c.i < len(c.b) && (c.b[c.i] == '-' || isDigit(c.b[c.i])) {
		start := c.i
		c.skip()
		if c.why != ok {
			return nil
		}
		return c.b[start:c.i:c.i]
	}
	return c.text()
}

// finish checks that nothing but white space is left, and reports the first
// problem of the pass.
func (c *cursor) finish() error {
	if c.why == ok {
		c.space()
		if c.i < len(c.b) {
			c.fail(badEnd)
		}
	}
	if c.why == ok {
		return nil
	}
	return syntaxError(c.b, c.i, c.why)
}

// syntaxError describes the problem met at b[i].
func syntaxError(b []byte, i int, why problem) *SyntaxError {
	e := &SyntaxError{Offset: int64(i), Msg: why.String()}
	switch {
	case why == tooDeep:
	case i >= len(b):
		// Whatever was being read, it was fine as far as it went.
		e.Msg = "unexpected end"
	default:
		e.Msg = fmt.Sprintf("invalid character %q %s", rune(b[i]), why)
	}
	return e
}
