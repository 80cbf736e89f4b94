package query

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const event = `{"type":"MODIFIED","object":{"metadata":{"name":"web\u001b[2J","z":1.50,"a":12345678901234567890},"list":["x","y"]}}`

func TestAppend(t *testing.T) {
	for _, tt := range []struct{ name, expr, want, err string }{
		{"a string is raw", `.type`, "MODIFIED\n", ""},
		{"but not for a terminal to obey", `.object.metadata.name`, "web\\x1b[2J\n", ""},
		{"tabs and lines stay", `.object.list | @tsv, join("\n")`, "x\ty\nx\ny\n", ""},
		{"several outputs", `.object.list[]`, "x\ny\n", ""},
		{"none", `empty`, "", ""},
		{"anything else is JSON with sorted keys; numbers keep their text", `.object.metadata | del(.name)`, `{"a":12345678901234567890,"z":1.50}` + "\n", ""},
		{"an error, behind what came before", `.type, .type.x`, "MODIFIED\n", "expected an object but got: string"},
		{"error/1", `error("no")`, "", "no"},
		{"halt is enough of it", `.type, halt, .type`, "MODIFIED\n", ""},
		{"halt_error is an error", `"x" | halt_error`, "", "x"},
		{"there is no environment", `env, $ENV`, "{}\n{}\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Compile(tt.expr)
			require.NoError(t, err)
			got, err := f.Append(t.Context(), []byte("before:"), []byte(event))
			assert.Equal(t, "before:"+tt.want, string(got))
			if tt.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.err)
			}
		})
	}
}

func TestCompileErrorsPointIntoTheExpression(t *testing.T) {
	for _, tt := range []struct{ expr, want, pointer string }{
		{`.object.metadata | | .x`, `unexpected token "|"`, ".object.metadata | | .x\n                   ^\n"},
		{`.items[`, "unexpected EOF", ".items[\n       ^\n"},
		{"", `missing query`, ""},
		{`.a | nope(1)`, "function not defined: nope/1", ".a | nope(1)\n     ^\n"},
		{`.a | $x`, "variable not defined: $x", ".a | $x\n     ^\n"},
		{"\"é\" | .a\n| \t}", `unexpected token "}"`, "|  }\n   ^\n"},
		{`"é" ]`, `unexpected token "]"`, "\"é\" ]\n    ^\n"},
		{`input`, "input(s)/0 is not allowed", ""},
		{`"abc`, "unterminated string literal", ""},
	} {
		_, err := Compile(tt.expr)
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, tt.expr)
		assert.Contains(t, syntax.Error(), tt.want)
		if tt.pointer != "" {
			assert.Equal(t, tt.pointer, syntax.Pointer())
		}
	}
}

func TestIs(t *testing.T) {
	for expr, want := range map[string]bool{
		`.type == "MODIFIED"`: true, `.type`: true, `0`: true, `""`: true, `false`: false, `null`: false, `empty`: false, `false, true`: false,
	} {
		f, err := Compile(expr)
		require.NoError(t, err)
		got, err := f.Is(t.Context(), []byte(event))
		require.NoError(t, err)
		assert.Equal(t, want, got, expr)
	}
	f, err := Compile(`.type.x`)
	require.NoError(t, err)
	_, err = f.Is(t.Context(), []byte(event))
	assert.Error(t, err)
}

func TestLimits(t *testing.T) {
	for _, expr := range []string{`repeat(.)`, `[repeat(1)]`, `def f: f; f`, `last(range(1e12))`} {
		f, err := Compile(expr)
		require.NoError(t, err)
		f.Time, f.Output = 50*time.Millisecond, 1<<20
		got, err := f.Append(t.Context(), []byte("before:"), []byte(event))
		assert.True(t, IsLimit(err), "%s: %v", expr, err)
		assert.Equal(t, "before:", string(got), expr)
	}
}

func TestTheContextEndsIt(t *testing.T) {
	f, err := Compile(`last(repeat(1))`)
	require.NoError(t, err)
	gone := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err = f.Append(ctx, nil, []byte(event))
	assert.ErrorIs(t, err, gone)
	assert.False(t, IsLimit(err))
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{`.a`, `.a |`, "\"\\(1", `$x`, "é\t]", `foo/1`, "@x \"\\q\"", "\n\n)"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expr string) {
		_, err := Compile(expr)
		var syntax *SyntaxError
		if err != nil && !errors.As(err, &syntax) {
			t.Fatalf("%T: %v", err, err)
		}
		if syntax != nil && strings.ContainsAny(syntax.Pointer(), "\x1b\x00\t") {
			t.Errorf("%q", syntax.Pointer())
		}
	})
}
