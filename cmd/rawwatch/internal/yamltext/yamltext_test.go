package yamltext

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

func render(t testing.TB, text string) string {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	require.NoError(t, err)
	b, err := Append(nil, n)
	require.NoError(t, err)
	return string(b)
}

func TestAppend(t *testing.T) {
	got := render(t, `{"kind":"Pod","metadata":{"name":"web","creationTimestamp":"2026-11-30T19:32:48Z","labels":{}},
		"spec":{"list":[{"b":1,"a":[[1,2],[]]},"x"],"m":[1.50,1e3,-0,12345678901234567890123,null,true]},
		"data":{"a.yaml":"log:\n  level: info\n","dos":"a\r\nb","trail":"a \nb","one":"# no comment","2":"key","n":0}}`)
	assert.Equal(t, `kind: Pod
metadata:
  name: web
  creationTimestamp: "2026-11-30T19:32:48Z"
  labels: {}
spec:
  list:
  - b: 1
    a:
    - - 1
      - 2
    - []
  - x
  m:
  - 1.50
  - 1e3
  - -0
  - 12345678901234567890123
  - null
  - true
data:
  a.yaml: |
    log:
      level: info
  dos: "a\r\nb"
  trail: "a \nb"
  one: '# no comment'
  "2": key
  "n": 0
`, got)
}

func TestWhatWouldBeMisreadIsQuoted(t *testing.T) {
	for _, s := range []string{
		"yes", "No", "ON", "off", "y", "N", "true", "False", "null", "Null", "~", "", "=", "<<",
		"1", "-1", "+1", "1e3", "1E400", ".5", "1_000", "0777", "0o17", "0x1F", "0b11", "12:30:45", "1:20", ".inf", ".NaN",
		"2026-11-30", "2026-11-30T19:32:48Z",
	} {
		assert.Equal(t, `"`+s+`"`+"\n", render(t, `"`+s+`"`), s)
	}
	for _, s := range []string{"10.0.0.1", "10.0.0.0/8", "web-1", "100m", "128Mi", "1.2.3", "a:b", "v1", "nginx:1.25", "5c689d88bb-x2x7q"} {
		assert.Equal(t, s+"\n", render(t, `"`+s+`"`))
	}
}

func TestDeepNestingStaysSmall(t *testing.T) {
	const depth = 9_000
	got := render(t, strings.Repeat(`{"a":[`, depth/2)+strings.Repeat("]}", depth/2))
	assert.Less(t, len(got), 100_000)
}

// FuzzAppend: what is read back is what was there.
func FuzzAppend(f *testing.F) {
	for _, seed := range []string{"yes", "a\nb\n", " a\n", "\n", "a\n\n\n", "- a", "a: b", "#", "\t", "\x00", "\u2028\n", "\xff", "a\n b\n  c", "!x", "&a", "*a", "%", "|", ">\n", "'\"", "---\n", "...\n", "é\u0085\n", "\ufeff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := &tree.Node{Kind: tree.Object, Keys: []string{s, s + "x"}, Items: []tree.Node{
			{Kind: tree.Array, Items: []tree.Node{{Kind: tree.String, Text: s}, {Kind: tree.String, Text: s}}},
			{Kind: tree.String, Text: s},
		}}
		b, err := Append(nil, n)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		var got map[string]any
		if err := yaml.Unmarshal(b, &got); err != nil {
			t.Fatalf("%q: %v\n%s", s, err, b)
		}
		want := map[string]any{s: []any{s, s}, s + "x": s}
		if !assert.ObjectsAreEqual(want, got) {
			t.Fatalf("got %q, want %q\n%s", got, want, b)
		}
	})
}
