package kubeconfig

import (
	"fmt"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// The keys that mean something, by where they stand. They are only there to
// warn of misspelt ones; what is read is said where it is decoded.
var (
	topKeys   = []string{"apiVersion", "kind", "preferences", "clusters", "users", "contexts", "current-context", "extensions"}
	entryKeys = map[string][]string{
		"cluster": {"name", "cluster"},
		"user":    {"name", "user"},
		"context": {"name", "context"},
	}
)

// catalog is what all files say together, still undecoded. It knows the names
// of all entries and nothing of what is in them, so that an entry which another
// program has written in another dialect costs its own user a message, and
// everybody else nothing.
type catalog struct {
	clusters, users, contexts entries
	current                   string // current-context
	currentFile               string // that says so
}

// entries are the items of one of the three lists, by their names. An item
// without a name has the name "", which no context can refer to.
type entries map[string]*entry

func (e entries) names() []string { return slices.Sorted(maps.Keys(e)) }

// entry is one item of a list: a name, and a node to be decoded if the entry
// is chosen.
type entry struct {
	kind string // "cluster", "user" or "context": also the key of its content
	name string
	file string
	node *yaml.Node
	// twice says that the file has another entry of that kind and name. Which
	// one was meant cannot be known: kubectl refuses the file, we refuse the
	// entry.
	twice bool
	// badName is why the name cannot be used, nil if it can.
	badName *Error
}

func (e *entry) String() string { return fmt.Sprintf("%s %q", e.kind, e.name) }

// merge puts the files together. The first file that has an entry of some name
// wins, and wins whole: were single fields mixed, a token of one file could go
// to a server of another that only happens to have the same name.
func merge(documents []*document, report *report) *catalog {
	c := &catalog{clusters: entries{}, users: entries{}, contexts: entries{}}
	for _, d := range documents {
		c.clusters.add("cluster", d, report)
		c.users.add("user", d, report)
		c.contexts.add("context", d, report)
		if c.current == "" {
			c.current, c.currentFile = d.top.str("current-context"), d.file
		}
	}
	return c
}

// add takes over the entries of a file whose names are new. What is wrong with
// one of them is no error until that one is chosen.
func (e entries) add(kind string, d *document, report *report) {
	own := make(entries)
	for _, item := range d.top.items(kind + "s") {
		item = resolve(item)
		if isNull(item) {
			continue
		}
		if item.Kind != yaml.MappingNode {
			report.warn("%s:%d: an item of %ss is ignored: it is a %s, not an object", d.file, item.Line, kind, kindOf(item))
			continue
		}
		found := &entry{kind: kind, file: d.file, node: item}
		found.readName()
		if first := own[found.name]; first != nil {
			first.twice = true
			continue
		}
		own[found.name] = found
	}
	for name, found := range own {
		if e[name] == nil {
			e[name] = found
		}
	}
}

// readName reads the entry's name. One that is not a string is kept under its
// text, so that choosing it says what is wrong and not that it does not exist.
func (e *entry) readName() {
	var private report
	s := section{file: e.file, entry: e.kind, node: e.node, report: &private}
	e.name = s.str("name")
	if len(private.errs) > 0 {
		e.badName, _ = private.errs[0].(*Error)
		if n := s.get("name"); n != nil {
			e.name = n.Value
		}
	}
}

// content starts reading the entry's own mapping. It reports what makes the
// entry unusable.
func (e *entry) content(report *report, known []string) section {
	if e.badName != nil {
		report.fail(e.badName)
	}
	if e.twice {
		// client-go's message goes on to print all entries of the list, with
		// their tokens. The name is enough.
		report.fail(&Error{File: e.file, Line: e.node.Line, Err: fmt.Errorf("duplicate name %q in list of %ss", e.name, e.kind), Hint: "rename or remove one of them"})
	}
	item := newSection(e.file, e.String(), e.node, report, entryKeys[e.kind])
	content := item.sub(e.kind, known)
	content.path = "" // not "user.": messages name the entry already
	return content
}
