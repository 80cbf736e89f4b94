package status

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// line makes s fit into an error: one line of at most limit bytes, with what
// a terminal would act on (control characters, line and direction marks,
// bytes that are not UTF-8) written out as Go escapes.
func line(s string, limit int) string {
	const more = "…"
	var out strings.Builder
	fits := 0 // up to here there is room for more
	for rest := s; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			out.WriteString(`\x` + strconv.FormatUint(uint64(rest[0])|0x100, 16)[1:])
		case strconv.IsPrint(r):
			out.WriteString(rest[:size])
		default:
			quoted := strconv.QuoteRune(r)
			out.WriteString(quoted[1 : len(quoted)-1])
		}
		if out.Len() > limit {
			return out.String()[:fits] + more
		}
		if out.Len() <= limit-len(more) {
			fits = out.Len()
		}
		rest = rest[size:]
	}
	return out.String()
}

// clip returns a copy of at most limit bytes of s, cut between two characters,
// that does not keep s alive.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return strings.Clone(s)
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit])
}
