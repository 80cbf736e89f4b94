package terminal

import (
	"io"
	"os"
	"runtime"
)

// Colour is a way to print text (ECMA-48, SGR).
type Colour string

const (
	Bold    Colour = "1"
	Dim     Colour = "2"
	Red     Colour = "31"
	Green   Colour = "32"
	Yellow  Colour = "33"
	Magenta Colour = "35"
	Cyan    Colour = "36"
)

// Colours says whether to print in colours.
type Colours bool

// Paint is text in a colour; "" is none.
func (on Colours) Paint(c Colour, text string) string {
	if !on || c == "" || text == "" {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}

// The values of --color.
const (
	Auto   = "auto"
	Always = "always"
	Never  = "never"
)

// HasColours reports whether to print in colours to w: always, never, or on a
// terminal that has them, unless somebody has said that they do not want any
// (no-color.org).
func HasColours(w io.Writer, when string) Colours {
	switch when {
	case Always:
		return true
	case Never:
		return false
	}
	if runtime.GOOS == "windows" && os.Getenv("WT_SESSION") == "" {
		return false // an old console, which shows the codes
	}
	return Colours(Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb")
}
