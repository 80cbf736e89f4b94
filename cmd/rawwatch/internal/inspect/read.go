package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"example.com/rawwatch/cmd/rawwatch/internal/exchange"
	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// Read reads the rest of a recording. walk, if there is one, is called with
// every version of every object, in order; its error ends the reading.
func Read(ctx context.Context, r *replay.Reader, walk func(Version) error) (*Report, error) {
	c := newCollector(walk)
	c.report.Tool = r.Header.Tool
	if !r.Header.Start.IsZero() {
		c.report.Start = &r.Header.Start
	}
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		record, err := r.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = c.record(record)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := c.sorter.Close(); err != nil {
		return nil, err
	}
	if err := r.Truncated(); err != nil {
		c.report.Truncated = strings.TrimPrefix(err.Error(), "replay: ")
	}
	return c.finish()
}

// collector makes a report of records.
type collector struct {
	report Report
	sorter exchange.Sorter
	open   map[int]*Connection
	synced map[string]bool // paths that have been watched
	objects
	walk func(Version) error
}

func newCollector(walk func(Version) error) *collector {
	c := &collector{
		report: empty(),
		open:   map[int]*Connection{}, synced: map[string]bool{}, walk: walk,
	}
	c.sorter = exchange.Sorter{Each: c.part, MaxAnswer: mostBody}
	c.objects.init()
	return c
}

func (c *collector) seconds() float64 { return c.sorter.Now.Seconds() }

// record counts what shows in a record by itself.
func (c *collector) record(r *replay.Record) error {
	if r.After >= silent {
		c.report.Silences = append(c.report.Silences, Silence{c.seconds(), r.After.Seconds()})
		slices.SortStableFunc(c.report.Silences, func(a, b Silence) int { return cmp.Compare(b.Seconds, a.Seconds) })
		c.report.Silences = c.report.Silences[:min(len(c.report.Silences), mostSilences)]
	}
	if err := c.sorter.Add(r); err != nil {
		return err
	}
	if conn := c.open[r.Exchange]; conn != nil {
		conn.Seconds = c.seconds() - conn.At
		conn.Bytes += int64(len(r.Bytes) + r.Hidden)
		switch r.Kind {
		case replay.KindResponse:
			conn.Status = r.Status
		case replay.KindError, replay.KindEnd:
			conn.End = cmp.Or(r.Text, string(r.Why))
			delete(c.open, r.Exchange)
		}
	}
	return nil
}

// part takes what a record adds to its exchange.
func (c *collector) part(p exchange.Part) error {
	conn := c.open[p.Number]
	switch p.Kind {
	case exchange.Asked:
		c.request(p.Exchange)
	case exchange.Hidden:
		c.report.Hidden++
	case exchange.Broken:
		c.report.Broken++
	case exchange.Line:
		conn.What = "watch"
		conn.Events++
		if string(p.Event.Type) == "ERROR" {
			c.failure(status.FromEvent(p.Event.Object, nil))
		}
		return c.event(string(p.Event.Type), p.Event.Object, &p.Event.Meta)
	case exchange.Answer:
		switch {
		case p.Status != http.StatusOK:
			c.failure(status.FromEvent(p.Bytes, nil))
		case conn.What == "list" || conn.URL == "":
			return c.list(conn, p.Bytes)
		}
	}
	return nil
}

// request begins a connection.
func (c *collector) request(e *exchange.Exchange) {
	conn := &Connection{Number: e.Number, At: c.seconds(), What: "get", URL: e.URL.String()}
	c.report.Connections = append(c.report.Connections, conn)
	c.open[e.Number] = conn
	if conn.URL == "" {
		return
	}
	conn.path = strings.Join([]string{e.URL.Path, e.Query.Get("labelSelector"), e.Query.Get("fieldSelector")}, " ")
	if e.Watch {
		conn.What = "watch"
		c.synced[conn.path] = true
		return
	}
	if _, err := stream.ParsePath(e.URL.Path); err != nil {
		return // discovery, or one object
	}
	conn.What = "list"
	// A client that asks for one object wants the resourceVersion alone.
	if c.synced[conn.path] && e.Query.Get("continue") == "" && e.Query.Get("limit") != "1" {
		c.gap("the client listed again: " + e.URL.Path)
	}
}

func (c *collector) gap(what string) {
	c.report.Gaps = append(c.report.Gaps, Gap{c.seconds(), what})
}

// list counts the items of a list. An answer that is none has none.
func (c *collector) list(conn *Connection, body []byte) error {
	items := decode.NewListReader(bytes.NewReader(body), mostBody)
	for {
		item, err := items.Next()
		if err != nil {
			return nil
		}
		conn.What = "list"
		conn.Items++
		if err := c.item(item); err != nil {
			return err
		}
	}
}

// failure notes a Status that says that history is lost.
func (c *collector) failure(s *status.Error) {
	if errors.Is(s, status.ErrExpired) {
		c.gap(fmt.Sprintf("the server had forgotten the history: %d %s: %s", s.Code, s.Reason, s.Message))
	}
}
