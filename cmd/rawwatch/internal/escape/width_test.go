package escape

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWidth(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, "web-1": 5, "café": 4, "cafe\u0301": 4, "名前": 4, "ｆｕｌｌ": 8, "ﾊﾝ": 2, "😀": 2, "·": 1, "한국": 4,
	} {
		assert.Equal(t, want, Width(s), s)
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		s       string
		columns int
		want    string
	}{
		{"web-1", 5, "web-1"}, {"web-1", 4, "web…"}, {"web-1", 1, "…"}, {"web-1", 0, ""}, {"web-1", -1, ""},
		{"名前名", 5, "名前…"}, {"名前名", 4, "名…"}, {"cafe\u0301s", 4, "caf…"}, {"", 0, ""},
	} {
		got := Clip(tt.s, tt.columns)
		assert.Equal(t, tt.want, got)
		assert.LessOrEqual(t, Width(got), max(tt.columns, 0), strings.ToUpper(tt.s))
	}
}
