package escape

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestText(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "web-1", "web-1"},
		{"empty", "", ""},
		{"spaces stay", "no nodes available", "no nodes available"},
		{"letters of any language", "größe 日本 🙂", "größe 日本 🙂"},
		{"clear the screen", "a\x1b[2Jb", `a\x1b[2Jb`},
		{"line breaks and tabs", "a\r\nb\tc", `a\r\nb\tc`},
		{"C1 control: CSI in one character", "a\u009b2J", `a\u009b2J`},
		{"text that runs backwards", "a\u202egpj.exe", `a\u202egpj.exe`},
		{"invisible text", "a\u200bb", `a\u200bb`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"bytes that are not UTF-8", "a\xff\x9bb", `a\xff\x9bb`},
		{"delete", "a\x7f", `a\x7f`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, Text(tt.in))
			assert.Equal(t, "x"+tt.want, string(Append([]byte("x"), tt.in)))
		})
	}
}

func FuzzText(f *testing.F) {
	f.Add("web-1")
	f.Add("a\x1b[2J\xff\u202e日")
	f.Fuzz(func(t *testing.T, s string) {
		out := Text(s)
		assert.True(t, utf8.ValidString(out))
		assert.Equal(t, -1, strings.IndexFunc(out, func(r rune) bool { return !unicode.IsPrint(r) }), "%q", out)
		assert.Equal(t, out, Text(out), "what is safe is not touched again")
	})
}
