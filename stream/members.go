package stream

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// members reads gzip member by member: what a server or proxy that compresses
// although asked not to makes of a watch, one member for each flush.
//
// gzip.Reader's own way to go on to the next member delays events:
//
//  1. the server flushes event A as a whole member and goes quiet;
//  2. the reader has A decoded, meets the end of the member, and reads on for
//     the header of the next before it returns;
//  3. A is handed out when B arrives.
//
// So each member is read on its own, and the next header is awaited only when
// the caller asks for more.
type members struct {
	source *bufio.Reader
	gzip   *gzip.Reader // nil before the first member
	ended  bool         // the current member has been read whole
}

func newMembers(r io.Reader) *members {
	return &members{source: bufio.NewReader(r)}
}

func (m *members) Read(p []byte) (int, error) {
	for {
		if m.gzip == nil || m.ended {
			if err := m.next(); err != nil {
				return 0, err
			}
		}
		n, err := m.gzip.Read(p)
		if errors.Is(err, io.EOF) {
			m.ended, err = true, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next waits for the header of a member. A body that ends here ends clean.
func (m *members) next() (err error) {
	if _, err := m.source.Peek(1); err != nil {
		return err
	}
	if m.gzip == nil {
		m.gzip, err = gzip.NewReader(m.source)
	} else {
		err = m.gzip.Reset(m.source)
	}
	if err != nil {
		return err
	}
	m.gzip.Multistream(false)
	m.ended = false
	return nil
}
