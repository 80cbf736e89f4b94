package decode

// A scan is a walk down to the few members that are wanted:
//
//	frame ── type
//	   │ ─── kind                    (only to say what came instead of an event)
//	   └──── object ── kind, apiVersion
//	             │ ─── metadata ── name, namespace, uid, resourceVersion
//	             │          └───── annotations ── k8s.io/initial-events-end
//	             └──── rows[0] ─── object ── metadata, as above
//
// The cursor reads these containers key by key, in plain code. All the rest,
// which is nearly all the bytes, goes to the validator whole. So the fast loop
// knows nothing of Kubernetes, and the walk may be easy to read: on a pod it
// sees some thirty keys.
//
// Wherever a container is entered, what it is read into is reset first: that
// is how the last of duplicate keys wins as a whole.

// A Scanner finds the fields of events and objects in one validating pass.
// The zero value is ready; a Scanner that is used again reuses its memory.
// It must not be used by several goroutines at once.
type Scanner struct {
	valid   validator
	scratch []byte // decoded strings: those that had escapes
}

// ScanEvent checks that frame is one JSON value and fills in ev. The slices
// of ev are parts of frame, or, where escapes had to be decoded, of memory
// that is used again by the next call.
//
// Errors: *SyntaxError with an offset in frame; *ShapeError if the frame is
// not an object or has no "type" that is a string. ev is then not to be used.
func (s *Scanner) ScanEvent(frame []byte, ev *Event) error {
	*ev = Event{}
	c := s.cursor(frame, MaxDepth)
	c.space() // only here: the cursor moves over white space behind the rest
	var kind []byte
	isObject := c.enter()
	if isObject {
		kind = c.event(ev)
	} else {
		c.skip()
	}
	if err := c.finish(); err != nil {
		return err
	}
	switch {
	case !isObject:
		return &ShapeError{Index: -1, Msg: "no event: not an object"}
	case ev.Type == nil:
		return &ShapeError{Index: -1, Kind: string(kind), Msg: "no event: no type"}
	}
	return nil
}

// ScanObject checks that object is one JSON value and fills in m, whose
// slices are lent as those of ScanEvent are.
//
// Errors: *SyntaxError; *ShapeError if it is not an object.
func (s *Scanner) ScanObject(object []byte, m *Meta) error {
	*m = Meta{}
	c := s.cursor(object, MaxDepth)
	c.space()
	isObject := c.enter()
	if isObject {
		c.object(m)
	} else {
		c.skip()
	}
	if err := c.finish(); err != nil {
		return err
	}
	if !isObject {
		return &ShapeError{Index: -1, Msg: "not an object"}
	}
	return nil
}

// keep copies text into the scratch memory, to be lent with the rest.
func (s *Scanner) keep(text string) []byte {
	from := len(s.scratch)
	s.scratch = append(s.scratch, text...)
	return s.scratch[from:len(s.scratch):len(s.scratch)]
}

// cursor starts a pass over b, and with it the reuse of the scratch memory.
func (s *Scanner) cursor(b []byte, depth int) cursor {
	poison(s.scratch)
	s.scratch = s.scratch[:0]
	if cap(s.scratch) > restSize {
		s.scratch = nil // one strange object must not cost memory for ever
	}
	return cursor{b: b[:len(b):len(b)], s: s, room: depth}
}

// event reads the members of a frame; the cursor is behind its brace. It
// returns the frame's own kind, which an event does not have.
func (c *cursor) event(ev *Event) (kind []byte) {
	for c.next() {
		switch string(c.key) {
		case "type":
			ev.Type = c.text()
		case "object":
			start := c.i
			ev.Meta = Meta{}
			if c.enter() {
				c.object(&ev.Meta)
			} else {
				c.skip()
			}
			ev.Object = c.b[start:c.i:c.i]
		case "kind":
			kind = c.text()
		default:
			c.skip()
		}
	}
	return kind
}

// object reads the members of an object of any of the three views. Key order
// is arbitrary, so which view it is may be known only at the end.
func (c *cursor) object(m *Meta) (empty bool) {
	var own, row Meta
	empty = true
	for c.next() {
		empty = false
		switch string(c.key) {
		case "kind":
			m.Kind = c.text()
		case "apiVersion":
			m.APIVersion = c.text()
		case "metadata":
			own = Meta{}
			c.metadata(&own)
		case "rows":
			row = Meta{}
			c.rows(&row)
		default:
			c.skip()
		}
	}
	// A Table's version is the one to resume from: the row's is that of the
	// object alone, and a bookmark's row has none.
	m.ResourceVersion = own.ResourceVersion
	from := &own
	if m.IsTable() {
		from = &row
	}
	m.Namespace, m.Name, m.UID = from.Namespace, from.Name, from.UID
	m.InitialEventsEnd = from.InitialEventsEnd
	return empty
}

// metadata reads a value that should be an ObjectMeta.
func (c *cursor) metadata(m *Meta) {
	if !c.enter() {
		c.skip()
		return
	}
	for c.next() {
		switch string(c.key) {
		case "name":
			m.Name = c.text()
		case "namespace":
			m.Namespace = c.text()
		case "uid":
			m.UID = c.text()
		case "resourceVersion":
			m.ResourceVersion = c.version()
		case "annotations":
			m.InitialEventsEnd = c.annotations()
		default:
			c.skip()
		}
	}
}

// annotations reads a value that should be a map of strings, and reports
// whether the end marker is in it.
func (c *cursor) annotations() (end bool) {
	if !c.enter() {
		c.skip()
		return false
	}
	for c.next() {
		if string(c.key) == endAnnotation {
			end = string(c.text()) == "true"
		} else {
			c.skip()
		}
	}
	return end
}

// rows reads a value that should be the rows of a Table, and takes the
// identity of the first.
func (c *cursor) rows(m *Meta) {
	if !c.enterArray() {
		c.skip()
		return
	}
	for n := 0; c.nextElement(); n++ {
		if n == 0 && c.enter() {
			c.row(m)
		} else {
			c.skip()
		}
	}
}

// row reads the members of one row of a Table.
func (c *cursor) row(m *Meta) {
	for c.next() {
		if string(c.key) != "object" {
			c.skip()
			continue
		}
		*m = Meta{}
		if !c.enter() {
			c.skip()
			continue
		}
		for c.next() {
			if string(c.key) == "metadata" {
				*m = Meta{}
				c.metadata(m)
			} else {
				c.skip()
			}
		}
	}
}
