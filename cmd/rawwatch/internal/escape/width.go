package escape

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width is how many columns of a terminal s takes, once it has been escaped:
// two for the wide letters of East Asia and most pictures, none for marks that
// sit on the letter before.
//
// The table of wide letters is golang.org/x/text/width, since it is a large
// one and a new one every year.
func Width(s string) int {
	columns := 0
	for _, r := range s {
		columns += runeWidth(r)
	}
	return columns
}

func runeWidth(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Clip cuts s, which has been escaped, to so many columns of a terminal, and
// says with its last character that something is missing.
func Clip(s string, columns int) string {
	if Width(s) <= columns {
		return s
	}
	if columns <= 0 {
		return ""
	}
	used := 0
	for i, r := range s {
		used += runeWidth(r)
		if used > columns-1 {
			return s[:i] + "…"
		}
	}
	return s
}
