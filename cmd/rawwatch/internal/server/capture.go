package server

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/stream/replay"
)

// captured is an answer that went nowhere, to be made into another one. It is
// the http.ResponseWriter of the exchange that is played into it.
type captured struct {
	header http.Header
	status int
	body   bytes.Buffer
	broken bool // the recorded server broke it off
}

func (c *captured) Header() http.Header         { return c.header }
func (c *captured) WriteHeader(status int)      { c.status = status }
func (c *captured) Write(p []byte) (int, error) { return c.body.Write(p) }
func (c *captured) Flush()                      {}

// capture lets answer a request, with what is done to a connection in it.
// each, if not nil, gets the lines of the body instead of c; after an error
// nothing more is played.
func capture(r *http.Request, answer give, each func(line []byte) error) (c *captured) {
	c = &captured{header: http.Header{}, status: http.StatusOK}
	var w http.ResponseWriter = c
	if each != nil {
		l := &lines{ResponseWriter: c, each: func(line []byte) error {
			if c.status != http.StatusOK {
				_, err := c.Write(line) // a Status, or a page
				return err
			}
			return each(line)
		}}
		defer l.close()
		w = struct {
			http.ResponseWriter
			http.Flusher
		}{l, c} // without Hijack: there is no connection
	}
	defer func() {
		// What breaks a connection gives up like this where there is none.
		if e := recover(); e != nil && e != http.ErrAbortHandler {
			panic(e)
		} else if e != nil {
			c.broken = true
		}
	}()
	answer(w, r)
	return c
}

// list is the captured body, read as a list.
func (c *captured) list() (decode.ListHeader, []decode.Item, error) {
	body := c.body.Bytes()
	if c.header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return decode.ListHeader{}, nil, err
		}
		if body, err = io.ReadAll(z); err != nil {
			return decode.ListHeader{}, nil, err
		}
	}
	reader, items := decode.NewListReader(bytes.NewReader(body), len(body)+1), []decode.Item(nil)
	for {
		item, err := reader.Next()
		if err == io.EOF {
			return reader.Header(), items, nil
		}
		if err != nil {
			return decode.ListHeader{}, nil, err
		}
		items = append(items, decode.Item{Object: bytes.Clone(item.Object), Meta: decode.Meta{
			Kind: bytes.Clone(item.Kind), APIVersion: bytes.Clone(item.APIVersion),
			Namespace: bytes.Clone(item.Namespace), Name: bytes.Clone(item.Name)}})
	}
}

// relay gives the answer to w as it is.
func (c *captured) relay(w http.ResponseWriter) {
	for key, values := range c.header {
		w.Header()[key] = values
	}
	if c.broken {
		panic(http.ErrAbortHandler) // net/http's way to break off an answer
	}
	w.WriteHeader(c.status)
	w.Write(c.body.Bytes())
}

// plainly gives an answer as it is.
func plainly(answer []replay.Step) give {
	return func(w http.ResponseWriter, r *http.Request) {
		exchange := replay.Exchange{Request: replay.Request{Method: r.Method}, Answer: answer}
		replay.NewHandler(replay.Script{exchange}, true).ServeHTTP(w, r)
	}
}
