// Package escape makes text of strangers safe to show on a terminal. Names,
// messages and values are written by servers and their tenants, and a terminal
// obeys what it is shown: an escape sequence can hide a line, change the
// title, or type an answer into the shell.
package escape

import (
	"strconv"
	"unicode/utf8"
)

// Text returns s with everything a terminal would act on written out as Go
// escapes: control characters, line breaks, tabs, marks that turn the
// direction of writing, and bytes that are not UTF-8. Spaces stay.
func Text(s string) string {
	if printable(s) {
		return s
	}
	return string(Append(nil, s))
}

// Append appends what [Text] returns to b.
func Append(b []byte, s string) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			b = append(b, `\x`...)
			b = append(b, hex[s[0]>>4], hex[s[0]&15])
		case strconv.IsPrint(r):
			b = append(b, s[:size]...)
		default:
			quoted := strconv.AppendQuoteRune(nil, r)
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		s = s[size:]
	}
	return b
}

const hex = "0123456789abcdef"

// printable is the fast way out: nearly every text is plain ASCII.
func printable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
