package decode

import (
	"cmp"
	"io"
	"math"
)

const (
	leastSize = 16 << 10 // bytes of a buffer, if not told otherwise
	restSize  = 64 << 10 // a larger buffer is given back when it is no longer needed
	firstList = 8 << 10  // of a list: a thousand watches begin with small ones, at once
	minRead   = 2 << 10  // room that a Read should find
	tailRoom  = 2        // bytes behind w, for the suffix of a lent item

	quietSize = 512 // bytes of a buffer that waits for a source which says little: a bookmark has 200
	quietRun  = 16  // so many reads of no more than that, one after the other, are little
)

// sizeLimit makes a limit of what the caller gave. One byte more must be an int
// as well.
func sizeLimit(limit int) int {
	if limit <= 0 {
		return DefaultLimit
	}
	return min(limit, math.MaxInt-1)
}

// A buffer holds the bytes that have been read and not yet consumed.
//
//	0          r               w              len(buf)
//	|---dead---|-----held------|-----free-----|
//	 ^ at least head bytes, after a move
//
// Dead bytes were consumed. They may be lent out until the next fill.
type buffer struct {
	src   io.Reader
	buf   []byte
	r, w  int
	first int   // size to start with; 0 means least
	least int   // size to grow to, and to go back to; 0 means leastSize
	head  int   // room to keep in front of r
	off   int64 // of buf[r] in the body
	err   error // of src, returned once all that came before it is held

	// spare: hold little while the source says little, since nearly all the
	// life of a watch is a Read that waits.
	spare bool
	quiet int // reads in a row that a buffer of quietSize had been enough for
}

func (b *buffer) held() []byte { return b.buf[b.r:b.w] }

// consume moves n bytes from held to dead.
func (b *buffer) consume(n int) {
	b.r += n
	b.off += int64(n)
}

// fill reads at least one more byte. held is the same afterwards but longer,
// and may have moved.
func (b *buffer) fill() error {
	if b.err != nil {
		return b.err
	}
	if b.spare && b.r == b.w && b.quiet >= quietRun {
		b.rest()
	} else {
		b.room()
	}
	// As bufio does: a reader that says nothing a hundred times is broken.
	for range 100 {
		n, err := b.src.Read(b.buf[b.w : len(b.buf)-tailRoom])
		b.w += n
		b.err = err
		if n > 0 {
			b.count(n)
			return nil
		}
		if err != nil {
			return err
		}
	}
	b.err = io.ErrNoProgress
	return b.err
}

// rest waits for the next bytes with a small buffer. Whatever fills it was more
// than little, and room makes the next one as large as they usually are.
func (b *buffer) rest() {
	if len(b.buf) != quietSize {
		b.buf = make([]byte, quietSize)
	}
	b.r, b.w = 0, 0
}

// count notes how much a Read had to say.
func (b *buffer) count(n int) {
	b.quiet++
	if n >= quietSize-tailRoom {
		b.quiet = 0
	}
}

// room makes room for a Read: it gives back a buffer that has become too
// large, or moves what is held to the front, or doubles the buffer.
func (b *buffer) room() {
	held := b.w - b.r
	need := b.head + held + minRead + tailRoom
	size := len(b.buf)
	switch {
	case size == 0:
		size = max(cmp.Or(b.first, b.least, leastSize), need)
	case size > restSize && need <= restSize/2:
		size = max(b.least, leastSize, 2*need)
	case len(b.buf)-tailRoom-b.w >= minRead && held > 0:
		return
	case need > size-size/4:
		size = max(b.least, leastSize, 2*size, need)
	}
	to := b.buf
	if size != len(b.buf) {
		to = make([]byte, size)
	}
	copy(to[b.head:], b.buf[b.r:b.w])
	b.buf, b.r, b.w = to, b.head, b.head+held
}

// reserve makes n bytes of dead room in front of r, more than there are now.
func (b *buffer) reserve(n int) {
	held := b.w - b.r
	to := b.buf
	if n+held+tailRoom > len(to) {
		to = make([]byte, n+held+minRead+tailRoom)
	}
	copy(to[n:], b.buf[b.r:b.w])
	b.buf, b.r, b.w = to, n, n+held
}

// poison overwrites bytes that were lent and are not any more, so that a slice
// kept by mistake shows at once: '!' begins no JSON and is in no name.
func poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, poisonText):]
	}
}

// poisonText is longer than nearly all that is spoiled, which is then one copy.
const poisonText = "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!"

// poisonStart spoils JSON of any size. Its first bytes are enough: to
// overwrite all of a large object would cost as much as reading it did.
func poisonStart(b []byte) { poison(b[:min(len(b), 16)]) }

// poisonObject spoils an object that was lent.
func poisonObject(object []byte, m *Meta) {
	poisonStart(object)
	poison(m.Kind)
	poison(m.APIVersion)
	poison(m.Namespace)
	poison(m.Name)
	poison(m.UID)
	poison(m.ResourceVersion)
}
