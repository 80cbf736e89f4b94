package output

import (
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/diff"
	"example.com/rawwatch/cmd/rawwatch/internal/escape"
	"example.com/rawwatch/cmd/rawwatch/internal/terminal"
	"example.com/rawwatch/cmd/rawwatch/internal/tree"
	"example.com/rawwatch/cmd/rawwatch/internal/versions"
	"example.com/rawwatch/stream"
)

// DiffOptions are about Diff.
type DiffOptions struct {
	Noise bool // show what is left out as noise, too
	// Bodies is how many bytes of objects are kept to compare with; 0 is
	// versions.DefaultLimit.
	Bodies int
}

// diffs prints of a MODIFIED what has changed, and one line of everything else:
//
//	ADDED      pod/web-1 -n shop
//	MODIFIED   pod/web-1 -n shop
//	  ~ spec.containers[web].image   web:1.2 → web:1.3
//	  + metadata.labels.tier         front
//
// Behind the name stands what kubectl needs to find the object again.
type diffs struct {
	options diff.Options
	bodies  *versions.Cache
	several bool
	colour  terminal.Colours
}

func newDiffs(o Options, several bool) *diffs {
	limit := o.Diff.Bodies
	if limit == 0 {
		limit = versions.DefaultLimit
	}
	options := diff.Options{Noise: o.Diff.Noise, ManagedFields: o.ManagedFields}
	return &diffs{options, versions.New(limit), several, o.Colour}
}

func (d *diffs) append(b []byte, ev stream.Event, from Source) []byte {
	b = d.event(b, ev.Type)
	if isMarker(ev.Type) || ev.Type == stream.Bookmark {
		return append(append(b, about(ev, from, d.several)...), '\n')
	}
	b = append(b, from.object(ev)...)
	if ev.Namespace != "" && (from.Namespace == "" || d.several) {
		b = append(append(b, " -n "...), escape.Text(ev.Namespace)...)
	}
	key := versions.Key{Source: ev.Source, Namespace: ev.Namespace, Name: ev.Name}
	if ev.Type == stream.Deleted {
		d.bodies.Drop(key)
		return append(b, '\n')
	}
	old, what := d.bodies.Swap(key, ev.Object)
	if ev.Type != stream.Modified {
		return append(b, '\n')
	}
	switch what {
	case versions.NotSeen:
		return d.remark(b, "what it was before has not been seen")
	case versions.Forgotten:
		return d.remark(b, "what it was before had to be forgotten: --diff-cache is too small")
	}
	return d.modified(b, old, ev.Object, from)
}

// modified appends what changed from one version to the next.
func (d *diffs) modified(b, old, new []byte, from Source) []byte {
	before, err := tree.Parse(old)
	if err != nil {
		return d.remark(b, "what it was before cannot be read")
	}
	after, err := tree.Parse(new)
	if err != nil { // stream lets only valid JSON through
		return d.remark(b, "it cannot be read")
	}
	if from.Resource == "secrets" || tree.IsSecret(before) || tree.IsSecret(after) {
		tree.MaskSecret(before)
		tree.MaskSecret(after)
	}
	result := diff.Compare(before, after, d.options)
	if len(result.Changes) == 0 {
		return d.remark(b, NothingBut(result.Hidden))
	}
	r := changes{b: append(b, '\n'), colour: d.colour}
	r.all(result.Changes)
	return r.b
}

// NothingBut says what changed of an object in which nothing did. That its
// resourceVersion did is what makes a MODIFIED of it, and worth a word only if
// there is no other.
func NothingBut(hidden []string) string {
	if len(hidden) > 1 {
		hidden = slices.DeleteFunc(hidden, func(s string) bool { return s == "resourceVersion" })
	}
	if len(hidden) == 0 {
		return "nothing has changed"
	}
	return "nothing but " + escape.Text(strings.Join(hidden, ", "))
}

// event appends the type of the event, as a column.
func (d *diffs) event(b []byte, t stream.EventType) []byte {
	b = append(b, d.colour.Paint(ColourOf(t), string(t))...)
	return spaces(b, narrowestEvent+between-len(t))
}

// remark appends what there is to say instead of changes, and ends the line.
func (d *diffs) remark(b []byte, text string) []byte {
	b = append(b, "   "...)
	return append(append(b, d.colour.Paint(terminal.Dim, "("+text+")")...), '\n')
}
