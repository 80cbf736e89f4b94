package status

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
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

// unescape appends to dst the text of what reader.string has returned, as valid
// UTF-8 and at most limit bytes of it, cut between two characters.
func unescape(dst, text []byte, limit int) []byte {
	limit += len(dst)
	for len(text) > 0 {
		char, size := utf8.DecodeRune(text)
		if char == '\\' {
			char, size = escape(text)
		}
		if len(dst)+utf8.RuneLen(char) > limit {
			break
		}
		dst = utf8.AppendRune(dst, char)
		text = text[size:]
	}
	return dst
}

// escape returns the character that text begins with, its backslash and all,
// and how long it is. Half of a surrogate pair is U+FFFD, as in encoding/json.
func escape(text []byte) (char rune, size int) {
	const letters, meant = "bfnrt", "\b\f\n\r\t"
	if i := strings.IndexByte(letters, text[1]); i >= 0 {
		return rune(meant[i]), 2
	}
	if text[1] != 'u' {
		return rune(text[1]), 2
	}
	char = hex(text[2:])
	if !utf16.IsSurrogate(char) {
		return char, 6
	}
	if rest := text[6:]; bytes.HasPrefix(rest, []byte(`\u`)) {
		if char = utf16.DecodeRune(char, hex(rest[2:])); char != utf8.RuneError {
			return char, 12
		}
	}
	return utf8.RuneError, 6
}

// hex reads the four digits that follow \u.
func hex(text []byte) rune {
	n, _ := strconv.ParseUint(string(text[:4]), 16, 16)
	return rune(n)
}
