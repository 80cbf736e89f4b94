package diff

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

// FuzzCompare: whatever the two are, what is the same is never a change, what
// is not always is, and nothing panics.
func FuzzCompare(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a":[{"name":"x","v":1}]}`, `{"a":[{"name":"y"},{"name":"x","v":2}]}`},
		{`{"ports":[{"port":1}]}`, `{"ports":[{"port":1,"protocol":"TCP"}]}`},
		{`[1,2,3,[4]]`, `[3,2,[4],1]`},
		{`{"a":1,"a":{"b":null}}`, `null`},
		{`{"l":[{"name":"a"},{"name":"b"}]}`, `{"l":[{"name":"b"},{"name":"a"}]}`},
		{`{"taints":[{"key":"a/b"},{"key":"a","effect":"b"}]}`, `{"taints":[{"key":"a","effect":"b"}]}`},
		{`"one two"`, `"one three two"`},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		before, err := tree.Parse(a)
		if err != nil {
			return
		}
		after, err := tree.Parse(b)
		if err != nil {
			return
		}
		for _, n := range []*tree.Node{before, after} {
			if r := Compare(n, n, Options{}); len(r.Changes)+len(r.Hidden) > 0 {
				t.Errorf("a value and itself: %s", brief(r))
			}
		}
		equal := tree.Equal(before, after)
		if r := Compare(before, after, Options{Noise: true}); equal != (len(r.Changes) == 0) || len(r.Hidden) > 0 {
			t.Errorf("equal is %v, but there are changes: %s", equal, brief(r))
		}
		if r := Compare(before, after, Options{}); equal != (len(r.Changes)+len(r.Hidden) == 0) {
			t.Errorf("equal is %v, but without noise there are changes: %s", equal, brief(r))
		}
		checkParts(t, string(a), string(b))
	})
}

// checkParts: both texts can be put together from the parts again.
func checkParts(t *testing.T, before, after string) {
	for _, parts := range [][]Part{Words(before, after), Lines(before, after)} {
		var old, new strings.Builder
		for _, p := range parts {
			if p.Op != Inserted {
				old.WriteString(p.Text)
			}
			if p.Op != Removed {
				new.WriteString(p.Text)
			}
		}
		if old.String() != before || new.String() != after {
			t.Errorf("%q and %q come out as %q and %q", before, after, old.String(), new.String())
		}
	}
}

// TestEveryChangeIsReported changes objects at random, each time to a value
// that is nowhere else, and looks for each of these values, and for each value
// that was lost, in the changes.
func TestEveryChangeIsReported(t *testing.T) {
	for seed := range uint64(500) {
		m := mutator{r: rand.New(rand.NewPCG(seed, 1))}
		before := m.value(0)
		after := m.change(before)
		old, new := map[string]bool{}, map[string]bool{}
		result := Compare(parse(t, encode(before)), parse(t, encode(after)), Options{Noise: true})
		for _, c := range result.Changes {
			if !c.Order {
				leaves(c.Old, old)
				leaves(c.New, new)
			}
		}
		for _, value := range m.gone {
			if !old[value] {
				t.Errorf("seed %d: %s is gone, and not reported\n%s\n%s\n%s", seed, value, encode(before), encode(after), brief(result))
			}
		}
		for _, value := range m.come {
			if !new[value] {
				t.Errorf("seed %d: %s has come, and is not reported\n%s\n%s\n%s", seed, value, encode(before), encode(after), brief(result))
			}
		}
	}
}

// leaves collects the scalars of n.
func leaves(n *tree.Node, into map[string]bool) {
	if n == nil {
		return
	}
	if !n.IsContainer() {
		into[n.Text] = true
	}
	for i := range n.Items {
		leaves(&n.Items[i], into)
	}
}

func encode(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// mutator makes and changes objects; every scalar it makes is another one.
type mutator struct {
	r          *rand.Rand
	n          int
	gone, come []string
}

func (m *mutator) scalar() string {
	m.n++
	return fmt.Sprintf("v%d", m.n)
}

var lists = []string{"containers", "ports", "args", "conditions", "x"}

func (m *mutator) value(depth int) any {
	switch kind := m.r.IntN(5); {
	case depth > 3 || kind < 2 && depth > 0:
		return m.scalar()
	case kind == 2:
		list := []any{}
		key := []string{"name", "type", "containerPort", "other", ""}[m.r.IntN(5)]
		for range m.r.IntN(5) {
			item := m.value(depth + 1)
			if object, ok := item.(map[string]any); ok && key != "" {
				object[key] = m.scalar()
			}
			list = append(list, item)
		}
		return list
	}
	object := map[string]any{}
	for i := range m.r.IntN(5) {
		key := fmt.Sprintf("k%d", i)
		if m.r.IntN(2) == 0 {
			key = lists[m.r.IntN(len(lists))]
		}
		object[key] = m.value(depth + 1)
	}
	return object
}

// change copies v with some changes in it.
func (m *mutator) change(v any) any {
	if m.r.IntN(12) == 0 {
		m.note(v, &m.gone)
		fresh := m.value(2)
		m.note(fresh, &m.come)
		return fresh
	}
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, item := range v {
			switch m.r.IntN(10) {
			case 0:
				m.note(item, &m.gone)
				continue
			case 1:
				fresh := m.value(3)
				m.note(fresh, &m.come)
				list = append(list, fresh)
			}
			list = append(list, m.change(item))
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for key, item := range v {
			if m.r.IntN(10) == 0 {
				m.note(item, &m.gone)
				continue
			}
			object[key] = m.change(item)
		}
		return object
	}
	return v
}

func (m *mutator) note(v any, into *[]string) {
	switch v := v.(type) {
	case string:
		*into = append(*into, v)
	case []any:
		for _, item := range v {
			m.note(item, into)
		}
	case map[string]any:
		for _, item := range v {
			m.note(item, into)
		}
	}
}
