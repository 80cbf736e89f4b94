package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

func parse(t testing.TB, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	require.NoError(t, err, text)
	return n
}

// brief writes a result in short: one change a line.
func brief(r Result) string {
	var b strings.Builder
	for _, c := range r.Changes {
		b.WriteString(c.Path.String())
		if c.Order {
			b.WriteString(" (order)")
		}
		b.WriteString(": " + short(c.Old) + " > " + short(c.New) + "\n")
	}
	if len(r.Hidden) > 0 {
		b.WriteString("hidden: " + strings.Join(r.Hidden, " ") + "\n")
	}
	return b.String()
}

func short(n *tree.Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case tree.Null:
		return "null"
	case tree.String:
		return `"` + n.Text + `"`
	case tree.Array, tree.Object:
		var items []string
		for i := range n.Items {
			item := short(&n.Items[i])
			if n.Kind == tree.Object {
				item = n.Keys[i] + ":" + item
			}
			items = append(items, item)
		}
		return "(" + strings.Join(items, " ") + ")"
	}
	return n.Text
}

func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after string
		o             Options
		want          string
	}{
		{"nothing", `{"a":1}`, `{"a":1}`, Options{}, ``},
		{"the order of keys is nothing", `{"a":1,"b":[{}]}`, `{"b":[{}],"a":1}`, Options{}, ``},
		{"escapes are nothing", `{"a":"\u0041\n"}`, `{"a":"A\u000a"}`, Options{}, ``},
		{"numbers are their text", `{"a":1.0,"b":1e3,"c":12345678901234567890}`, `{"a":1,"b":1000,"c":12345678901234567891}`, Options{}, `
a: 1.0 > 1
b: 1e3 > 1000
c: 12345678901234567890 > 12345678901234567891
`},
		{"null is not nothing", `{"a":null,"c":1}`, `{"b":null,"c":null}`, Options{}, `
b: nothing > null
a: null > nothing
c: 1 > null
`},
		{"of duplicate keys the last one counts", `{"a":1,"a":2}`, `{"a":{"x":1},"a":3}`, Options{}, `
a: 2 > 3
`},
		{"another type", `{"a":{"x":1}}`, `{"a":[1]}`, Options{}, `
a: (x:1) > (1)
`},
		{"not even an object", `[1,2]`, `"x"`, Options{}, `
: (1 2) > "x"
`},
		{"what is gone stands where it stood", `{"a":1,"b":2,"c":3,"d":4}`, `{"a":0,"n":9,"c":3}`, Options{}, `
a: 1 > 0
n: nothing > 9
b: 2 > nothing
d: 4 > nothing
`},
		{"keys that are no words", `{"a":{"x.io/y":1,"":1,"1":1,"a-b":1,"é":1}}`, `{"a":{"x.io/y":2,"":2,"1":2,"a-b":2,"é":2}}`, Options{}, `
a["x.io/y"]: 1 > 2
a[""]: 1 > 2
a["1"]: 1 > 2
a.a-b: 1 > 2
a["é"]: 1 > 2
`},
		{"containers by name", `{"containers":[{"name":"a","image":"x"},{"name":"b","image":"y"}]}`,
			`{"containers":[{"name":"new","image":"z"},{"name":"a","image":"x"},{"name":"b","image":"Y"}]}`, Options{}, `
containers[new]: nothing > (name:"new" image:"z")
containers[b].image: "y" > "Y"
`},
		{"ports by number and protocol", `{"ports":[{"containerPort":53,"protocol":"UDP","name":"x"},{"containerPort":53,"name":"y"}]}`,
			`{"ports":[{"containerPort":53,"name":"z"},{"containerPort":53,"protocol":"UDP","name":"w"}]}`, Options{}, `
ports[53/TCP].name: "y" > "z"
ports[53/UDP].name: "x" > "w"
ports (order): ("53/UDP" "53/TCP") > ("53/TCP" "53/UDP")
`},
		{"a name used twice is no key", `{"env":[{"name":"a","v":1},{"name":"a","v":2}]}`, `{"env":[{"name":"a","v":1},{"name":"a","v":3}]}`, Options{}, `
env[1].v: 2 > 3
`},
		{"a custom resource's list", `{"steps":[{"id":"x","n":1},{"id":"7","n":1}]}`, `{"steps":[{"id":"7","n":2},{"id":"x","n":1}]}`, Options{}, `
steps["7"].n: 1 > 2
steps (order): ("x" "7") > ("7" "x")
`},
		{"lists without a key are aligned", `{"args":["a","b","c","d"]}`, `{"args":["a","B","C","c"]}`, Options{}, `
args[1]: "b" > "B"
args[2]: nothing > "C"
args[3]: "d" > nothing
`},
		{"an element in front of the others", `{"l":[[1],[2],[3]]}`, `{"l":[[0],[1],[2],[3]]}`, Options{}, `
l[0]: nothing > (0)
`},
		{"an empty list is something", `{"l":[],"m":[1]}`, `{"m":[]}`, Options{}, `
l: () > nothing
m[0]: 1 > nothing
`},
		{"noise", `{"kind":"Lease","metadata":{"generation":1,"resourceVersion":"1","managedFields":[1]},"spec":{"renewTime":"a","x":1}}`,
			`{"kind":"Lease","metadata":{"generation":2,"resourceVersion":"2","managedFields":[2]},"spec":{"renewTime":"b","x":2}}`, Options{}, `
spec.x: 1 > 2
hidden: generation resourceVersion managedFields renewTime
`},
		{"noise, if asked for", `{"metadata":{"resourceVersion":"1","managedFields":[{"manager":"a","operation":"Update","time":1}]}}`,
			`{"metadata":{"resourceVersion":"2","managedFields":[{"manager":"a","operation":"Update","time":2}]}}`, Options{Noise: true}, `
metadata.resourceVersion: "1" > "2"
metadata.managedFields[a/Update].time: 1 > 2
`},
		{"managedFields alone, if asked for", `{"metadata":{"resourceVersion":"1","managedFields":[1]}}`,
			`{"metadata":{"resourceVersion":"2","managedFields":[2]}}`, Options{ManagedFields: true}, `
metadata.managedFields[0]: 1 > 2
hidden: resourceVersion
`},
		{"times of conditions, and only there", `{"status":{"conditions":[{"type":"Ready","status":"False","lastTransitionTime":"a","lastHeartbeatTime":"a"}],"lastHeartbeatTime":"a"}}`,
			`{"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"b","lastHeartbeatTime":"b"}],"lastHeartbeatTime":"b"}}`, Options{}, `
status.conditions[Ready].status: "False" > "True"
status.lastHeartbeatTime: "a" > "b"
hidden: lastTransitionTime lastHeartbeatTime
`},
		{"the same names elsewhere are none", `{"spec":{"resourceVersion":"1","generation":1,"renewTime":"a"}}`, `{"spec":{"resourceVersion":"2","generation":2,"renewTime":"b"}}`, Options{}, `
spec.resourceVersion: "1" > "2"
spec.generation: 1 > 2
spec.renewTime: "a" > "b"
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := brief(Compare(parse(t, tt.before), parse(t, tt.after), tt.o))
			assert.Equal(t, strings.TrimPrefix(tt.want, "\n"), got)
		})
	}
}

func TestSecretsAreMasked(t *testing.T) {
	text := func(value string) string {
		return `{"kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{` + value + `}"}},
			"data":{"same":"c2FtZQ==","password":"` + value + `"},"stringData":"` + value + `"}`
	}
	before, after := parse(t, text("aHVudGVyMg==")), parse(t, text("Y29ycmVjdA=="))
	require.True(t, tree.IsSecret(before))
	tree.MaskSecret(before)
	tree.MaskSecret(after)
	got := Compare(before, after, Options{Noise: true})
	assert.Equal(t, `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]: "***" > "***"
data.password: "***" > "***"
stringData: "***" > "***"
`, brief(got))
}

func TestAlignIsTheShortest(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int // letters in common
	}{
		{"", "", 0}, {"a", "", 0}, {"", "a", 0}, {"abc", "abc", 3}, {"abcabba", "cbabac", 4},
		{"xaxcxabc", "abcy", 3}, {"abcdefgh", "hgfedcba", 1}, {"abgdef", "gh", 1},
	} {
		for _, swap := range []bool{false, true} {
			a, b := tt.a, tt.b
			if swap {
				a, b = b, a
			}
			n, i, j := 0, 0, 0
			for _, m := range align(len(a), len(b), func(i, j int) bool { return a[i] == b[j] }) {
				require.True(t, m.n > 0 && m.a >= i && m.b >= j, "%q %q: %v out of order", a, b, m)
				require.Equal(t, a[m.a:m.a+m.n], b[m.b:m.b+m.n], "%q %q", a, b)
				n, i, j = n+m.n, m.a+m.n, m.b+m.n
			}
			assert.Equal(t, tt.want, n, "%q %q", a, b)
		}
	}
}

func TestAlignOfWhatHasNothingInCommonIsBounded(t *testing.T) {
	calls := 0
	common := align(100_000, 100_000, func(i, j int) bool { calls++; return i == 0 && j == 0 })
	assert.Equal(t, []match{{0, 0, 1}}, common)
	assert.Less(t, calls, 2*tooFar*tooFar)
}

func TestWords(t *testing.T) {
	mark := func(parts []Part) string {
		var b strings.Builder
		for _, p := range parts {
			b.WriteString([]string{"", "-", "+"}[p.Op] + "<" + p.Text + ">")
		}
		return b.String()
	}
	for _, tt := range []struct{ before, after, want string }{
		{"", "", ""},
		{"", "a b", "+<a b>"},
		{"a same b", "a same b", "<a same b>"},
		{"team/web:v1.2.3@sha", "team/web:v1.2.4@sha", "<team/web:v1.2.>-<3>+<4><@sha>"},
		{"one two three", "four five six", "-<one two three>+<four five six>"},
		{"naïve café ☕ x", "naïve café ☕☕ y", "<naïve café ☕>-< x>+<☕ y>"},
	} {
		assert.Equal(t, tt.want, mark(Words(tt.before, tt.after)))
	}
	assert.Equal(t, "<a\n>-<b\n>+<B\n>+<c>", mark(Lines("a\nb\n", "a\nB\nc")))
	assert.Equal(t, "-<a\n>", mark(Lines("a\n", "")))
}
