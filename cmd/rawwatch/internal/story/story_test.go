package story

import (
	"bytes"
	"errors"
	"io"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/rawwatch/decode"
	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
)

// teller is a Story whose lines can be read.
type teller struct {
	*Story
	out bytes.Buffer
}

func tell(verbosity int) *teller {
	t := new(teller)
	t.Story = New(&t.out, Options{Verbosity: verbosity})
	t.Watching("pods in namespace shop", "api.test:6443")
	return t
}

var prefix = regexp.MustCompile(`(?m)^\d\d:\d\d:\d\dZ rawwatch: `)

// lines are what was told since the last call, without the prefix.
func (t *teller) lines() []string {
	text := prefix.ReplaceAllString(t.out.String(), "")
	t.out.Reset()
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// answered plays a request that gets an answer; ended, its end.
func (t *teller) answered(verb stream.Verb, code int) {
	t.onRequest(stream.Request{Verb: verb, URL: "https://api.test:6443/x"})
	t.onResponse(stream.Response{Verb: verb, StatusCode: code, Proto: "HTTP/2.0", Took: 12 * time.Millisecond})
}

func (t *teller) ended(verb stream.Verb, row string, err error, wait time.Duration) {
	t.onEnded(stream.Ended{Verb: verb, Row: row, Action: "resume", Err: err, Age: 7*time.Minute + 12*time.Second})
	if wait > 0 {
		t.onWaiting(stream.Waiting{For: wait, Row: row})
		time.Sleep(wait)
	}
}

func TestEveryEndIsTold(t *testing.T) {
	answer := &status.Error{HTTPStatus: 503, Body: status.BodyText, Status: status.Status{Message: "etcd is\naway"}}
	for _, tt := range []struct {
		name string
		open bool
		row  string
		err  error
		want string
	}{
		{"on time", true, status.RowTimeoutEnd, io.EOF, "closed after 7m12s because its time was up; waiting 40ms"},
		{"on time, and quiet", true, status.RowQuietEnd, io.EOF, "closed after 7m12s because its time was up; waiting 40ms"},
		{"at once", true, status.RowShortWatch, io.EOF, "closed after 7m12s because the server ended it with nothing in it; waiting 40ms"},
		{"silence", true, status.RowIdle, &status.End{Kind: status.EndIdle}, "closed after 7m12s because the server sent nothing for too long; waiting 40ms"},
		{"early", true, status.RowBrokenStream, io.EOF, "closed after 7m12s because the server ended it; waiting 40ms"},
		{"in the middle of an event", true, status.RowBrokenStream, &decode.TornError{Offset: 9, Dropped: 4}, "closed after 7m12s because the connection broke: at byte 9: the body ends too early, 4 bytes dropped; waiting 40ms"},
		{"bytes that are no event", true, status.RowBadFrame, &status.End{Kind: status.EndBadFrame, Err: &decode.SyntaxError{Offset: 9, Msg: "nested too deep"}}, "closed after 7m12s because it cannot be read: at byte 9: nested too deep; waiting 40ms"},
		{"an ERROR event", true, status.RowServerError, &status.Error{HTTPStatus: 200, Event: true, Status: status.Status{Code: 500}}, "closed after 7m12s because of ERROR event: 500 Internal Server Error; waiting 40ms"},
		{"a refusal, in several lines", false, status.RowUnavailable, answer, `cannot watch: 503 Service Unavailable: etcd is\naway; waiting 40ms`},
		{"no connection", false, status.RowConnect, &url.Error{Op: "Get", URL: "https://secret", Err: errors.New("connection refused")}, "cannot watch: connection refused; waiting 40ms"},
		{"no answer", false, status.RowConnect, &url.Error{Op: "Get", URL: "https://secret", Err: io.EOF}, "cannot watch: the server closed the connection without an answer; waiting 40ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tell(0)
			code := 0
			if tt.open {
				code = 200
			}
			s.answered(stream.Watch, code)
			s.out.Reset()
			s.ended(stream.Watch, tt.row, tt.err, 40*time.Millisecond)
			assert.Equal(t, []string{tt.want + " [" + tt.row + "]"}, s.lines())
		})
	}
}

func TestWhatNeedsNoWords(t *testing.T) {
	s := tell(0)
	s.answered(stream.List, 200)
	s.out.Reset()
	s.onEnded(stream.Ended{Verb: stream.List}) // a page was read
	s.answered(stream.List, 200)
	s.onEnded(stream.Ended{Verb: stream.List})
	s.answered(stream.Watch, 200)
	s.onWaiting(stream.Waiting{For: time.Second}) // requests are spaced out
	s.onEnded(stream.Ended{Verb: stream.Watch, Err: io.EOF, Action: "stop"})
	s.Event(stream.Event{Type: stream.Added, Name: "a"}, -1)
	assert.Empty(t, s.out.String())
}

func TestAnOutageIsAHandfulOfLinesAndItsEndIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tell(0)
		s.answered(stream.Watch, 200)
		s.ended(stream.Watch, status.RowBrokenStream, io.ErrUnexpectedEOF, 400*time.Millisecond)
		for range 19 {
			s.answered(stream.Watch, 0)
			s.ended(stream.Watch, status.RowConnect, errors.New("connection refused"), time.Minute)
		}
		s.answered(stream.Watch, 200)
		assert.Equal(t, []string{
			"connected to api.test:6443: watching pods in namespace shop",
			"closed after 7m12s because the connection broke: unexpected EOF; waiting 400ms [BrokenStream]",
			"cannot watch: connection refused; waiting 1m [Connect]",
			"cannot watch (2 in a row): connection refused; waiting 1m [Connect]",
			"cannot watch (4 in a row): connection refused; waiting 1m [Connect]",
			"still cannot watch since 00:00:00Z (7m, 8 in a row): connection refused; waiting 1m [Connect]",
			"still cannot watch since 00:00:00Z (12m, 13 in a row): connection refused; waiting 1m [Connect]",
			"still cannot watch since 00:00:00Z (15m, 16 in a row): connection refused; waiting 1m [Connect]",
			"connected again after 19m",
		}, s.lines())
	})
}

func TestALongOutageIsToldEvery5MinutesAtLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tell(0)
		s.answered(stream.Watch, 200)
		began, last := time.Now(), time.Now()
		reasons := []error{errors.New("connection refused"), io.EOF}
		for n := range 400 {
			s.out.Reset()
			wait := time.Duration(1+n%60) * time.Second
			s.answered(stream.Watch, 0)
			s.ended(stream.Watch, status.RowConnect, reasons[n%2], wait)
			if s.out.Len() > 0 {
				last = time.Now().Add(-wait)
			}
			require.LessOrEqual(t, time.Since(last), quiet, "after %s", time.Since(began))
		}
		s.out.Reset()
		s.answered(stream.Watch, 200)
		assert.Contains(t, s.out.String(), "connected again after 3h")

		// The next one does not go on counting where this one stopped.
		s.out.Reset()
		s.answered(stream.Watch, 0)
		s.ended(stream.Watch, status.RowConnect, io.EOF, time.Second)
		assert.Equal(t, []string{"cannot watch: EOF; waiting 1s [Connect]"}, s.lines())
	})
}

func TestWhatBelongsToAHealthyWatchHasNoCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tell(0)
		for range 4 {
			s.answered(stream.Watch, 200)
			s.ended(stream.Watch, status.RowBrokenStream, io.EOF, time.Second)
			s.Event(stream.Event{Type: stream.Synced, ResourceVersion: "10"}, 2)
		}
		text := s.out.String()
		assert.Equal(t, 3, strings.Count(text, "the server ended it"), text)
		assert.Equal(t, 3, strings.Count(text, "synced"), text)
		assert.NotRegexp(t, `\(\d`, text)
	})
}

func TestAWaitThatEndsSaysWhen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := &status.Error{HTTPStatus: 404, Body: status.BodyText, Status: status.Status{Message: "404 page not found"}}
		for persistent, want := range map[bool]string{
			false: "cannot watch: 404 Not Found: 404 page not found; waiting 1s, giving up after 2m [DeniedAfterWork]",
			true:  "cannot watch: 404 Not Found: 404 page not found; waiting 1s [DeniedAfterWork]",
		} {
			s := tell(0)
			s.Has(Traits{Persistent: persistent})
			s.answered(stream.Watch, 404)
			s.ended(stream.Watch, status.RowDeniedAfterWork, gone, time.Second)
			assert.Equal(t, []string{want}, s.lines())
		}
	})
}

func TestTheTimeIsInFrontUnlessItIsATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		time.Sleep(22*time.Hour + 39*time.Minute + 33*time.Second)
		New(&out, Options{}).Of("pods").Say("x")
		New(&out, Options{Verbosity: 1}).Say("y")
		assert.Equal(t, "22:39:33Z rawwatch: pods: x\n22:39:33.000Z rawwatch: y\n", out.String())
	})
}

func TestAFlappingConnectionIsNotTwoLinesEachTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tell(0)
		s.answered(stream.Watch, 200)
		for range 8 {
			s.ended(stream.Watch, status.RowBrokenStream, io.EOF, time.Second)
			s.answered(stream.Watch, 200)
		}
		text := strings.Join(s.lines(), "\n")
		assert.Equal(t, 4, strings.Count(text, "closed"), "1st, 2nd, 4th and 8th:\n%s", text)
		assert.Equal(t, 4, strings.Count(text, "connected again after 1s"), text)
	})
}

func TestNormalEndsAreNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tell(0)
		s.answered(stream.Watch, 200)
		for range 100 { // a day of watches, each of 5 to 10 minutes
			time.Sleep(7 * time.Minute)
			s.ended(stream.Watch, status.RowTimeoutEnd, io.EOF, 40*time.Millisecond)
			s.answered(stream.Watch, 200)
		}
		text := strings.Join(s.lines(), "\n")
		assert.Equal(t, 7, strings.Count(text, "its time was up"), text)
		assert.NotContains(t, text, "again")
	})
}

func TestWhatWasForgottenIsNewsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := tell(0)
		for range 3 {
			s.Repeat("x", "it happened")
		}
		time.Sleep(forget + time.Second)
		s.Repeat("x", "it happened")
		assert.Equal(t, []string{"it happened", "it happened (2 so far)", "it happened"}, s.lines())
	})
}

func TestVerbosity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		duplicate := stream.Event{Type: stream.Added, Namespace: "shop", Name: "a", ResourceVersion: "8"}
		told := func(verbosity int) string {
			s := tell(verbosity)
			s.answered(stream.Watch, 403)
			s.onResponse(stream.Response{Took: 3 * time.Second})
			s.onWaiting(stream.Waiting{For: time.Second})
			s.Trace().Duplicate(duplicate)
			s.Trace().UnknownEvent("NEWS", nil)
			for range 3 {
				s.Repeat("x", "again")
			}
			return s.out.String()
		}
		assert.Equal(t, "skipped an event of unknown type \"NEWS\"\nagain\nagain (2 so far)\n", prefix.ReplaceAllString(told(0), ""))
		one := told(1)
		assert.Contains(t, one, "00:00:00.000Z rawwatch: GET https://api.test:6443/x: 403 Forbidden, HTTP/2.0, after 12ms\n")
		assert.Contains(t, one, "GET https://api.test:6443/x: no answer after 3s\n")
		assert.Contains(t, one, "waiting 1s, for the requests come too fast\n")
		assert.Contains(t, one, "again (3 so far)\n", "every repeat")
		assert.NotContains(t, one, "left out")
		assert.Contains(t, told(2), "left out ADDED of shop/a at resourceVersion 8, which was delivered before\n")
	})
}

func TestMarkers(t *testing.T) {
	for _, tt := range []struct {
		ev      stream.Event
		objects int
		want    string
	}{
		{stream.Event{Type: stream.Synced, ResourceVersion: "10"}, 0, "synced at resourceVersion 10: 0 objects"},
		{stream.Event{Type: stream.Synced, ResourceVersion: "10"}, 1, "synced at resourceVersion 10: 1 object"},
		{stream.Event{Type: stream.Synced, ResourceVersion: "10"}, 42, "synced at resourceVersion 10: 42 objects"},
		{stream.Event{Type: stream.Synced, ResourceVersion: "10"}, -1, "synced at resourceVersion 10"},
		{stream.Event{Type: stream.Gap, ResourceVersion: "10"}, -1, "relisting: the history after resourceVersion 10 is lost"},
		{stream.Event{Type: stream.Gap, ResourceVersion: "10", Partial: true}, -1, "relisting: the history after resourceVersion 10 is lost; deletes of objects not shown so far stay unknown"},
		{stream.Event{Type: stream.Gap}, -1, "relisting: the stream ended before it showed a resourceVersion to go on from"},
		{stream.Event{Type: stream.Reset}, -1, "reset: nothing is remembered of what was there before; everything comes again"},
	} {
		s := tell(0)
		s.Event(tt.ev, tt.objects)
		assert.Equal(t, []string{tt.want}, s.lines())
	}
}

func TestTheCauseOfALossComesBeforeTheLoss(t *testing.T) {
	s := tell(0)
	s.answered(stream.Watch, 200)
	s.lines()
	s.ended(stream.Watch, status.RowExpired, &status.Error{Event: true, Status: status.Status{Code: 410, Reason: "Expired"}}, 0)
	s.Event(stream.Event{Type: stream.Gap, ResourceVersion: "222"}, 3)
	lines := s.lines()
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "closed after 7m12s because ")
	assert.Equal(t, "relisting: the history after resourceVersion 222 is lost", lines[1])
}

func TestLeft(t *testing.T) {
	s := tell(0)
	s.Left("interrupted", 1, "")
	s.Left("interrupted", 2, "--resource-version 10")
	assert.Equal(t, []string{"interrupted, after 1 event", "interrupted, after 2 events; --resource-version 10 goes on from here"}, s.lines())
}

func TestSeveralStoriesNameTheirWatch(t *testing.T) {
	root := tell(0)
	pods, jobs := root.Of("pods"), root.Of("jobs in shop")
	pods.Watching("pods in namespace shop", "api.test:6443")
	(&teller{Story: pods}).answered(stream.Watch, 200)
	for range 3 {
		pods.Repeat("x", "again")
	}
	jobs.Repeat("x", "again")
	root.Say("done")
	assert.Equal(t, []string{
		"connected to api.test:6443: watching pods in namespace shop", // said once, in full
		"pods: again", "pods: again (2 so far)",
		"jobs in shop: again", // counted apart
		"done",
	}, root.lines())
}

// broken is a standard error that is gone.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestAStandardErrorThatIsGoneEndsNothing(t *testing.T) {
	s := New(broken{}, Options{})
	assert.NotPanics(t, func() { s.Say("x"); assert.True(t, s.Repeat("k", "y")) })
}
