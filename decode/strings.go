package decode

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// Strings outside the validator's loop: keys and values that are wanted, and
// the grammar of escapes, which the loop shares.

// shortString is how much of a string is looked at word by word, before it
// counts as long. Nearly all names, paths and images are shorter.
const shortString = 32

// stringEnd checks the string whose first byte behind the quote is b[i]. It
// returns the index behind the closing quote, or of the offending byte.
func stringEnd(b []byte, i int) (end int, escaped bool, why problem) {
	for stop := i + shortString; i < stop && i >= 0 && i <= len(b)-8; i += 8 {
		if m := special(binary.LittleEndian.Uint64(b[i : i+8])); m != 0 {
			i += bits.TrailingZeros64(m) / 8
			if b[i] == '"' {
				return i + 1, false, ok
			}
			break
		}
	}
	return longStringEnd(b, i)
}

// escapeLen returns the length of the escape that begins with the backslash
// b[i], or 0 if it is none.
func escapeLen(b []byte, i int) int {
	if i < 0 || i > len(b)-2 {
		return 0
	}
	if escapes[b[i+1]] {
		return 2
	}
	// Or-ing four table entries is one branch instead of four.
	if b[i+1] != 'u' || i > len(b)-6 || notHex[b[i+2]]|notHex[b[i+3]]|notHex[b[i+4]]|notHex[b[i+5]] != 0 {
		return 0
	}
	return 6
}

// badEscapeAt returns where exactly the escape at b[i] goes wrong.
func badEscapeAt(b []byte, i int) int {
	i++
	if i < len(b) && b[i] == 'u' {
		i++
		for end := i + 4; i < len(b) && i < end && isHex(b[i]); {
			i++
		}
	}
	return i
}

// escapes are the bytes that make an escape with the backslash before them.
var escapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// notHex is 0 for hexadecimal digits and 1 for other bytes.
var notHex = func() (t [256]byte) {
	for c := range t {
		if !isHex(byte(c)) {
			t[c] = 1
		}
	}
	return t
}()

// mismatch returns the index of the first byte from b[i] on that is not as in
// word.
func mismatch(b []byte, i int, word string) int {
	for k := range len(word) {
		if i == len(b) || b[i] != word[k] {
			break
		}
		i++
	}
	return i
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
				// Half of a pair, if the other half follows.
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

// appendQuoted appends s as a JSON string. Only what must be escaped is: an
// apiVersion is to look as it was sent.
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

func isSpace(c byte) bool { return c <= ' ' && (c == ' ' || c == '\t' || c == '\n' || c == '\r') }

func isDigit(c byte) bool { return c-'0' <= 9 }
func isHex(c byte) bool   { return isDigit(c) || (c|0x20)-'a' <= 5 }
