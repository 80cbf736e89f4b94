package diff

import (
	"strconv"
	"strings"
)

// Path is where in an object a value stands.
type Path []Step

// Step leads from a value to one in it: to a member of an object, or to an
// element of a list.
type Step struct {
	Key string // of a member

	Element bool
	Index   int    // of an element, in the version that has it (the new one, if both do)
	Name    string // of an element that has a merge key
}

// String writes a path as people do:
//
//	spec.containers[web].args[2]
//	metadata.annotations["example.com/owner"]
//
// It is not escaped for a terminal.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.Element && s.Name == "":
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case s.Element:
			b.WriteString("[" + name(s.Name) + "]")
		case !isWord(s.Key):
			b.WriteString("[" + strconv.Quote(s.Key) + "]")
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Key)
		}
	}
	return b.String()
}

// name is a merge key between brackets. One that could be taken for an index,
// or for the end of the brackets, is quoted.
func name(s string) string {
	if _, err := strconv.Atoi(s); err == nil || strings.ContainsAny(s, "[]\"\n\t") {
		return strconv.Quote(s)
	}
	return s
}

// isWord reports whether a key needs no quotes.
func isWord(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-'):
		default:
			return false
		}
	}
	return s != ""
}
