package inspect

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"example.com/rawwatch/cmd/rawwatch/internal/playback"
	"example.com/rawwatch/decode"
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
	if err := r.Truncated(); err != nil {
		c.report.Truncated = strings.TrimPrefix(err.Error(), "replay: ")
	}
	return c.finish()
}

// collector makes a report of records.
type collector struct {
	report  Report
	now     time.Duration
	open    map[int]*Connection
	synced  map[string]bool // paths that have been watched
	scanner decode.Scanner
	objects
	walk func(Version) error
}

func newCollector(walk func(Version) error) *collector {
	c := &collector{
		report: empty(),
		open:   map[int]*Connection{}, synced: map[string]bool{}, walk: walk,
	}
	c.objects.init()
	return c
}

func (c *collector) seconds() float64 { return c.now.Seconds() }

func (c *collector) record(r *replay.Record) error {
	if r.After >= silent {
		c.report.Silences = append(c.report.Silences, Silence{c.seconds(), r.After.Seconds()})
		slices.SortStableFunc(c.report.Silences, func(a, b Silence) int { return cmp.Compare(b.Seconds, a.Seconds) })
		c.report.Silences = c.report.Silences[:min(len(c.report.Silences), mostSilences)]
	}
	c.now += r.After
	if r.Kind == replay.KindRequest {
		c.request(r)
		return nil
	}
	conn := c.open[r.Exchange]
	if conn == nil {
		return nil // a mark, or what is left of something
	}
	conn.Seconds = c.seconds() - conn.At
	if r.Hidden > 0 {
		c.report.Hidden++
		conn.Bytes += int64(r.Hidden)
	}
	conn.Bytes += int64(len(r.Bytes))
	switch r.Kind {
	case replay.KindResponse:
		conn.Status = r.Status
		conn.packed = r.Header.Get("Content-Encoding") != ""
	case replay.KindEvent:
		return c.line(conn, r.Bytes)
	case replay.KindRaw, replay.KindBody:
		return c.raw(conn, r)
	case replay.KindError:
		conn.End = cmp.Or(r.Text, string(r.Why))
		delete(c.open, r.Exchange)
	case replay.KindEnd:
		conn.End = string(r.Why)
		delete(c.open, r.Exchange)
		return c.ended(conn)
	}
	return nil
}

// request begins a connection.
func (c *collector) request(r *replay.Record) {
	conn := &Connection{Number: r.Exchange, At: c.seconds(), What: "get", URL: r.URL}
	c.report.Connections = append(c.report.Connections, conn)
	c.open[r.Exchange] = conn
	u, err := url.Parse(r.URL)
	if err != nil || r.URL == "" {
		return
	}
	query := u.Query()
	conn.path = u.Path + " " + query.Get("labelSelector") + " " + query.Get("fieldSelector")
	if playback.IsTrue(query.Get("watch")) {
		conn.What = "watch"
		c.synced[conn.path] = true
		return
	}
	if _, err := stream.ParsePath(u.Path); err != nil {
		return // discovery, or one object
	}
	conn.What = "list"
	// A client that asks for one object wants the resourceVersion alone.
	if c.synced[conn.path] && query.Get("continue") == "" && query.Get("limit") != "1" {
		c.gap("the client listed again: " + u.Path)
	}
}

func (c *collector) gap(what string) {
	c.report.Gaps = append(c.report.Gaps, Gap{c.seconds(), what})
}

// raw takes bytes that are not recorded as an event.
func (c *collector) raw(conn *Connection, r *replay.Record) error {
	if r.Kind == replay.KindRaw && !conn.packed {
		line, whole := bytes.CutSuffix(r.Bytes, []byte("\n"))
		if whole && len(bytes.TrimSpace(line)) > 0 {
			return c.line(conn, bytes.TrimRight(line, "\r"))
		}
		if len(line) > 0 {
			c.report.Broken++
		}
		return nil
	}
	if len(conn.body)+len(r.Bytes) > mostBody {
		conn.body, conn.over = nil, true
	}
	if !conn.over {
		conn.body = append(conn.body, r.Bytes...)
	}
	return nil
}

// ended looks into an answer that is now whole.
func (c *collector) ended(conn *Connection) error {
	body := conn.body
	conn.body = nil
	if len(body) == 0 {
		return nil
	}
	if conn.packed {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil
		}
		body, _ = io.ReadAll(io.LimitReader(z, mostBody))
		if first, _, _ := bytes.Cut(body, []byte("\n")); decode.ScanEvent(first, new(decode.Event)) == nil {
			for line := range bytes.Lines(body) {
				if err := c.line(conn, bytes.TrimRight(line, "\r\n")); err != nil {
					return err
				}
			}
			return nil
		}
	}
	switch {
	case conn.Status != http.StatusOK:
		c.failure(body)
	case conn.What == "list" || conn.URL == "":
		return c.list(conn, body)
	}
	return nil
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
func (c *collector) failure(status []byte) {
	var s struct {
		Code            int
		Reason, Message string
	}
	if json.Unmarshal(status, &s) == nil && (s.Code == http.StatusGone || s.Reason == "Expired" || s.Reason == "Gone") {
		c.gap(fmt.Sprintf("the server had forgotten the history: %d %s: %s", s.Code, s.Reason, s.Message))
	}
}

// line takes a line of a watch.
func (c *collector) line(conn *Connection, line []byte) error {
	var ev decode.Event
	if err := c.scanner.ScanEvent(line, &ev); err != nil {
		c.report.Broken++
		return nil
	}
	conn.What = "watch"
	conn.Events++
	if string(ev.Type) == "ERROR" {
		c.failure(ev.Object)
	}
	return c.event(string(ev.Type), ev.Object, &ev.Meta)
}
