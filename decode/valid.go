package decode

import (
	"encoding/binary"
	"math/bits"
)

// This is the hard file: the one loop that sees every byte. Its parts:
//
//	validator         the containers that are open, as bits; drawn below
//	value             checks one JSON value of any size, without recursion
//	special, plainEnd find the end of plain text eight bytes at a time
//	longStringEnd     checks what is long or has escapes, 64 bytes at a time
//	stringEnd         checks a string on its own, outside the loop
//	escapeLen, ...    the rest of the grammar
//
// In value, where the code is at is the state, and goto is the transition:
//
//	        ┌───────────────────────────────────────────────┐
//	        ▼                                               │
//	     value ──► text, number, true, false, null ──► after ──► (',' in an array)
//	        │                                          ▲  │ │
//	   '[' '{'                       ']' '}' ──► pop ──┘  │ └──► (no container is open) done
//	        ▼                          ▲                  ▼
//	     firstElement, firstKey ───────┘      (',' in an object) nextKey ──► key ──► colon ──► value
//
// What makes it fast, in the order of what it brings:
//   - It makes no calls except on its way out and for strings that are long, so
//     that nothing has to be saved to the stack around them. What else looks
//     like a call is inlined.
//   - Strings are skipped eight bytes at a time.
//   - Behind the closing quote, one load of eight bytes shows what follows. A
//     watch is compact JSON, and half of it is managedFields, so most keys are
//     followed by one of ":" ":{ ":{}," and most strings by ",".
//   - Loads are written as "i >= 0 && i <= len(b)-8" and then b[i:i+8], which
//     the compiler turns into one load without a check of its own.

// A validator checks JSON values. It can be used again, not concurrently.
//
// The kinds of the containers that are open are kept as a stack of bits, the
// innermost lowest: 1 for an object, 0 for an array. A one above the
// outermost bit marks the bottom, so 63 of them fit in a word. The words
// below the one in use are kept in outer:
//
//	outer[0]  outer[1]   outer[2]            kinds (a local variable of value)
//	  1      1kkk…kkkk  1kkk…kkkk   ...     0000…0001kkk
//	         outermost                                 └ innermost
//
// Invariant: with n words in use, outer[1] to outer[n-1] are full, and kinds
// is 1 only if nothing at all is open.
type validator struct {
	outer [MaxDepth/kindsPerWord + 2]uint64
}

const kindsPerWord = 63

// What may follow a string, as the low bytes of a word.
const (
	quoteColon      = '"' | ':'<<8
	quoteColonQuote = '"' | ':'<<8 | '"'<<16
	quoteColonBrace = '"' | ':'<<8 | '{'<<16
	quoteCommaQuote = '"' | ','<<8 | '"'<<16
	braceCommaQuote = '}' | ','<<8 | '"'<<16
)

// value checks the JSON value that begins at b[i], and of which at most room
// levels of containers may be open at once. It returns the index behind it.
// If there is a problem, it returns the index of the offending byte, which is
// len(b) if the value is fine as far as it goes.
func (v *validator) value(b []byte, i, room int) (end int, why problem) {
	b = b[:len(b):len(b)] // one register less: the capacity is the length
	var (
		kinds = uint64(1)
		words = 0 // of outer that are in use
		left  = 0 // containers that can be opened before kinds is full
		w, m  uint64
		stop  int
	)
	if i < len(b) && b[i] == '"' {
		// Text is always in a container below.
		end, _, why = stringEnd(b, i+1)
		return end, why
	}

value: // b[i] begins a value, or is white space before one
	if uint(i) >= uint(len(b)) {
		return i, badValue
	}
	switch b[i] {
	case '"':
		i++
		goto text
	case '{', '[':
		if left == 0 {
			// The word is full, or this is the outermost container: put it
			// away and begin another.
			if left = min(room, kindsPerWord); left == 0 {
				return i, tooDeep
			}
			room -= left
			v.outer[words] = kinds
			words++
			kinds = 1
		}
		left--
		if b[i] == '[' {
			i++
			kinds <<= 1
			goto firstElement
		}
		i++
		kinds = kinds<<1 | 1
		goto firstKey
	case '-':
		i++
		if uint(i) >= uint(len(b)) || !isDigit(b[i]) {
			return i, badNumber
		}
		goto number
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		goto number
	// Literals are compared byte by byte: the compiler makes one comparison
	// of four bytes. Where exactly they differ matters only on the way out.
	case 't':
		if i > len(b)-4 || b[i+1] != 'r' || b[i+2] != 'u' || b[i+3] != 'e' {
			return mismatch(b, i, "true"), badLiteral
		}
		i += 4
		goto after
	case 'f':
		if i > len(b)-5 || b[i+1] != 'a' || b[i+2] != 'l' || b[i+3] != 's' || b[i+4] != 'e' {
			return mismatch(b, i, "false"), badLiteral
		}
		i += 5
		goto after
	case 'n':
		if i > len(b)-4 || b[i+1] != 'u' || b[i+2] != 'l' || b[i+3] != 'l' {
			return mismatch(b, i, "null"), badLiteral
		}
		i += 4
		goto after
	case ' ', '\t', '\n', '\r':
		i++
		goto value
	}
	return i, badValue

number: // b[i] is its first digit
	if b[i] == '0' {
		i++ // and no other digit: that would be found out behind the number
	} else {
		for uint(i) < uint(len(b)) && isDigit(b[i]) {
			i++
		}
	}
	if uint(i) < uint(len(b)) && b[i] == '.' {
		i++
		if uint(i) >= uint(len(b)) || !isDigit(b[i]) {
			return i, badNumber
		}
		for uint(i) < uint(len(b)) && isDigit(b[i]) {
			i++
		}
	}
	if uint(i) < uint(len(b)) && b[i]|0x20 == 'e' {
		i++
		if uint(i) < uint(len(b)) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if uint(i) >= uint(len(b)) || !isDigit(b[i]) {
			return i, badNumber
		}
		for uint(i) < uint(len(b)) && isDigit(b[i]) {
			i++
		}
	}

after: // a value ends before b[i]
	if kinds == 1 {
		return i, ok
	}
	if uint(i) >= uint(len(b)) {
		return i, badSeparator
	}
	switch b[i] {
	case ',':
		i++
		if kinds&1 != 0 {
			goto nextKey
		}
		goto value
	case '}':
		if kinds&1 == 0 {
			return i, badSeparator
		}
		goto pop
	case ']':
		if kinds&1 != 0 {
			return i, badSeparator
		}
		goto pop
	case ' ', '\t', '\n', '\r':
		i++
		goto after
	}
	return i, badSeparator

pop: // b[i] closes the innermost container
	i++
	left++
	if kinds >>= 1; kinds == 1 {
		// The word is empty, so the one below it is full. Below the lowest is
		// the 1 that says that nothing is open.
		words--
		kinds = v.outer[words]
		room += left
		left = 0
	}
	goto after

firstElement: // b[i] is behind the bracket
	for uint(i) < uint(len(b)) && isSpace(b[i]) {
		i++
	}
	if uint(i) < uint(len(b)) && b[i] == ']' {
		goto pop
	}
	goto value

firstKey: // b[i] is behind the brace
	for uint(i) < uint(len(b)) && isSpace(b[i]) {
		i++
	}
	if uint(i) < uint(len(b)) && b[i] == '}' {
		goto pop
	}

nextKey: // b[i] is behind the brace or a comma
	for uint(i) < uint(len(b)) && isSpace(b[i]) {
		i++
	}
	if uint(i) >= uint(len(b)) || b[i] != '"' {
		return i, badKey
	}
	i++

key: // b[i] is in a key, and not behind a lone backslash
	for {
		if i < 0 || i > len(b)-8 {
			goto oddKey
		}
		w = binary.LittleEndian.Uint64(b[i : i+8])
		if m = special(w); m != 0 {
			break
		}
		i += 8
	}
	// Behind an escape the loop above starts in the middle of the key, at any
	// alignment: words are loaded from where they are needed.
	i += bits.TrailingZeros64(m) / 8
	if i < 0 || i > len(b)-8 {
		goto oddKey
	}
	w = binary.LittleEndian.Uint64(b[i : i+8])
	switch {
	case w&0xffffff == quoteColonQuote:
		i += 3
		goto text
	case w&0xffffff == quoteColonBrace:
		if left == 0 {
			// Also for {}: at the limit of nesting not even that may be open.
			i += 2
			goto value
		}
		if w>>24&0xffffff == braceCommaQuote {
			i += 6
			goto key
		}
		i += 3
		left--
		kinds = kinds<<1 | 1
		goto firstKey
	case w&0xffff == quoteColon:
		i += 2
		goto value
	case w&0xff == '\\' && escapes[w>>8&0xff]:
		i += 2
		goto key
	}

oddKey: // as key, for the last bytes of b and for what is rare
	if i, _, why = longStringEnd(b, i); why != ok {
		return i, why
	}
	for uint(i) < uint(len(b)) && isSpace(b[i]) {
		i++
	}
	if uint(i) >= uint(len(b)) || b[i] != ':' {
		return i, badColon
	}
	i++
	goto value

text: // b[i] is in a string that is a value
	for stop = i + shortString; i < stop; i += 8 {
		if i < 0 || i > len(b)-8 {
			goto oddText
		}
		w = binary.LittleEndian.Uint64(b[i : i+8])
		if m = special(w); m != 0 {
			goto textEnd
		}
	}
	goto oddText

textEnd: // the lowest bit of m is of the first byte from b[i] on that is special
	i += bits.TrailingZeros64(m) / 8
	if i < 0 || i > len(b)-8 {
		goto oddText
	}
	w = binary.LittleEndian.Uint64(b[i : i+8])
	switch {
	case w&0xffffff == quoteCommaQuote:
		i += 3
		// What the quote begins depends on where we are, and only there the
		// branch predictor may have to guess.
		if kinds&1 != 0 {
			goto key
		}
		goto text
	case w&0xff == '"':
		i++
		goto after
	}

oddText: // as text, for what is long, has escapes, or is at the end of b
	if i, _, why = longStringEnd(b, i); why != ok {
		return i, why
	}
	goto after
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// Masks for special. Variables, though they never change: as constants they
// would be ten-byte instructions in the innermost loop, which is then slower
// by a sixth.
var (
	maskQuote     uint64 = ('"' ^ ' ') * ones
	maskControl   uint64 = (' ' + 1) * ones
	maskBackslash uint64 = '\\' * ones
	maskOnes      uint64 = ones
	maskHighs     uint64 = highs
)

// special sets the highest bit of each byte of w that cannot stand for itself
// in a string: a quote, a backslash, a control character. Bits above the
// lowest that is set may be wrong, because the subtractions borrow.
//
// Flipping the bit in which quote and space differ makes the quote a space
// and the space a quote, and leaves the control characters below them: so one
// subtraction finds both. Bytes above 0x7f are always plain.
func special(w uint64) uint64 {
	return (((w ^ maskQuote) - maskControl) | ((w ^ maskBackslash) - maskOnes)) &^ w & maskHighs
}

// plainEnd returns the index of the first byte of b[i:] that cannot stand for
// itself in a string, or len(b).
func plainEnd(b []byte, i int) int {
	for i >= 0 && i <= len(b)-8 {
		if m := special(binary.LittleEndian.Uint64(b[i : i+8])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
		i += 8
	}
	for i < len(b) && b[i] >= ' ' && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}
