package story

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestALineHasAnEnd(t *testing.T) {
	assert.Equal(t, strings.Repeat("x", longest), Bounded(strings.Repeat("x", longest)))
	for shift := range 4 {
		long := strings.Repeat("a", shift) + strings.Repeat("名", 3<<20) + " [Denied]"
		got := Bounded(long)
		assert.True(t, utf8.ValidString(got), "no letter is cut in two")
		assert.Less(t, len(got), longest)
		assert.Regexp(t, `^a*名+ … \d+ bytes left out … 名+ \[Denied\]$`, got)
	}
	assert.Less(t, len(Bounded(strings.Repeat("\x80", 9<<20))), longest)

	var out bytes.Buffer
	s := New(&out, Options{})
	s.Say("%s", strings.Repeat("\x1b", 9<<20))
	s.Error(strings.Repeat("y", 9<<20))
	assert.Less(t, out.Len(), 40<<10)
	assert.Regexp(t, `(?m)^\d\d:\d\d:\d\dZ rawwatch: error: y+ … \d+ bytes left out … y+$`, out.String())
}
