package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// oddities are what may stand between plain bytes. With some it is no string
// any more, and some look to special as if they were.
var oddities = []string{
	`"`, `\"`, `\\`, `\n`, `\/`, `\\\"`, `\u00e9`, `\uD83D\ude00`, `\u00g9`, `\u00`, `\x`, `\`, `\é`,
	"\x00", "\x1f", "\\\x1f", "\n", "\x7f", "\x80", "\xff", "é", "☕", `\\]`, `\\]]`, `\"#`, `"#`, "\x1f#", " ", "!",
}

// sameAsEncodingJSON asks both whether b is JSON, and if not, where it goes
// wrong.
func sameAsEncodingJSON(t *testing.T, s *Scanner, b []byte) {
	t.Helper()
	var m Meta
	var syntax *SyntaxError
	bad := errors.As(s.ScanObject(b, &m), &syntax)
	if bad == json.Valid(b) {
		t.Fatalf("valid: %v, but scan says %v: %q", !bad, syntax, b)
	}
	if !bad {
		return
	}
	// encoding/json counts bytes, the bad one included. At the end of b it
	// sometimes takes a space for it: a zero byte is bad everywhere.
	var raw json.RawMessage
	var want *json.SyntaxError
	require.ErrorAs(t, json.Unmarshal(append(bytes.Clone(b), 0), &raw), &want)
	if syntax.Offset != want.Offset-1 {
		t.Fatalf("bad at byte %d, but scan says %v: %q", want.Offset-1, syntax, b)
	}
}

func TestScanReadsOddBytesAnywhereInLongStrings(t *testing.T) {
	var s Scanner
	plain := strings.Repeat("x", 200)
	for length := range 200 {
		for _, odd := range oddities {
			// Those that mean something at every place.
			step := 1
			if !strings.Contains("\" \\\" \\\\ \\u00e9 \\ \x1f", odd) {
				step = 17
			}
			for at := 0; at <= length; at += step {
				text := plain[:at] + odd + plain[at:length]
				sameAsEncodingJSON(t, &s, []byte(`{"k":["`+text+`"]}`))
			}
			// In the other places for strings, and with bytes behind them.
			text := plain[:length/2] + odd + plain[length/2:length]
			sameAsEncodingJSON(t, &s, []byte(`"`+text+`"`))
			sameAsEncodingJSON(t, &s, []byte(`{"k":"`+text+`","l":[{"`+text+`":1}],"m":"`+plain+`"}`))
		}
	}
}

func TestScanReadsOddBytesBesideEachOther(t *testing.T) {
	var s Scanner
	random := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for range 3_000 {
		var text strings.Builder
		for text.Len() < 300 {
			text.WriteString(strings.Repeat("x", random.IntN(70)>>random.IntN(7)))
			// Few strings would be any, if all oddities were as frequent.
			if odd := oddities[random.IntN(len(oddities))]; json.Valid([]byte(`"`+odd+`"`)) || random.IntN(40) == 0 {
				text.WriteString(odd)
			}
		}
		b := []byte(`{"k":["` + text.String() + `"],"` + text.String() + `":"` + text.String() + `"}`)
		sameAsEncodingJSON(t, &s, b)
		sameAsEncodingJSON(t, &s, b[:random.IntN(len(b))])
		if json.Valid(b) {
			valid++
		}
	}
	require.Greater(t, valid, 600)
	require.Less(t, valid, 2_900)
}

// Of a long string that is wanted, the text is the same as encoding/json's.
func TestScanDecodesLongNames(t *testing.T) {
	for length := 25; length < 150; length += 3 {
		for _, odd := range oddities[:12] {
			for _, at := range []int{0, length / 2, length} {
				name := strings.Repeat("x", at) + odd + strings.Repeat("y", length-at)
				agreesWithEncodingJSON(t, []byte(`{"type":"ADDED","object":{"metadata":{"name":"`+name+`","uid":"u"}}}`))
			}
		}
	}
}

func TestSpecialsAreAllFound(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var block [blockSize + 1]byte
		var want uint64
		for k := range blockSize {
			block[k] = byte(random.Uint32() >> random.IntN(16))
			if block[k] < ' ' || block[k] == '"' || block[k] == '\\' {
				want |= 1 << k
			}
		}
		got := specials(&block)
		require.Equal(t, want, got&want)
		// What is wrongly found has a right one in the same word below it.
		for extra := got &^ want; extra != 0; extra &= extra - 1 {
			k := bits.TrailingZeros64(extra)
			below := want >> (k &^ 7) & (1<<(k&7) - 1)
			require.NotZero(t, below, "bit %d of %x", k, got)
		}
	}
}
