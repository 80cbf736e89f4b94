package story

import (
	"fmt"
	"unicode/utf8"
)

// What is kept of a text that is too long to be a line. What follows a server's
// words, a hint and a row, is at its end.
const (
	longest = 4 << 10
	head    = 3 << 10
	tail    = 512
)

// Bounded is text without its middle, if it is longer than a line can be. A
// server, or what stands in for one, may send a reason of megabytes.
func Bounded(text string) string {
	if len(text) <= longest {
		return text
	}
	from, to := head, len(text)-tail
	for from > head-utf8.UTFMax && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text)-tail+utf8.UTFMax && !utf8.RuneStart(text[to]) {
		to++
	}
	return fmt.Sprintf("%s … %d bytes left out … %s", text[:from], to-from, text[to:])
}
