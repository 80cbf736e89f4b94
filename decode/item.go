package decode

import "strings"

// element reads one item: the next value of the array.
func (l *ListReader) element() error {
	n, err := l.value(scanItem)
	if err != nil {
		return err
	}
	if l.in.held()[0] != '{' {
		return &ShapeError{Offset: l.in.off, Kind: l.header.Kind, Index: l.index, Msg: "not an object"}
	}
	l.surround()
	if len(l.prefix) > l.in.r {
		// Rare: the columns of a Table, names of hundreds of bytes. The item
		// moves, and with it all that Meta points to: it is scanned again.
		l.in.reserve(len(l.prefix))
		scanItem(l, l.in.held()[:n])
		l.surround()
	}
	l.lend(n)
	l.index++
	return nil
}

// surround sets prefix and suffix to what is to be put around an item.
func (l *ListReader) surround() {
	l.prefix, l.suffix = l.prefix[:0], ""
	if l.found == "rows" {
		l.tablePrefix()
	} else {
		l.kindPrefix()
	}
}

// kindPrefix gives an item the kind and apiVersion it lacks. A list whose
// kind has another form than FooList does not tell the kind of its items.
func (l *ListReader) kindPrefix() {
	m := &l.lent.Meta
	// A list of mixed kinds is called just List; its items say what they are.
	kind, isList := strings.CutSuffix(l.header.Kind, "List")
	if !isList || kind == "" || m.Kind != nil && m.APIVersion != nil {
		return
	}
	p := append(l.prefix, '{')
	if m.Kind == nil {
		p = append(p, `"kind":`...)
		p = append(appendQuoted(p, kind), ',')
		m.Kind = l.scan.keep(kind)
	}
	if version := l.header.APIVersion; m.APIVersion == nil && version != "" {
		p = append(p, `"apiVersion":`...)
		p = append(appendQuoted(p, version), ',')
		m.APIVersion = l.scan.keep(version)
	}
	if l.empty {
		p[len(p)-1] = ' ' // no member follows
	}
	l.prefix = p
}

// tablePrefix makes a Table of one row, as a watch sends it.
func (l *ListReader) tablePrefix() {
	m := &l.lent.Meta
	version := l.header.APIVersion
	if version == "" {
		version = tableAPIVersion
	}
	// Meta says what a scan of the finished Table would say.
	m.Kind, m.APIVersion = l.scan.keep(tableKind), l.scan.keep(version)

	p := append(l.prefix, `{"kind":"Table","apiVersion":`...)
	p = append(appendQuoted(p, version), `,"metadata":{`...)
	if m.ResourceVersion != nil {
		p = append(p, `"resourceVersion":`...)
		p = appendQuoted(p, string(m.ResourceVersion))
	}
	p = append(p, `},"columnDefinitions":`...)
	if l.index == 0 && l.columns != nil {
		p = append(p, l.columns...)
	} else {
		p = append(p, "null"...)
	}
	l.prefix, l.suffix = append(p, `,"rows":[`...), "]}"
}

// lend consumes the n bytes of the next item and lends them. Prefix and
// suffix are written where they belong, so that nothing needs to be copied:
//
//	dead bytes  | item |  the rest of the body
//	     prefix | item | suffix
//
// What is in front of the item is dead. The bytes that the suffix covers are
// still needed: release puts them back.
func (l *ListReader) lend(n int) {
	in := &l.in
	start, end := in.r, in.r+n
	in.consume(n)
	switch {
	case l.suffix != "":
		// There is room behind the item even where it ends what is held: a
		// buffer is never filled to its very end (tailRoom).
		l.taken = in.buf[end : end+copy(l.saved[:], in.buf[end:end+len(l.suffix)])]
		copy(l.taken, l.suffix)
		end += len(l.suffix)
	case len(l.prefix) > 0:
		start++ // the prefix has a brace of its own
	}
	start -= len(l.prefix)
	copy(in.buf[start:], l.prefix)
	l.lent.Object = in.buf[start:end:end]
}

// release takes back the last item.
func (l *ListReader) release() {
	// In this order: the object that is spoiled may end in the suffix, and
	// what the suffix was written over has yet to be read.
	poisonObject(l.lent.Object, &l.lent.Meta)
	copy(l.taken, l.saved[:])
	l.taken, l.lent = nil, Item{}
}

// listMeta reads a value that should be a ListMeta.
func (c *cursor) listMeta(h *ListHeader) {
	h.ResourceVersion, h.Continue, h.RemainingItemCount = "", "", 0
	if !c.enter() {
		return
	}
	for c.next() {
		switch string(c.key) {
		case "resourceVersion":
			h.ResourceVersion = string(c.version())
		case "continue":
			h.Continue = string(c.text())
		case "remainingItemCount":
			h.RemainingItemCount = c.integer()
		default:
			c.skip()
		}
	}
}

// integer reads a whole number, or returns 0 for anything else.
func (c *cursor) integer() int64 {
	start := c.i
	c.skip()
	var n int64
	for _, d := range c.b[start:c.i] {
		if !isDigit(d) || n > (1<<63-1-9)/10 {
			return 0
		}
		n = n*10 + int64(d-'0')
	}
	return n
}
