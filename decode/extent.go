package decode

// An extent finds where a JSON value ends while its bytes are still arriving,
// looking at each byte once. It counts brackets outside strings and checks
// nothing: it only tells when the validator, which starts at the front each
// time, is worth running again. The zero value is at the start of a value.
type extent struct {
	depth   int
	begun   bool
	scalar  bool // a number or literal: it ends before a delimiter
	quoted  bool // inside a string
	escaped bool // behind a backslash
}

// closes reports whether the value that began in earlier bytes ends in b.
func (e *extent) closes(b []byte) bool {
	// Between two calls lies a Read, which may cut anywhere: behind a
	// backslash, inside a string, inside a number.
	for i := 0; i < len(b); i++ {
		c := b[i]
		switch {
		case e.escaped:
			e.escaped = false
		case e.quoted:
			if i = plainEnd(b, i); i == len(b) {
				return false
			}
			switch b[i] {
			case '\\':
				e.escaped = true
			case '"':
				e.quoted = false
				if e.depth == 0 {
					return true
				}
			}
		case e.scalar:
			if isSpace(c) || c == ',' || c == ']' || c == '}' {
				return true
			}
		case c == '"':
			e.quoted = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			// Of whatever kind: if it is the wrong one, the scan will say so.
			if e.depth--; e.depth <= 0 {
				return true
			}
		case !e.begun:
			e.scalar = true
		}
		e.begun = true
	}
	return false
}
