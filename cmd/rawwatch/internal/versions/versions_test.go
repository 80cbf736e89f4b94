package versions

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTheLastVersionComesBack(t *testing.T) {
	c := New(10 << 10)
	a := Key{Source: 1, Namespace: "t", Name: "a"}
	swap := func(key Key, text string) (string, Before) {
		old, what := c.Swap(key, []byte(text))
		return string(old), what
	}
	check := func(wantOld string, want Before, old string, what Before) {
		t.Helper()
		assert.Equal(t, wantOld, old)
		assert.Equal(t, want, what)
	}
	old, what := swap(a, "1")
	check("", NotSeen, old, what)
	old, what = swap(a, "2")
	check("1", Kept, old, what)
	old, what = swap(Key{Source: 2, Namespace: "t", Name: "a"}, "other")
	check("", NotSeen, old, what)

	gone, what := c.Drop(a)
	check("2", Kept, string(gone), what)
	old, what = swap(a, "3")
	check("", NotSeen, old, what) // it is another object now
}

// What was changed last stays; of the others it is known that they were there.
func TestTheOldestMakeRoom(t *testing.T) {
	const size = 1 << 10
	c := New(3 * (size + overhead))
	text := bytes.Repeat([]byte("x"), size)
	key := func(name string) Key { return Key{Name: name} }
	for _, name := range []string{"a", "b", "c"} {
		c.Swap(key(name), text)
	}
	c.Swap(key("a"), text) // b is the oldest now
	c.Swap(key("d"), text)
	assert.LessOrEqual(t, c.size, c.limit)

	_, what := c.Swap(key("b"), text)
	assert.Equal(t, Forgotten, what)
	_, what = c.Drop(key("c"))
	assert.Equal(t, Forgotten, what, "b took its place")
	_, what = c.Drop(key("c"))
	assert.Equal(t, NotSeen, what, "and that is forgotten, too")
	_, what = c.Drop(key("a"))
	assert.Equal(t, Kept, what)
}

// One that is larger than everything does not drive all others out.
func TestAnObjectThatIsTooLarge(t *testing.T) {
	c := New(2 << 10)
	c.Swap(Key{Name: "small"}, []byte("x"))
	c.Swap(Key{Name: "large"}, make([]byte, 4<<10))
	_, what := c.Drop(Key{Name: "large"})
	assert.Equal(t, Forgotten, what)
	_, what = c.Drop(Key{Name: "small"})
	assert.Equal(t, Kept, what)
	assert.Zero(t, c.size)
}
