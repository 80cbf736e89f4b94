package server

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
)

// lines cuts what is written to it into the lines of a watch, for a function
// to do with them as it likes. What is not a whole line when the answer ends,
// the torn half of an event, goes through as it is; and so does all of a body
// that is compressed.
type lines struct {
	http.ResponseWriter
	each func(line []byte) error // newline included; lent until it returns
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	if l.Header().Get("Content-Encoding") != "" {
		return l.ResponseWriter.Write(p)
	}
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexByte(l.rest, '\n') + 1
		if end == 0 {
			return len(p), nil
		}
		if err := l.each(l.rest[:end]); err != nil {
			return 0, err
		}
		l.rest = append(l.rest[:0], l.rest[end:]...)
	}
}

// close writes the rest, if there is one.
func (l *lines) close() error {
	rest := l.rest
	l.rest = nil
	if len(rest) == 0 {
		return nil
	}
	if _, err := l.ResponseWriter.Write(rest); err != nil {
		return err
	}
	return http.NewResponseController(l.ResponseWriter).Flush()
}

// Hijack is how an answer is broken off: what came before has to be sent
// first.
func (l *lines) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if err := l.close(); err != nil {
		return nil, nil, err
	}
	return http.NewResponseController(l.ResponseWriter).Hijack()
}

// Unwrap gives http.ResponseController what this one does not do.
func (l *lines) Unwrap() http.ResponseWriter { return l.ResponseWriter }
