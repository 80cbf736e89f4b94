package tree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, text string) *Node {
	t.Helper()
	n, err := Parse([]byte(text))
	require.NoError(t, err, text)
	return n
}

func TestParseKeepsWhatWasWritten(t *testing.T) {
	n := parse(t, " {\"z\": 1.50e+3 ,\"a\":[ true,false , null,\"\\u00e9\\ud83d\\ude00\\\\\xff\\ud800\" ] ,\"\\u0061b\":{}, \"n\":[]}\n")
	assert.Equal(t, []string{"z", "a", "ab", "n"}, n.Keys)
	assert.Equal(t, Node{Kind: Number, Text: "1.50e+3"}, n.Items[0])
	assert.Equal(t, []Node{
		{Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"}, {}, {Kind: String, Text: "é😀\\\xff\uFFFD"},
	}, n.Items[1].Items)
	assert.Equal(t, Node{Kind: Object}, n.Items[2])
	assert.Equal(t, Node{Kind: Array}, n.Items[3])
}

func TestTheLastOfDuplicateKeysCounts(t *testing.T) {
	n := parse(t, `{"a":{"x":1},"b":2,"a":{"y":3}}`)
	assert.Equal(t, []string{"a", "b"}, n.Keys)
	assert.Equal(t, "3", n.Get("a", "y").Text)
	assert.Nil(t, n.Get("a", "x"))

	// With more keys than are looked through one by one.
	var b strings.Builder
	for i := range 3 * few {
		fmt.Fprintf(&b, `"k%d":0,"k%d":%d,`, i, i/2, i)
	}
	n = parse(t, "{"+b.String()+`"k0":"last"}`)
	assert.Len(t, n.Keys, 3*few)
	assert.Equal(t, "last", n.Get("k0").Text)
	assert.Equal(t, "47", n.Get("k23").Text)
	assert.Equal(t, "0", n.Get("k40").Text)
}

func TestWhatIsNoJSONIsAnError(t *testing.T) {
	for _, text := range []string{"", " ", "{", `{"a"}`, `{"a":1}}`, "nul", strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001)} {
		_, err := Parse([]byte(text))
		assert.Error(t, err, "%.20q", text)
	}
}

func TestGetOfWhatIsNotThere(t *testing.T) {
	n := parse(t, `{"a":[{"b":1}],"s":"x"}`)
	assert.Nil(t, n.Get("x"))
	assert.Nil(t, n.Get("a", "b"))
	assert.Nil(t, (*Node)(nil).Get("a"))
	assert.Equal(t, "x", n.Get("s").String())
	assert.Equal(t, "", n.Get("a").String())
	assert.Equal(t, "", n.Get("no").String())
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[2,"x"]}`, `{"b":[2,"\u0078"],"a":1}`, true},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`1.0`, `1`, false},
		{`1`, `"1"`, false},
		{`null`, `{}`, false},
		{`{}`, `[]`, false},
	} {
		assert.Equal(t, tt.want, Equal(parse(t, tt.a), parse(t, tt.b)), "%s %s", tt.a, tt.b)
		assert.Equal(t, tt.want, Equal(parse(t, tt.b), parse(t, tt.a)), "%s %s", tt.b, tt.a)
	}
}

func TestMaskedValuesAreGoneAndCanBeCompared(t *testing.T) {
	secret := func(value string) *Node {
		n := parse(t, `{"kind":"Secret","data":{"a":"`+value+`","deep":[{"x":1}],"none":null},"type":"Opaque"}`)
		MaskSecret(n)
		return n
	}
	a := secret("hunter2")
	assert.True(t, Equal(a, secret("hunter2")))
	assert.False(t, Equal(a, secret("hunter3")))
	assert.NotContains(t, fmt.Sprint(*a), "hunter")
	assert.Equal(t, "***", a.Get("data", "a").Text)
	assert.Equal(t, "***", a.Get("data", "deep").Items[0].Items[0].Text)
	assert.Equal(t, Null, a.Get("data", "none").Kind)
	assert.Equal(t, "Opaque", a.Get("type").Text)
}

// FuzzParse: the tree says what encoding/json says.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"x\n",null,true,{"b":{}}],"a":2}`, `"\ud800\u0041\\"`, `-1.5e-7`, "[\"\xff\\u0000\"]", " [ ] "} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Parse(b)
		if valid := json.Valid(b); valid != (err == nil) {
			t.Fatalf("valid %v, error %v", valid, err)
		}
		if err != nil {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(b))
		decoder.UseNumber()
		var want any
		require.NoError(t, decoder.Decode(&want))
		if got := plain(n); !assert.ObjectsAreEqual(want, got) {
			t.Errorf("%q: got %#v, want %#v", b, got, want)
		}
		if !Equal(n, n) {
			t.Errorf("%q is not equal to itself", b)
		}
	})
}

// plain is n as encoding/json decodes it into an any.
func plain(n *Node) any {
	switch n.Kind {
	case Null:
		return nil
	case Bool:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return utf8(n.Text)
	case Array:
		list := []any{}
		for i := range n.Items {
			list = append(list, plain(&n.Items[i]))
		}
		return list
	}
	m := map[string]any{}
	for i, key := range n.Keys {
		m[utf8(key)] = plain(&n.Items[i])
	}
	return m
}

// utf8 replaces what is not UTF-8 byte by byte, as encoding/json does.
func utf8(s string) string { return string([]rune(s)) }

func BenchmarkParse(b *testing.B) {
	text := []byte(`{"metadata":{"name":"web-1","labels":{"a":"b"}},"spec":[` + strings.Repeat(`{"name":"x","value":"some text","n":12},`, 200) + `0]}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(text)
	}
}
