package stream

import (
	"io"
	"sync/atomic"
	"time"
)

// watchdog is a body that must not be silent for longer than its limit.
//
// It counts only the time spent inside Read. While the caller of the watch
// works on an event nobody reads, so the clock stands still, and a slow
// caller is never taken for a silent server.
type watchdog struct {
	body  io.Reader
	limit time.Duration
	timer *time.Timer // runs bite; armed only while Read waits

	first    byte // of the body: '<' is a page and not what was asked for
	bytes    int64
	lastByte *atomic.Int64 // shared with State: unix nanoseconds
}

// guard puts a watchdog on body. bite has to make a waiting Read return.
func guard(body io.Reader, limit time.Duration, lastByte *atomic.Int64, bite func()) *watchdog {
	d := &watchdog{body: body, limit: limit, lastByte: lastByte, timer: time.AfterFunc(limit, bite)}
	d.timer.Stop()
	return d
}

func (d *watchdog) Read(p []byte) (int, error) {
	d.timer.Reset(d.limit)
	n, err := d.body.Read(p)
	d.timer.Stop()
	if n > 0 {
		if d.bytes == 0 {
			d.first = p[0]
		}
		d.bytes += int64(n)
		d.lastByte.Store(time.Now().UnixNano())
	}
	return n, err
}
