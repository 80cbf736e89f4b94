package decode

import (
	"fmt"
	"io"
	"strings"
)

// A SyntaxError says that the bytes are not JSON or nest deeper than
// [MaxDepth], that a list does not begin with a brace, or that something
// other than white space follows it.
type SyntaxError struct {
	Offset int64 // of the offending byte, counted from the start of the body
	Msg    string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("decode: at byte %d: %s", e.Offset, e.Msg)
}

// A FrameSizeError says that a frame, or one value of a list, is longer than
// the reader's limit. Nothing of it was delivered.
type FrameSizeError struct {
	Offset int64 // where the frame or value begins in the body
	Limit  int   // bytes
}

func (e *FrameSizeError) Error() string {
	return fmt.Sprintf("decode: at byte %d: longer than the limit of %d bytes", e.Offset, e.Limit)
}

// A TornError says that the body ended inside a frame, or before a list was
// complete. The kind of end proves nothing: a body without a length ends
// cleanly wherever its connection was cut.
type TornError struct {
	Offset  int64 // where the unfinished frame or value begins in the body
	Dropped int   // bytes of it that had arrived and were not delivered
}

func (e *TornError) Error() string {
	return fmt.Sprintf("decode: at byte %d: the body ends too early, %d bytes dropped", e.Offset, e.Dropped)
}

// Unwrap returns io.ErrUnexpectedEOF.
func (e *TornError) Unwrap() error { return io.ErrUnexpectedEOF }

// A ShapeError says that the bytes are JSON, but not what was asked for: a
// frame that is no event, a body that is no list, an item that is no object.
type ShapeError struct {
	Offset int64  // where the frame, body or item begins in the body
	Kind   string // "kind" of what came instead, if it had one; beside an Index, of the list
	Index  int    // of the item in its list, or -1
	Msg    string
}

func (e *ShapeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "decode: at byte %d: ", e.Offset)
	if e.Index >= 0 {
		fmt.Fprintf(&b, "item %d: ", e.Index)
	}
	b.WriteString(e.Msg)
	switch {
	case e.Kind == "":
	case e.Index >= 0:
		fmt.Fprintf(&b, ", in kind %.64q", e.Kind)
	default:
		fmt.Fprintf(&b, ", but kind %.64q", e.Kind)
	}
	return b.String()
}

// List reports whether what came instead was a list: a proxy that drops the
// query turns a watch into a list, with status 200.
func (e *ShapeError) List() bool {
	return strings.HasSuffix(e.Kind, "List") || e.Kind == tableKind
}

// A problem is why a scan stopped.
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
