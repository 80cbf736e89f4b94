package decode

import (
	"errors"
	"io"
	"strings"
)

// A ListHeader is what a list says about itself.
type ListHeader struct {
	Kind, APIVersion   string
	ResourceVersion    string // to start a watch from
	Continue           string // token of the next page; empty on the last
	RemainingItemCount int64  // on later pages; 0 when not told
}

// A ListReader reads the items of a list body while it arrives; it holds one
// item at a time. A list is an object whose kind ends in "List" or that has
// "items", or a Table, whose "rows" are its items.
//
// Items come as they were sent, with two additions. Items of built-in kinds
// are sent without kind and apiVersion: those missing are put in front, from
// the list's own (ConfigMapList: ConfigMap), if these came before the items.
// A row of a Table comes as a Table of that one row, as a watch sends it,
// and the columns, if they came before the rows, come with the first.
type ListReader struct {
	in     buffer
	scan   Scanner
	limit  int
	header ListHeader

	phase   phase
	first   bool   // nothing has been read yet of the members or elements
	found   string // the key whose elements are the items: "items" or "rows"
	columns []byte // a Table's columnDefinitions, until they are delivered
	index   int    // of the next item
	empty   bool   // the item scanned last has no members

	prefix []byte // to be put in front of the next item, often empty
	suffix string // and behind it
	lent   Item
	taken  []byte         // where the lent item's suffix was written, or nil
	saved  [tailRoom]byte // what was there before
	err    error
}

// A phase is where in the body a ListReader is.
type phase uint8

const (
	atStart    phase = iota
	inMembers        // of the list object
	inElements       // of its items or rows
	atEnd            // behind the list object
)

// NewListReader returns a ListReader of the list in r. An item, and any other
// value in the list object, longer than limit bytes is refused; 0 means
// [DefaultLimit].
func NewListReader(r io.Reader, limit int) *ListReader {
	// The prefix of most items finds room in front of the first one already.
	in := buffer{src: r, first: firstList, least: restSize, head: 512}
	return &ListReader{in: in, limit: sizeLimit(limit)}
}

// Header returns what is known of the list so far. It is complete only after
// Next has returned io.EOF: custom resources send their metadata after the
// items.
func (l *ListReader) Header() ListHeader { return l.header }

// Next returns the next item. Its slices are lent: they are overwritten by
// the next call.
//
// It returns io.EOF only when the whole body has parsed as one list with
// nothing behind it: a server that fails half-way sends an error object after
// what it has already sent, under a status of 200. Until then the items are
// a part of something unknown. Other errors: *TornError, *SyntaxError,
// *ShapeError, *FrameSizeError, or the underlying reader's own. After an
// error Next returns the same one for ever.
func (l *ListReader) Next() (Item, error) {
	if l.err == nil {
		l.release()
		l.err = l.next()
	}
	if l.err != nil {
		return Item{}, l.err
	}
	return l.lent, nil
}

// next reads up to the end of the next item.
func (l *ListReader) next() error {
	for {
		c, err := l.peek()
		if err != nil {
			return err
		}
		switch {
		case l.phase == atStart && c == '{':
			l.in.consume(1)
			l.phase, l.first = inMembers, true
		case l.phase == atStart:
			return l.syntax(0, badList)
		case l.phase == atEnd:
			return l.syntax(0, badEnd)
		case l.phase == inMembers && c == '}':
			l.in.consume(1)
			l.phase = atEnd
			if !l.isList() {
				return l.shape("no list")
			}
		case l.phase == inElements && c == ']':
			l.in.consume(1)
			l.phase, l.first = inMembers, false
		default:
			if err := l.separator(); err != nil {
				return err
			}
			if l.phase == inElements {
				return l.element()
			}
			if err := l.member(); err != nil {
				return err
			}
		}
	}
}

// separator moves over the comma before a member or an element, if it needs
// to have one.
func (l *ListReader) separator() error {
	if l.first {
		l.first = false
		return nil
	}
	return l.expect(',', badSeparator)
}

// The body is consumed token by token here, each as soon as it is whole, so
// that off is always where the next one begins: errors say it without effort.

// peek moves over white space and returns the next byte.
func (l *ListReader) peek() (byte, error) {
	for {
		for i, c := range l.in.held() {
			if !isSpace(c) {
				l.in.consume(i)
				return c, nil
			}
		}
		l.in.consume(len(l.in.held()))
		if err := l.in.fill(); err != nil {
			return 0, l.ended(err)
		}
	}
}

// expect moves over the byte c and white space on both sides of it.
func (l *ListReader) expect(c byte, why problem) error {
	got, err := l.peek()
	if err != nil {
		return err
	}
	if got != c {
		return l.syntax(0, why)
	}
	l.in.consume(1)
	_, err = l.peek()
	return err
}

// value waits until the next value is held whole, and returns its length. The
// value is valid JSON; scan says what else is done with it.
//
// Most values are held whole already, so they are scanned at once. When a scan
// runs out of bytes, it starts over: at once if as many bytes again have come
// since, else when an extent, which watches the new ones, sees the value's end.
// To start over after every Read would cost the square of the size, and to watch
// all bytes more than to scan those few again. Whatever pieces the bytes come
// in, it is the same scan of the same bytes that decides, so the result is the
// same.
func (l *ListReader) value(scan scanFunc) (int, error) {
	var (
		seen    extent
		looked  int   // bytes that seen has looked at
		scanned int   // bytes that were there when a scan ran out of them
		ended   error // of the source
	)
	for {
		held := l.in.held()
		window := held[:min(len(held), l.limit+1)]
		full := len(window) > l.limit
		again := len(window) >= 2*scanned || full || ended != nil
		if !again {
			again = seen.closes(window[looked:])
			looked = len(window)
		}
		if again {
			end, why := scan(l, window)
			// A number at the very end may go on in the next Read.
			open := end == len(window) && (why != ok || isScalar(window[0]))
			switch {
			case why != ok && !open:
				return 0, l.syntax(end, why)
			case !open && end <= l.limit:
				return end, nil
			case full:
				return 0, &FrameSizeError{Offset: l.in.off, Limit: l.limit}
			case ended != nil:
				return 0, l.ended(ended)
			}
			scanned = len(window)
		}
		ended = l.in.fill()
	}
}

// A scanFunc checks the value at the start of a window and returns where it
// ends, or a problem and where that is.
type scanFunc func(l *ListReader, window []byte) (end int, why problem)

// scanMember is for values that are only kept or skipped.
func scanMember(l *ListReader, window []byte) (int, problem) {
	return l.scan.valid.value(window, 0, MaxDepth-1)
}

// scanItem is for items: it also sets Meta.
func scanItem(l *ListReader, window []byte) (int, problem) {
	c := l.scan.cursor(window, MaxDepth-2)
	l.lent.Meta, l.empty = Meta{}, false
	switch {
	case !c.enter():
		c.skip()
	case l.found == "rows":
		c.row(&l.lent.Meta)
	default:
		l.empty = c.object(&l.lent.Meta)
	}
	return c.i, c.why
}

// isScalar reports whether the value that begins with c has no closing byte.
func isScalar(c byte) bool { return c != '"' && c != '{' && c != '[' }

// member reads one member of the list object, or goes into the items. At
// least one byte of it is held.
func (l *ListReader) member() error {
	if l.in.held()[0] != '"' {
		return l.syntax(0, badKey)
	}
	n, err := l.value(scanMember)
	if err != nil {
		return err
	}
	c := l.scan.cursor(l.in.held()[:n], 1)
	key := string(c.text())
	l.in.consume(n)
	if err := l.expect(':', badColon); err != nil {
		return err
	}
	// Which of the two holds the items depends on the kind. If that is still
	// to come, the first array of either name is taken, and isList has the
	// last word.
	if key == "items" && !l.isTable() || key == "rows" && (l.isTable() || l.header.Kind == "") {
		done, err := l.elements(key)
		if done || err != nil {
			return err
		}
	}
	if n, err = l.value(scanMember); err != nil {
		return err
	}
	c = l.scan.cursor(l.in.held()[:n], MaxDepth-1)
	switch key {
	case "kind":
		l.header.Kind = string(c.text())
	case "apiVersion":
		l.header.APIVersion = string(c.text())
	case "metadata":
		c.listMeta(&l.header)
	case "columnDefinitions":
		l.columns = append([]byte(nil), c.b...)
	}
	l.in.consume(n)
	return nil
}

// elements goes into the array that is the value of key, if it is one. At
// least one byte of the value is held.
func (l *ListReader) elements(key string) (done bool, err error) {
	c := l.in.held()[0]
	switch {
	case l.found == key:
		// The items of the first have been delivered: the last cannot win.
		return false, l.shape("no list: two members " + key)
	case l.found != "":
		return false, nil
	case c == '[':
		l.in.consume(1)
		l.phase, l.first, l.found = inElements, true, key
		return true, nil
	case c == 'n' && (key == "items" || l.isTable()):
		// A Go server's nil slice: no items.
		l.found = key
	case key == "items" || l.isTable():
		return false, l.shape("no list: " + key + " is no array")
	}
	return false, nil
}

func (l *ListReader) isTable() bool {
	return l.header.Kind == tableKind &&
		(l.header.APIVersion == "" || strings.HasPrefix(l.header.APIVersion, tableGroup))
}

// isList decides, once all members are known, whether it was a list.
func (l *ListReader) isList() bool {
	switch l.found {
	case "rows":
		return l.isTable()
	case "items":
		return !l.isTable()
	}
	return l.isTable() || strings.HasSuffix(l.header.Kind, "List")
}

func (l *ListReader) shape(msg string) error {
	return &ShapeError{Kind: l.header.Kind, Index: -1, Msg: msg}
}

func (l *ListReader) syntax(i int, why problem) error {
	return at(syntaxError(l.in.held(), i, why), l.in.off)
}

// ended decides what an error of the source means at this place.
func (l *ListReader) ended(err error) error {
	switch {
	case err == io.EOF && l.phase == atEnd:
		return io.EOF
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return &TornError{Offset: l.in.off, Dropped: len(l.in.held())}
	}
	return err
}
