package diff

import (
	"slices"

	"example.com/rawwatch/cmd/rawwatch/internal/tree"
)

// lists compares the elements of two lists: by their merge key if they have
// one, else by what the two have in common.
func (w *walker) lists(before, after []tree.Node) {
	list := ""
	if n := len(w.path); n > 0 {
		list = w.path[n-1].Key
	}
	if key := keyFor(list, before, after); key != nil {
		w.keyed(key, before, after)
		return
	}
	w.aligned(before, after)
}

// keyed compares elements of the same merge key, and then their order: that of
// env or of initContainers means something.
func (w *walker) keyed(key mergeKey, before, after []tree.Node) {
	old, oldNames := index(key, before)
	new, newNames := index(key, after)
	notIn := func(places map[string]int) func(string) bool {
		return func(name string) bool { _, ok := places[name]; return !ok }
	}
	for i, name := range oldNames {
		if _, ok := new[name]; !ok {
			w.at(Step{Element: true, Index: i, Name: name}, &before[i], nil)
		}
	}
	for i, name := range newNames {
		step := Step{Element: true, Index: i, Name: name}
		if at, ok := old[name]; ok {
			w.at(step, &before[at], &after[i])
		} else {
			w.at(step, nil, &after[i])
		}
	}
	oldNames = slices.DeleteFunc(oldNames, notIn(new))
	newNames = slices.DeleteFunc(newNames, notIn(old))
	if !slices.Equal(oldNames, newNames) {
		w.Changes = append(w.Changes, Change{Path: slices.Clone(w.path), Old: texts(oldNames), New: texts(newNames), Order: true})
	}
}

// index finds elements by their merge key.
func index(key mergeKey, list []tree.Node) (places map[string]int, names []string) {
	places, names = make(map[string]int, len(list)), make([]string, len(list))
	for i := range list {
		names[i], _ = key.of(&list[i])
		places[names[i]] = i
	}
	return places, names
}

// texts is a list of strings.
func texts(list []string) *tree.Node {
	n := &tree.Node{Kind: tree.Array}
	for _, s := range list {
		n.Items = append(n.Items, tree.Node{Kind: tree.String, Text: s})
	}
	return n
}

// aligned compares lists whose elements say nothing about which they are. What
// both have in the same order stayed. Between two that stayed, elements are
// taken to have changed one by one, and what is left over to have come or
// gone:
//
//	before   a  b     c  d
//	after    a  B  C  c
//	            ~  +     -
func (w *walker) aligned(before, after []tree.Node) {
	i, j := 0, 0
	common := align(len(before), len(after), func(i, j int) bool { return tree.Equal(&before[i], &after[j]) })
	for _, m := range append(common, match{len(before), len(after), 0}) {
		for i < m.a || j < m.b {
			step := Step{Element: true, Index: j}
			switch {
			case j == m.b:
				step.Index = i
				w.at(step, &before[i], nil)
				i++
			case i == m.a:
				w.at(step, nil, &after[j])
				j++
			default:
				w.at(step, &before[i], &after[j])
				i++
				j++
			}
		}
		i, j = m.a+m.n, m.b+m.n
	}
}
