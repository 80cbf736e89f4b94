package stream

import (
	"io"

	"example.com/rawwatch/decode"
)

// locate asks for the collection's resourceVersion and delivers nothing.
func (l *loop) locate(o *outcome) error {
	err := l.head(o)
	if err == nil && o.err == nil && isVersion(o.header.ResourceVersion) {
		l.session.commit(pending{version: o.header.ResourceVersion})
	}
	return err
}

// probe compares the collection's resourceVersion with the resume point.
func (l *loop) probe(o *outcome) error {
	o.had = l.session.position.version
	return l.head(o)
}

// head reads the cheapest list there is, for its header.
func (l *loop) head(o *outcome) error {
	c, err := l.begin(l.listRequest(1, "", "", 0), o)
	defer c.close()
	if o.err != nil || err != nil {
		return err
	}
	reader := decode.NewListReader(c.body, l.maxFrame)
	for {
		if _, err := reader.Next(); err == io.EOF {
			break
		} else if err != nil {
			return l.end(c, o, c.failure(err))
		}
	}
	o.header = reader.Header()
	return l.end(c, o, nil)
}
