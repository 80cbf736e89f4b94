package stream

import (
	"io"

	"example.com/rawwatch/decode"
)

// locate asks for the collection's resourceVersion and delivers nothing.
func (l *loop) locate() (outcome, error) {
	o, err := l.head()
	if err == nil && o.err == nil && isVersion(o.header.ResourceVersion) {
		l.session.commit(pending{version: o.header.ResourceVersion})
	}
	return o, err
}

// probe compares the collection's resourceVersion with the resume point.
func (l *loop) probe() (outcome, error) {
	o, err := l.head()
	o.had = l.session.position.version
	return o, err
}

// head reads the cheapest list there is, for its header.
func (l *loop) head() (outcome, error) {
	c, o, err := l.begin(l.listRequest(1, "", "", 0))
	defer c.close()
	if o.err != nil || err != nil {
		return o, err
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
