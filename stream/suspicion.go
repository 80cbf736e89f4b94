package stream

import (
	"fmt"
	"time"

	"example.com/rawwatch/status"
)

// Some failures look the same whether the server has lost the resume point or
// is only in trouble: streams that end at once and clean, repeated 500 and
// 504, frames that cannot be read, a full-length stream that brought nothing.
// A watch that always resumes would then loop for ever on a dead version; one
// that always lists would turn every outage into a storm of lists.
//
// So the third such failure in a row is followed by a probe, one LIST with
// limit=1:
//
//	it fails                          ─► an outage: keep the version, back off
//	its version is older than ours    ─► the server went back: Gap, relist
//	else                              ─► one more WATCH; if that fails in the
//	                                     same way: Gap, relist

// suspicion is what next remembers of that.
type suspicion struct {
	suspected string        // the row whose probe showed nothing: one more failure relists
	quiet     time.Time     // when a quiet stream was last probed for, since the server may have been restarted
	budget    time.Time     // no relist out of suspicion before this
	pause     time.Duration // how far the last one moved budget
}

// Relists out of suspicion: one in 5 min, then ever fewer, down to one an
// hour. The verdict may be wrong, and then each is a list for nothing.
const (
	firstPause = 5 * time.Minute
	lastPause  = time.Hour
)

// WentBackError is the cause of a Gap: the server's state is older than what
// it has sent before, as after a restored backup.
type WentBackError struct {
	Had, Has string // resourceVersions: the resume point, the server's own
}

func (e *WentBackError) Error() string {
	return fmt.Sprintf("stream: the server went back in time, from resourceVersion %s to %s", e.Had, e.Has)
}

// suspect follows a verdict to probe. Until then it is a resume.
func (m *machine) suspect(o *outcome, st *step) {
	row, every := st.verdict.Row, st.verdict.Every
	switch {
	case m.policy.OnExpired == StopExpired:
		// A caller who wants no relist gets no LIST at all.
	case every > 0:
		// A quiet stream is mostly a quiet collection: look now and then,
		// and suspect nothing further.
		if m.quiet.IsZero() || o.now.Sub(m.quiet) >= every {
			m.quiet = o.now
			m.state = probing{}
		}
	case m.suspected != row:
		m.state = probing{row: row}
	case !o.now.Before(m.budget):
		m.pause = min(max(2*m.pause, firstPause), lastPause)
		m.budget = o.now.Add(m.pause)
		m.suspected, m.run = "", status.Run{}
		st.gap, m.state = o.err, m.list()
	}
}

// noticeRestart looks for a sign that the server may have been restarted, as
// one is that goes back in time: the next quiet stream is then looked into,
// whenever the last one was. Otherwise:
//
//  1. a stream is quiet, and the probe shows nothing;
//  2. 5 min later the server is restored from a backup, and our stream torn;
//  3. from then on all streams are quiet, and none is looked into for 25 min.
func (m *machine) noticeRestart(row string) {
	if row != status.RowQuietEnd && row != status.RowTimeoutEnd {
		m.quiet = time.Time{}
	}
}

// probed follows a probe that was answered.
func (m *machine) probed(s probing, o *outcome, st *step) {
	if isOlder(o.header.ResourceVersion, o.had) {
		m.state = m.list()
		st.gap = &WentBackError{Had: o.had, Has: o.header.ResourceVersion}
		return
	}
	m.state, m.suspected = watching{}, s.row
}
