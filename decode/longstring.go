package decode

import (
	"encoding/binary"
	"math/bits"
)

// Long strings, and those with escapes: files in ConfigMaps, certificates in
// Secrets, what kubectl notes down as last-applied-configuration.
//
// The words of valid.go are the wrong tool for them. To go from one escape to
// the next in words, a branch must be guessed for each, and where escapes are
// is as random as text is: what that costs is not the instructions but the
// wrong guesses. So here 64 bytes are looked at as a whole, whatever they are,
// and give a bitmap:
//
//	b[i:i+64]   l i s t e n \ n \ t \ " 8 0 8 0 . . .
//	specials    0 0 0 0 0 0 1 0 1 0 1 1 0 0 0 0 . . .    bit k is b[i+k]
//
// Taking bits from it needs one guess for all 64 bytes: when they run out.

const blockSize = 64

// longStringEnd is stringEnd for strings that are long or have escapes, and for
// the last bytes of b. b[i] is in the string, and not behind a lone backslash.
func longStringEnd(b []byte, i int) (end int, escaped bool, why problem) {
	// One byte more than the block: an escape may begin with its last byte.
	for i >= 0 && i <= len(b)-blockSize-1 {
		block := (*[blockSize + 1]byte)(b[i : i+blockSize+1])
		last := 0 // where the last escape of the block is
		for m := specials(block); m != 0; {
			k := bits.TrailingZeros64(m)
			c, next := block[k], block[k+1]
			if c == '\\' && escapes[next] {
				m &^= 3 << (k & 63) // what is escaped has no meaning of its own
				last, escaped = k, true
				continue
			}
			switch {
			case c == '"':
				return i + k + 1, escaped, ok
			case c == '\\':
				if escapeLen(b, i+k) == 0 {
					return badEscapeAt(b, i+k), true, badEscape
				}
				escaped = true // by hexadecimal digits, which are plain
			case c < ' ':
				return i + k, escaped, badString
			}
			m &= m - 1
		}
		i += blockSize
		if last == blockSize-1 {
			i++
		}
	}
	for {
		i = plainEnd(b, i)
		switch {
		case i == len(b):
			return i, escaped, badString
		case b[i] == '"':
			return i + 1, escaped, ok
		case b[i] != '\\':
			return i, escaped, badString
		}
		n := escapeLen(b, i)
		if n == 0 {
			return badEscapeAt(b, i), true, badEscape
		}
		escaped = true
		i += n
	}
}

// specials returns a bitmap of the bytes of a block that cannot stand for
// themselves in a string. A bit above one that is right may be wrong, as in
// special: the bytes have to be looked at.
func specials(b *[blockSize + 1]byte) uint64 {
	// special leaves one bit in each byte of a word, so the bits of eight
	// words fit into one. But they come to lie as the columns of a matrix of
	// which the rows are wanted: bit 8k+j is that of the byte 8j+k.
	m := word(b[0:8])>>7 | word(b[8:16])>>6 | word(b[16:24])>>5 | word(b[24:32])>>4 |
		word(b[32:40])>>3 | word(b[40:48])>>2 | word(b[48:56])>>1 | word(b[56:64])
	if m == 0 {
		return 0 // a certificate is nothing but this
	}
	return transpose(m)
}

func word(b []byte) uint64 { return special(binary.LittleEndian.Uint64(b)) }

// transpose swaps rows and columns of a matrix of 8 by 8 bits: single bits in
// squares of 2 by 2, then such squares in squares of 4 by 4, then those.
func transpose(m uint64) uint64 {
	x := (m ^ m>>7) & swap1
	m ^= x ^ x<<7
	x = (m ^ m>>14) & swap2
	m ^= x ^ x<<14
	x = (m ^ m>>28) & swap4
	return m ^ x ^ x<<28
}

// Which bits are swapped with others. Variables, as the masks of special.
var (
	swap1 uint64 = 0x00aa00aa00aa00aa
	swap2 uint64 = 0x0000cccc0000cccc
	swap4 uint64 = 0x00000000f0f0f0f0
)
