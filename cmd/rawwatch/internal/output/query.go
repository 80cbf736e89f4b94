package output

import "example.com/rawwatch/stream"

// queried prints what a query makes of the lines of JSON.
type queried struct {
	lines jsonLines
	query func(b []byte, ev stream.Event, line []byte) []byte
}

func (q queried) append(b []byte, ev stream.Event, from Source) []byte {
	return q.query(b, ev, q.lines.append(nil, ev, from))
}
