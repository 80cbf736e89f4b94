package tree

import (
	"encoding/json"
	"errors"
	"strings"
)

// Kind is what a node is.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// Node is one value. The zero value is null.
type Node struct {
	Kind Kind
	// Text is that of a scalar: a string decoded, anything else as it was
	// written.
	Text string
	// Mask is not 0 if Text stands for a value that must not be shown. Equal
	// values have equal masks.
	Mask uint64

	Keys  []string // of an Object
	Items []Node   // of an Array; of an Object, in the order of Keys
}

var errInvalid = errors.New("tree: not JSON")

// Parse reads one JSON text. The nodes share a copy of b.
func Parse(b []byte) (*Node, error) {
	// The parser below takes valid JSON, and so needs no errors of its own.
	// This also bounds the depth, and with it the stack.
	if !json.Valid(b) {
		return nil, errInvalid
	}
	p := parser{s: string(b)}
	n := p.value()
	return &n, nil
}

// parser reads valid JSON.
type parser struct {
	s string
	i int // the next byte
}

func (p *parser) value() Node {
	switch p.space(); p.s[p.i] {
	case '{':
		return p.object()
	case '[':
		return p.array()
	case '"':
		return Node{Kind: String, Text: p.text()}
	case 't', 'f':
		return Node{Kind: Bool, Text: p.word()}
	case 'n':
		p.word()
		return Node{}
	}
	return Node{Kind: Number, Text: p.word()}
}

func (p *parser) space() {
	for p.i < len(p.s) && strings.IndexByte(" \t\r\n", p.s[p.i]) >= 0 {
		p.i++
	}
}

// next moves behind the opening bracket or the comma, and reports whether
// something follows.
func (p *parser) next(closing byte) bool {
	for {
		p.space()
		switch p.s[p.i] {
		case closing:
			p.i++
			return false
		case ',':
			p.i++
		default:
			return true
		}
	}
}

// word is a number or a literal.
func (p *parser) word() string {
	start := p.i
	for p.i < len(p.s) && strings.IndexByte(",]} \t\r\n", p.s[p.i]) < 0 {
		p.i++
	}
	return p.s[start:p.i]
}

func (p *parser) array() Node {
	n := Node{Kind: Array}
	p.i++
	for p.next(']') {
		n.Items = append(n.Items, p.value())
	}
	return n
}

func (p *parser) object() Node {
	n := Node{Kind: Object}
	var places map[string]int // a hostile object has a million keys
	p.i++
	for p.next('}') {
		key := p.text()
		p.space()
		p.i++ // the colon
		value := p.value()
		if len(n.Keys) == few {
			places = n.places()
		}
		at, known := places[key]
		if places == nil {
			at = n.index(key)
			known = at >= 0
		}
		if known {
			n.Items[at] = value // the last one counts
			continue
		}
		if places != nil {
			places[key] = len(n.Keys)
		}
		n.Keys, n.Items = append(n.Keys, key), append(n.Items, value)
	}
	return n
}

// few keys are looked through faster than a map is made.
const few = 24

// places says where each key is.
func (n *Node) places() map[string]int {
	places := make(map[string]int, len(n.Keys))
	for i, key := range n.Keys {
		places[key] = i
	}
	return places
}

func (n *Node) index(key string) int {
	for i, k := range n.Keys {
		if k == key {
			return i
		}
	}
	return -1
}

// text reads a string.
func (p *parser) text() string {
	p.i++
	start, escaped := p.i, false
	for p.s[p.i] != '"' {
		if p.s[p.i] == '\\' {
			escaped = true
			p.i++
		}
		p.i++
	}
	raw := p.s[start:p.i]
	p.i++
	if !escaped {
		return raw
	}
	return unescape(raw)
}

// unescape decodes the escapes of a string. encoding/json is given runs of them
// alone, since it would replace the bytes between them that are not UTF-8.
func unescape(raw string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(raw, '\\')
		if i < 0 {
			b.WriteString(raw)
			return b.String()
		}
		b.WriteString(raw[:i])
		end := i
		for end < len(raw) && raw[end] == '\\' {
			if raw[end+1] == 'u' {
				end += 4
			}
			end += 2
		}
		var run string
		json.Unmarshal([]byte(`"`+raw[i:end]+`"`), &run) // valid, as all of it is
		b.WriteString(run)
		raw = raw[end:]
	}
}

// Get is the value at keys in nested objects, or nil.
func (n *Node) Get(keys ...string) *Node {
	for _, key := range keys {
		if n == nil || n.Kind != Object {
			return nil
		}
		i := n.index(key)
		if i < 0 {
			return nil
		}
		n = &n.Items[i]
	}
	return n
}

// String is the text of a string, "" if n is none or nil.
func (n *Node) String() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// IsContainer reports whether there may be nodes in n.
func (n *Node) IsContainer() bool { return n.Kind == Array || n.Kind == Object }

// Equal reports whether two values are the same: keys in any order, numbers by
// their text.
func Equal(a, b *Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || a.Mask != b.Mask || len(a.Items) != len(b.Items) {
		return false
	}
	if a.Kind == Array {
		for i := range a.Items {
			if !Equal(&a.Items[i], &b.Items[i]) {
				return false
			}
		}
		return true
	}
	lookup := Lookup(b)
	for i, key := range a.Keys {
		// Nearly always the two have their keys in the same order.
		at := i
		if b.Keys[i] != key {
			if at = lookup(key); at < 0 {
				return false
			}
		}
		if !Equal(&a.Items[i], &b.Items[at]) {
			return false
		}
	}
	return true
}

// Lookup is a way to find the members of an object n by their key, one of very
// many too: their place in Items, or -1.
func Lookup(n *Node) func(key string) int {
	if len(n.Keys) <= few {
		return n.index
	}
	var places map[string]int // made only if it is asked for
	return func(key string) int {
		if places == nil {
			places = n.places()
		}
		if at, ok := places[key]; ok {
			return at
		}
		return -1
	}
}
