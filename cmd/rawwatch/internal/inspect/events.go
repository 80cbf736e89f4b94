package inspect

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/diff"
	"example.com/rawwatch/cmd/rawwatch/internal/output"
	"example.com/rawwatch/cmd/rawwatch/internal/tree"
	"example.com/rawwatch/cmd/rawwatch/internal/versions"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream"
)

// Version is one version of an object, as an event: a list's items are ADDED,
// or MODIFIED if another version of them came before.
type Version struct {
	At float64 // seconds
	stream.Event
}

// objects is what is known of the objects of a recording.
type objects struct {
	kinds   map[string]*Kind
	counts  map[versions.Key]*Object
	writers map[string]*Writer
	last    *versions.Cache
}

func (o *objects) init() {
	o.kinds, o.counts, o.writers = map[string]*Kind{}, map[versions.Key]*Object{}, map[string]*Writer{}
	o.last = versions.New(versions.DefaultLimit)
}

func (c *collector) kind(m *decode.Meta) *Kind {
	name := kindName(m)
	k := c.kinds[name]
	if k == nil {
		k = &Kind{Kind: name}
		c.kinds[name] = k
		c.report.Kinds = append(c.report.Kinds, k)
	}
	return k
}

// kindName is a kind with its group: "Deployment.apps".
func kindName(m *decode.Meta) string {
	name := cmp.Or(string(m.Kind), "(no kind)")
	if group, _, ok := strings.Cut(string(m.APIVersion), "/"); ok {
		name += "." + group
	}
	return name
}

// item takes an item of a list.
func (c *collector) item(item decode.Item) error {
	k := c.kind(&item.Meta)
	k.Listed++
	k.Bytes += int64(len(item.Object))
	return c.version(stream.Added, item.Object, &item.Meta, false)
}

// event takes an event of a watch.
func (c *collector) event(eventType string, object []byte, m *decode.Meta) error {
	k := c.kind(m)
	k.Bytes += int64(len(object))
	switch t := stream.EventType(eventType); t {
	case stream.Added:
		k.Added++
		return c.version(t, object, m, true)
	case stream.Modified:
		k.Modified++
		return c.version(t, object, m, true)
	case stream.Deleted:
		k.Deleted++
		return c.version(t, object, m, true)
	case stream.Bookmark:
		k.Bookmark++
	case "ERROR":
		k.Error++
	default:
		k.Other++
	}
	return nil
}

// version takes a version of an object. counts is false for what a list holds:
// nothing has happened to that.
func (c *collector) version(t stream.EventType, object []byte, m *decode.Meta, counts bool) error {
	key := versions.Key{Source: kindName(m), Namespace: string(m.Namespace), Name: string(m.Name)}
	ev := stream.Event{
		Type: t, Kind: string(m.Kind), APIVersion: string(m.APIVersion), Namespace: key.Namespace, Name: key.Name,
		UID: string(m.UID), ResourceVersion: string(m.ResourceVersion), Object: bytes.Clone(object),
	}
	if counts {
		c.count(key, ev)
	}
	var old []byte
	if t == stream.Deleted {
		old, _ = c.last.Drop(key)
	} else {
		old, _ = c.last.Swap(key, ev.Object)
	}
	if old != nil && t != stream.Deleted {
		if bytes.Equal(old, ev.Object) {
			return nil // the same again: a resume, or a list
		}
		if t == stream.Added {
			ev.Type = stream.Modified
		}
		c.changed(old, ev.Object)
	}
	if c.walk == nil {
		return nil
	}
	return c.walk(Version{c.seconds(), ev})
}

// count counts an event for its object.
func (c *collector) count(key versions.Key, ev stream.Event) {
	size := len(ev.Object)
	if len(c.report.Biggest) < mostBiggest || size > c.report.Biggest[mostBiggest-1].Bytes {
		c.report.Biggest = append(c.report.Biggest, Big{c.seconds(), string(ev.Type), objectName(ev), size})
		slices.SortStableFunc(c.report.Biggest, func(a, b Big) int { return b.Bytes - a.Bytes })
		c.report.Biggest = c.report.Biggest[:min(len(c.report.Biggest), mostBiggest)]
	}
	o := c.counts[key]
	if o == nil {
		if len(c.counts) >= mostCounted {
			c.report.MoreObjects++
			return
		}
		o = &Object{Name: objectName(ev)}
		c.counts[key] = o
	}
	o.Events++
	o.Bytes += int64(size)
}

// objectName is what kubectl takes.
func objectName(ev stream.Event) string {
	kind := strings.ToLower(ev.Kind)
	if group, _, ok := strings.Cut(ev.APIVersion, "/"); ok {
		kind += "." + group
	}
	name := kind + "/" + ev.Name
	if ev.Namespace != "" {
		name += " -n " + ev.Namespace
	}
	return name
}

// changed looks at what an event changed, and who did it.
func (c *collector) changed(old, new []byte) {
	before, err := tree.Parse(old)
	if err != nil {
		return
	}
	after, err := tree.Parse(new)
	if err != nil {
		return
	}
	c.report.Modified++
	result := diff.Compare(before, after, diff.Options{})
	empty := len(result.Changes) == 0
	if empty {
		c.report.Empty++
		c.report.Only[output.NothingBut(result.Hidden)]++
	}
	for _, name := range writersOf(before, after) {
		w := c.writers[name]
		if w == nil {
			w = &Writer{Name: name}
			c.writers[name] = w
		}
		w.Changes++
		if empty {
			w.Empty++
		}
	}
}

// writersOf names the field managers that wrote a version.
func writersOf(before, after *tree.Node) []string {
	entries := func(n *tree.Node) []tree.Node {
		if list := n.Get("metadata", "managedFields"); list != nil {
			return list.Items
		}
		return nil
	}
	old, new := entries(before), entries(after)
	var names []string
	latest, newest := "", ""
	for i := range new {
		e := &new[i]
		if time := e.Get("time").String(); time >= newest {
			latest, newest = managerName(e), time
		}
		if !slices.ContainsFunc(old, func(o tree.Node) bool { return tree.Equal(&o, e) }) && !slices.Contains(names, managerName(e)) {
			names = append(names, managerName(e))
		}
	}
	if len(names) == 0 {
		return []string{cmp.Or(latest, "(not recorded)")}
	}
	return names
}

// managerName is "kubelet (status)".
func managerName(e *tree.Node) string {
	name := e.Get("manager").String()
	if sub := e.Get("subresource").String(); sub != "" {
		name += " (" + sub + ")"
	}
	return name
}

// finish makes the report of what was counted.
func (c *collector) finish() (*Report, error) {
	r := &c.report
	r.Seconds = c.seconds()
	slices.SortStableFunc(r.Kinds, func(a, b *Kind) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, o := range c.counts {
		r.Objects = append(r.Objects, o)
	}
	slices.SortFunc(r.Objects, func(a, b *Object) int {
		return cmp.Or(b.Events-a.Events, cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
	})
	r.Objects = r.Objects[:min(len(r.Objects), mostObjects)]
	for _, w := range c.writers {
		r.Writers = append(r.Writers, w)
	}
	slices.SortFunc(r.Writers, func(a, b *Writer) int { return cmp.Or(b.Changes-a.Changes, cmp.Compare(a.Name, b.Name)) })
	r.Writers = r.Writers[:min(len(r.Writers), mostWriters)]
	return r, nil
}
