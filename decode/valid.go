package decode

import (
	"encoding/binary"
	"math/bits"
)

// A problem is why the validator stopped.
type problem uint8

const (
	ok problem = iota
	badValue
	badString
	badEscape
	badNumber
	badLiteral
	badKey
	badColon
	badSeparator
	badEnd
	badList
	tooDeep
)

var problemText = [...]string{
	ok:           "no problem",
	badValue:     "where a value should begin",
	badString:    "in a string",
	badEscape:    "in an escape",
	badNumber:    "in a number",
	badLiteral:   "in a literal",
	badKey:       "where a key should begin",
	badColon:     "after a key",
	badSeparator: "after a value",
	badEnd:       "after the end",
	badList:      "where a list should begin",
	tooDeep:      "nested too deep",
}

func (p problem) String() string { return problemText[p] }

type validator struct {
	outer []uint64
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// plainEnd returns the index of the first byte of b[i:] that is not plain
// text inside a string: a quote, a backslash or a control character.
func plainEnd(b []byte, i int) int {
	for i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:])
		if m := special(w); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

func special(w uint64) uint64 {
	return (((w ^ 0x02*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones)) &^ w & highs
}

func (v *validator) value(b []byte, i, room int) (end int, why problem) {
	var kinds uint64
	depth := 0
	v.outer = v.outer[:0]

value:
	if i >= len(b) {
		return i, badValue
	}
	switch b[i] {
	case '"':
		if i, _, why = stringEnd(b, i+1); why != ok {
			return i, why
		}
		goto after
	case '{', '[':
		if depth == room {
			return i, tooDeep
		}
		if depth&63 == 0 && depth > 0 {
			v.outer = append(v.outer, kinds)
		}
		depth++
		kinds = kinds << 1
		if b[i] == '{' {
			kinds |= 1
			i++
			goto firstKey
		}
		i++
		for i < len(b) && isSpace(b[i]) {
			i++
		}
		if i < len(b) && b[i] == ']' {
			goto pop
		}
		goto value
	case 't':
		i, why = literalEnd(b, i, "true")
	case 'f':
		i, why = literalEnd(b, i, "false")
	case 'n':
		i, why = literalEnd(b, i, "null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		i, why = numberEnd(b, i)
	case ' ', '\t', '\n', '\r':
		i++
		goto value
	default:
		return i, badValue
	}
	if why != ok {
		return i, why
	}

after:
	if depth == 0 {
		return i, ok
	}
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i >= len(b) {
		return i, badSeparator
	}
	if kinds&1 == 0 {
		switch b[i] {
		case ',':
			i++
			goto value
		case ']':
			goto pop
		}
		return i, badSeparator
	}
	switch b[i] {
	case ',':
		i++
		goto key
	case '}':
		goto pop
	}
	return i, badSeparator

firstKey:
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i < len(b) && b[i] == '}' {
		goto pop
	}
key:
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i >= len(b) || b[i] != '"' {
		return i, badKey
	}
	if i, _, why = stringEnd(b, i+1); why != ok {
		return i, why
	}
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	if i >= len(b) || b[i] != ':' {
		return i, badColon
	}
	i++
	goto value

pop:
	i++
	depth--
	if depth&63 == 0 && depth > 0 {
		kinds = v.outer[len(v.outer)-1]
		v.outer = v.outer[:len(v.outer)-1]
	} else {
		kinds >>= 1
	}
	goto after
}

func literalEnd(b []byte, i int, word string) (end int, why problem) {
	for k := range len(word) {
		if i >= len(b) || b[i] != word[k] {
			return i, badLiteral
		}
		i++
	}
	return i, ok
}

func numberEnd(b []byte, i int) (end int, why problem) {
	if b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b) || !isDigit(b[i]):
		return i, badNumber
	case b[i] == '0':
		i++
	default:
		i = digitsEnd(b, i)
	}
	if i < len(b) && b[i] == '.' {
		i++
		if i >= len(b) || !isDigit(b[i]) {
			return i, badNumber
		}
		i = digitsEnd(b, i)
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i >= len(b) || !isDigit(b[i]) {
			return i, badNumber
		}
		i = digitsEnd(b, i)
	}
	return i, ok
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}
