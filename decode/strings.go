package decode

import (
	"unicode/utf16"
	"unicode/utf8"
)

// stringEnd validates a string whose first byte (behind the opening quote) is
// b[i], and returns the index behind its closing quote.
func stringEnd(b []byte, i int) (end int, escaped bool, why problem) {
	for {
		i = plainEnd(b, i)
		if i >= len(b) {
			return i, escaped, badString
		}
		switch b[i] {
		case '"':
			return i + 1, escaped, ok
		case '\\':
			escaped = true
			if i, why = escapeEnd(b, i); why != ok {
				return i, escaped, why
			}
		default:
			return i, escaped, badString
		}
	}
}

// escapeEnd validates the escape that begins with the backslash b[i].
func escapeEnd(b []byte, i int) (end int, why problem) {
	i++
	if i >= len(b) {
		return i, badEscape
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, ok
	case 'u':
		i++
		for end := i + 4; i < end; i++ {
			if i >= len(b) || !isHex(b[i]) {
				return i, badEscape
			}
		}
		return i, ok
	}
	return i, badEscape
}

// appendUnescaped appends the text of a valid string to dst. Half a surrogate
// pair becomes U+FFFD, as in encoding/json.
func appendUnescaped(dst, s []byte) []byte {
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			dst = append(dst, s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		switch c {
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r := hex4(s[i:])
			i += 4
			if utf16.IsSurrogate(r) {
				pair := utf8.RuneError
				if len(s) >= i+6 && s[i] == '\\' && s[i+1] == 'u' {
					pair = utf16.DecodeRune(r, hex4(s[i+2:]))
				}
				// Only a real pair uses up its second half.
				if r = pair; r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// hex4 reads four hexadecimal digits.
func hex4(s []byte) (r rune) {
	for _, c := range s[:4] {
		switch {
		case isDigit(c):
			c -= '0'
		case c >= 'a':
			c -= 'a' - 10
		default:
			c -= 'A' - 10
		}
		r = r<<4 | rune(c)
	}
	return r
}

// appendQuoted appends s as a JSON string.
func appendQuoted(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isDigit(c byte) bool { return c-'0' <= 9 }
func isHex(c byte) bool   { return isDigit(c) || (c|0x20)-'a' <= 5 }

// poison overwrites bytes that were lent and are not any more: a slice that
// was kept by mistake shows it at once. '!' begins no JSON and is in no name.
func poison(b []byte) {
	for i := range b {
		b[i] = '!'
	}
}
