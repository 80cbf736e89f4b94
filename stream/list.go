package stream

import (
	"cmp"
	"errors"
	"io"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
)

// errSamePage: a page names itself as the next one, so it has no end.
var errSamePage = errors.New("stream: a page of the list continues with itself")

// errStatusItem: what ended the list stands in it as if it were an item.
var errStatusItem = errors.New("stream: a Status among the items of a list")

// list reads one page and delivers what is new in it. The returned error ends
// the range (the caller left, or ctx is done); how the request went is in the
// outcome.
func (l *loop) list(at listing, o *outcome) error {
	s := l.session
	if at.token == "" {
		l.beginRun()
	}
	c, err := l.begin(l.listRequest(l.limit(at), at.token, l.notOlder(at), at.page), o)
	defer c.close()
	if o.err != nil || err != nil {
		return err
	}

	reader := decode.NewListReader(c.body, l.maxFrame)
	skip, left := s.skip, false
	for n := 0; ; n++ {
		item, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return l.end(c, o, c.failure(err))
		}
		if isStatus(&item) {
			return l.end(c, o, &status.End{Kind: status.EndTorn, Err: errStatusItem})
		}
		if l.trace.Item != nil {
			l.trace.Item(item.Object)
		}
		o.events++
		if !l.tracked && n < skip {
			continue
		}
		version := cmp.Or(at.version, reader.Header().ResourceVersion)
		full := at.full || isOlder(version, s.position.last)
		known, err := l.item(&item, full)
		if err != nil {
			return err
		}
		left = left || known && !full
	}

	// Only here does the page count: a server can append a Status to a body
	// it could not finish, so a list that stops early says nothing about what
	// is not in it.
	o.header = reader.Header()
	o.short = o.events < l.limit(at)
	o.header.ResourceVersion = cmp.Or(at.version, o.header.ResourceVersion)
	o.wentBack = left && isOlder(o.header.ResourceVersion, s.position.last)
	switch {
	case o.header.Continue != "" && o.header.Continue == at.token:
		return l.end(c, o, errSamePage)
	case o.header.Continue == "" && !o.wentBack:
		if err := l.synced(o.header.ResourceVersion); err != nil {
			return err
		}
	}
	return l.end(c, o, nil)
}

// isStatus: a server that fails between two items has sent its 200, and writes
// why it failed where the next item would stand.
func isStatus(item *decode.Item) bool {
	return len(item.Name) == 0 && string(item.Kind) == "Status" && string(item.APIVersion) == "v1"
}

// beginRun prepares for page one, read for the first time or again. A page
// that is asked for again without a token is another snapshot, so neither the
// marks nor the count of the last attempt say anything about it:
//
//  1. page one is cut after a, b and c were marked;
//  2. b is deleted; page one is read again, as a and c;
//  3. if the marks of 1 still counted, b would never be reported.
func (l *loop) beginRun() {
	s := l.session
	s.index.begin()
	s.skip = 0
	s.resetDue = !l.tracked && s.dirty
}

// limit is the limit of a page; 0 asks for all in one.
func (l *loop) limit(at listing) int {
	if at.lost >= maxLost {
		return 0
	}
	return l.pageSize
}

// notOlder is the version a list may not be older than; "" is the server's
// latest. A cache is asked for "0", any state, only at the very first start:
// later that could be older than what the caller has seen.
func (l *loop) notOlder(at listing) string {
	switch last := l.session.position.last; {
	case !l.cachedList || at.full || at.consistent:
		return ""
	case last == "" && !l.session.dirty:
		return "0"
	default:
		return last
	}
}
