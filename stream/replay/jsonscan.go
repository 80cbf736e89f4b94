package replay

import (
	"encoding/json"
	"errors"
	"iter"

	"example.com/rawwatch/decode"
)

// What is recorded has to stay as it is, byte for byte, so it is never decoded
// and encoded again. The functions here find where in a JSON text a value
// stands; they take texts that isJSON has accepted, and look at nothing
// but brackets and quotes.

// isJSON is json.Valid, several times as fast on what is recorded.
func isJSON(b []byte) bool {
	var m decode.Meta
	_, bad := errors.AsType[*decode.SyntaxError](decode.ScanObject(b, &m))
	return !bad
}

// span is where a value stands, spaces around it included: from the colon or
// comma before it to the comma or bracket after it.
type span struct{ start, end int }

func (s span) of(b []byte) []byte { return b[s.start:s.end] }

// members yields the keys of the object b, unquoted, and where their values
// stand; duplicate keys come as often as they are there. Nothing if b is not
// an object.
func members(b []byte) iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		i := skipSpace(b, 0)
		if i == len(b) || b[i] != '{' {
			return
		}
		for {
			i = skipSpace(b, i+1)
			if b[i] == '}' {
				return
			}
			end := skipString(b, i)
			key := unquote(b[i:end])
			colon := skipSpace(b, end)
			i = skipSpace(b, skipValue(b, skipSpace(b, colon+1)))
			if !yield(key, span{colon + 1, i}) || b[i] == '}' {
				return
			}
		}
	}
}

// elements yields where the elements of the array b stand. Nothing if b is not
// an array.
func elements(b []byte) iter.Seq[span] {
	return func(yield func(span) bool) {
		i := skipSpace(b, 0)
		if i == len(b) || b[i] != '[' || b[skipSpace(b, i+1)] == ']' {
			return
		}
		for {
			start := i + 1
			i = skipSpace(b, skipValue(b, skipSpace(b, start)))
			if !yield(span{start, i}) || b[i] == ']' {
				return
			}
		}
	}
}

// find finds where in b the value at path in nested objects stands; of
// duplicate keys the last one counts, as for encoding/json.
func find(b []byte, path ...string) (at span, ok bool) {
	at = span{0, len(b)}
	for _, want := range path {
		in, found := at, false
		for key, s := range members(in.of(b)) {
			if key == want {
				at, found = span{in.start + s.start, in.start + s.end}, true
			}
		}
		if !found {
			return span{}, false
		}
	}
	return at, true
}

// lookup is what find finds, or nil.
func lookup(b []byte, path ...string) []byte {
	at, ok := find(b, path...)
	if !ok {
		return nil
	}
	return at.of(b)
}

// lookupString is lookup for a string; "" if it is none.
func lookupString(b []byte, path ...string) string {
	v := lookup(b, path...)
	i := skipSpace(v, 0)
	if i == len(v) || v[i] != '"' {
		return ""
	}
	return unquote(v[i:skipString(v, i)])
}

// unquote decodes the JSON string b.
func unquote(b []byte) (s string) {
	json.Unmarshal(b, &s) // valid by contract
	return s
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString returns the index behind the string that starts at i.
func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the index behind the value that starts at i.
func skipValue(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i
			}
			depth--
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i // behind a number or a word
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}
