package status

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Every answer that can be put together, in every history: what must hold of
// the verdict whatever the table says.
func TestVerdictsOnAllAnswers(t *testing.T) {
	codes := []int{0, 200, 400, 403, 404, 406, 408, 410, 429, 500, 503, 666}
	reasons := []string{"", "Odd", "Expired", "NotFound", "Invalid", "TooManyRequests", "InternalError", "StorageReadError"}
	bodies := []Body{BodyEmpty, BodyNull, BodyStatus, BodyJSON, BodyHTML, BodyText}
	check := func(e *Error) {
		for history := range 16 {
			f := Failure{
				Verb: []Verb{List, Watch}[history&1], Err: e, Contact: history&2 != 0,
				Worked: history&6 == 6, UserVersion: history&8 != 0,
			}
			one := Decide(f, Run{})
			for _, run := range []Run{{one.Row, 0, 0}, {one.Row, 2, time.Second}, {one.Row, 1000, time.Hour}} {
				v := Decide(f, run)
				must := func(what string, ok bool) {
					if !ok {
						t.Fatalf("%s: %+v in %+v: %+v", what, e, f, v)
					}
				}
				must("the row does not depend on the run", v.Row == one.Row)
				must("the run grows", v.Run == Run{run.Row, run.Count + 1, run.Age})
				must("nothing but a stop goes without delay", (v.Action == Stop) == (v.Delay == DelayNone))
				must("any 410 is a relist", v.Action == Relist || !e.says(http.StatusGone))
				must("a 429 never relists and never stops", v.Action == Resume || !e.tooMany() ||
					e.expired() || e.Reason == reasonStorageRead)
				must("the server's faults end nothing", v.Action != Stop || !e.serverFault() || v.Row == RowInvalidVersion)
				must("a page from a known server ends nothing", v.Action != Stop || e.Body != BodyHTML ||
					!f.Contact || e.redirect())
				if v.Action == Stop {
					must("a stop waits for nothing", v.AtLeast == 0)
				} else {
					must("a hint is kept", v.AtLeast == e.RetryAfter && (v.AtLeast == 0 || v.Delay == DelayBackoff))
				}
				must("a list is not probed", f.Verb != List || v.Action != Probe)
			}
		}
	}
	for _, code := range codes {
		for _, reason := range reasons {
			for _, wait := range []time.Duration{0, 3 * time.Second} {
				body := BodyStatus
				inside := Status{Code: code, Reason: reason}
				if code == 0 && reason == "" {
					body = BodyNull
				}
				check(&Error{Status: inside, Event: true, HTTPStatus: 200, Body: body, RetryAfter: wait})
				for _, outside := range codes[1:] {
					check(&Error{Status: inside, HTTPStatus: outside, Body: BodyStatus, RetryAfter: wait})
				}
			}
		}
	}
	for _, outside := range append(codes[1:], 301, 304, 399, 100, 999) {
		for _, body := range bodies {
			check(&Error{HTTPStatus: outside, Body: body})
		}
	}
}

func TestRunEndsByProgress(t *testing.T) {
	for _, tc := range []struct {
		name  string
		run   Run
		moved bool
		lived time.Duration
		ends  bool
	}{
		{"the resume point moved", Run{RowFrameSize, 1, 0}, true, 0, true},
		{"a stream that lived", Run{RowBrokenStream, 5, 0}, false, time.Second, true},
		{"a stream that did not live", Run{RowBrokenStream, 5, 0}, false, time.Second - 1, false},
		{"an event too large takes its time to come", Run{RowFrameSize, 1, 0}, false, time.Minute, false},
		{"empty streams may be long", Run{RowShortWatch, 2, 0}, false, 30 * time.Second, false},
		{"headers say nothing of the ERROR that follows", Run{RowServerError, 2, 0}, false, 3 * time.Second, false},
		{"no run", Run{}, false, time.Second, true},
		{"a row of another version", Run{"Other", 3, 0}, false, time.Second, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			want := tc.run
			if tc.ends {
				want = Run{}
			}
			assert.Equal(t, want, tc.run.Progress(tc.moved, tc.lived))
		})
	}
}

// An unknown event in between does not make a failing stream look like a new
// one.
func TestSkipKeepsTheRun(t *testing.T) {
	before := Run{Row: RowFrameSize, Count: 1, Age: time.Minute}
	v := Decide(Failure{Verb: Watch, Err: &End{Kind: EndUnknownType}}, before)
	assert.Equal(t, Verdict{Row: RowUnknownType, Action: Skip, Run: before}, v)
}

// A policy that stops sooner than the row finds the sentinel there already.
func TestSentinelComesWithEveryFailureOfTheRow(t *testing.T) {
	for _, tc := range []struct {
		failure Failure
		want    error
	}{
		{watched.with(answer(404, "404 page not found\n")), ErrResourceGone},
		{watched.with(refused(403, "Forbidden")), nil},
		{watched.with(&End{Kind: EndListBody}), ErrNotStream},
		{chosen.with(answer(500, `{"kind":"Status","code":500}`)), ErrInvalidResourceVersion},
		{watched.with(refused(500, "InternalError")), nil},
	} {
		v := Decide(tc.failure, Run{})
		assert.Equal(t, Resume, v.Action)
		assert.Equal(t, tc.want, v.Err, v.Row)
	}
}

func TestProbesOfQuietStreamsAreFarApart(t *testing.T) {
	v := Decide(watched.with(nil).on(quiet(5*time.Minute, 1)), Run{})
	assert.Equal(t, Probe, v.Action)
	assert.Equal(t, 30*time.Minute, v.Every)
}

// A server that restarts denies in several ways, and they count as one.
func TestDeniedInSeveralWaysIsOneRun(t *testing.T) {
	var r Run
	for i, e := range []*Error{refused(403, "Forbidden"), refused(401, "Unauthorized"), answer(404, "404 page not found\n")} {
		r.Age = time.Duration(i) * time.Minute
		v := Decide(watched.with(e), r)
		r = v.Run
		assert.Equal(t, i == 2, v.Action == Stop)
	}
}

func TestHintTurnsAnyWaitIntoBackoff(t *testing.T) {
	e := event(410, "Expired")
	e.RetryAfter = 7 * time.Second
	v := Decide(watched.with(e), Run{})
	assert.Equal(t, Verdict{Row: RowExpired, Action: Relist, Delay: DelayBackoff, AtLeast: 7 * time.Second, Run: Run{Row: RowExpired, Count: 1}}, v)

	e = refused(403, "Forbidden")
	e.RetryAfter = 7 * time.Second
	assert.Zero(t, Decide(first.with(e), Run{}).AtLeast, "a stop waits for nothing")
}

// The first row of the cases is that of the first matching row in the table:
// taking a row away gives its failures to a later one, never to an earlier.
func TestOrderOfRows(t *testing.T) {
	position := map[string]int{}
	for i, row := range table {
		position[row.ID] = i
	}
	for _, tc := range cases {
		f := gather(tc.failure)
		for i := range position[tc.row] {
			assert.False(t, table[i].match(f), "%s: also %s", tc.name, table[i].ID)
		}
	}
	overlaps := func(f Failure, rows ...string) {
		t.Helper()
		facts := gather(f)
		for i, id := range rows {
			assert.True(t, rowByID(id).match(facts), "%s", id)
			if i > 0 {
				assert.Less(t, position[rows[i-1]], position[id])
			}
		}
	}
	// Without these overlaps the order would not matter, and could be lost.
	overlaps(first.with(answer(302, page)), RowRedirect, RowUnavailable)
	overlaps(watched.with(answer(504, tooLargeBody)), RowTooLarge, RowServerError)
	overlaps(watched.with(event(500, "StorageReadError")), RowStorageRead, RowServerError, RowErrorEvent)
	overlaps(chosen.with(answer(500, `{"kind":"Status","code":500}`)), RowInvalidVersion, RowServerError, RowUnavailable)
	overlaps(watched.with(refused(404, "NotFound")), RowDeniedAfterWork, RowClientError)
	overlaps(watched.with(nil).on(Stream{Age: time.Second, Timeout: time.Second, EmptyInARow: 10}),
		RowQuietEnd, RowTimeoutEnd, RowShortWatch, RowBrokenStream)
	overlaps(watched.with(&End{Kind: EndIdle}).on(lived(0)), RowIdle, RowBrokenStream)
	overlaps(first.with(dialed(http.ErrSchemeMismatch)), RowPlainHTTP, RowConnect)
}

func TestExplain(t *testing.T) {
	for _, tc := range []struct {
		code   int
		reason string
		want   []string
	}{
		{410, "", []string{RowExpired}},
		{0, "Expired", []string{RowExpired}},
		{0, "Gone", []string{RowExpired}},
		{504, "Expired", []string{RowExpired}},
		{0, "ResourceVersionTooLarge", []string{RowTooLarge}},
		{0, "StorageReadError", []string{RowStorageRead}},
		{429, "", []string{RowTooManyRequests}},
		{302, "", []string{RowRedirect}},
		{403, "", []string{RowDenied, RowDeniedAfterWork, RowUnavailable}},
		{0, "NotFound", []string{RowDenied, RowDeniedAfterWork}},
		{500, "", []string{RowInvalidVersion, RowServerError}},
		{0, "InternalError", []string{RowServerError}},
		{0, "Timeout", []string{RowServerError}},
		{503, "", []string{RowUnavailable}},
		{422, "", []string{RowUnavailable, RowBadRequest}},
		{0, "Invalid", []string{RowBadRequest}},
		{415, "", []string{RowUnavailable, RowClientError}},
		{666, "", []string{RowUnavailable, RowErrorEvent, RowUnknown}},
		{0, "", nil},
		{0, "Odd", nil},
	} {
		t.Run(strconv.Itoa(tc.code)+" "+tc.reason, func(t *testing.T) {
			var got []string
			for _, row := range Explain(tc.code, tc.reason) {
				got = append(got, row.ID)
			}
			assert.Equal(t, tc.want, got)
		})
	}
}

func TestWords(t *testing.T) {
	assert.Equal(t, "resume relist probe skip stop 9", fmt.Sprint(Resume, Relist, Probe, Skip, Stop, Action(9)))
	assert.Equal(t, []string{"none", "0-100 ms", "0-1.55 s", "backoff", "-1"},
		[]string{DelayNone.String(), DelaySoon.String(), DelaySpread.String(), DelayBackoff.String(), Delay(-1).String()})
	assert.Equal(t, "Body(9)", Body(9).String())
	assert.Equal(t, "3 in a row, for 10s: stop", Escalation{After: 3, For: 10 * time.Second, Action: Stop}.String())
	assert.Equal(t, "status: idle", (&End{Kind: EndIdle}).Error())
	assert.Equal(t, "status: torn: unexpected EOF", (&End{Kind: EndTorn, Err: fmt.Errorf("unexpected EOF")}).Error())
}
