package status

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const recordings = "../testdata/recordings"

// readRecording parses a recorded response, its bytes cut up by chop.
func readRecording(t *testing.T, name string, chop func(io.Reader) io.Reader) *http.Response {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(recordings, name+".http"))
	require.NoError(t, err)
	resp, err := http.ReadResponse(bufio.NewReader(chop(bytes.NewReader(data))), nil)
	require.NoError(t, err)
	return resp
}

// errorEvent returns the object of the ERROR event in a recorded watch.
func errorEvent(t *testing.T, resp *http.Response) []byte {
	t.Helper()
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
	for dec := json.NewDecoder(resp.Body); ; {
		var event struct {
			Type   string
			Object json.RawMessage
		}
		require.NoError(t, dec.Decode(&event), "no ERROR event")
		if event.Type == "ERROR" {
			return event.Object
		}
	}
}

var answers = []struct {
	recording string
	event     bool
	http      int
	code      int
	reason    string
	body      Body
	retry     time.Duration
	is        error
	verb      Verb
	row       string // for a verb that has not worked, on a server that was reached
	text      string
}{
	{"list-401", false, 401, 401, "Unauthorized", BodyStatus, 0, ErrUnauthorized, List, RowDenied,
		"status: 401 Unauthorized"},
	{"list-403", false, 403, 403, "Forbidden", BodyStatus, 0, ErrForbidden, List, RowDenied,
		`status: 403 Forbidden: configmaps is forbidden: User "viewer" cannot list resource "configmaps" in API group "" in the namespace "t"`},
	{"watch-403", false, 403, 403, "Forbidden", BodyStatus, 0, ErrForbidden, Watch, RowDenied,
		`status: 403 Forbidden: configmaps is forbidden: User "viewer" cannot watch resource "configmaps" in API group "" in the namespace "t"`},
	{"list-404-group", false, 404, 0, "", BodyText, 0, ErrNotFound, List, RowDenied,
		"status: 404 Not Found: 404 page not found"},
	{"list-404-resource", false, 404, 404, "NotFound", BodyStatus, 0, ErrNotFound, List, RowDenied,
		"status: 404 NotFound: the server could not find the requested resource"},
	{"watch-crd-gone-404", false, 404, 0, "", BodyText, 0, ErrNotFound, Watch, RowDenied,
		"status: 404 Not Found: 404 page not found"},
	{"watch-405", false, 405, 405, "MethodNotAllowed", BodyStatus, 0, ErrMethodNotAllowed, Watch, RowDenied,
		`status: 405 MethodNotAllowed: watch is not supported on resources of kind "componentstatuses"`},
	{"list-bad-limit-400", false, 400, 400, "BadRequest", BodyStatus, 0, nil, List, RowBadRequest,
		`status: 400 BadRequest: strconv.ParseInt: parsing "x": invalid syntax`},
	{"list-bad-selector-400", false, 400, 400, "BadRequest", BodyStatus, 0, nil, List, RowBadRequest,
		`status: 400 BadRequest: unable to parse requirement: found '!', expected: identifier`},
	{"watchlist-422", false, 422, 422, "Invalid", BodyStatus, 0, nil, Watch, RowBadRequest,
		`status: 422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`},
	{"list-410-continue-expired", false, 410, 410, "Expired", BodyStatus, 0, ErrExpired, List, RowExpired,
		"status: 410 Expired: The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided to…"},
	{"list-410-exact-rv", false, 410, 410, "Expired", BodyStatus, 0, ErrExpired, List, RowExpired,
		"status: 410 Expired: The resourceVersion for the provided list is too old."},
	{"list-rv-too-large", false, 504, 504, "Timeout", BodyStatus, time.Second, ErrUnavailable, List, RowTooLarge,
		"status: 504 Timeout: Timeout: Too large resource version: 99999999, current: 10365"},
	{"watch-rv-invalid", false, 500, 500, "", BodyStatus, 0, ErrUnavailable, Watch, RowServerError,
		`status: 500 Internal Server Error: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`},
	{"watch-410-too-old", true, 200, 410, "Expired", BodyStatus, 0, ErrExpired, Watch, RowExpired,
		"status: ERROR event: 410 Expired: too old resource version: 10340 (10371)"},
	{"events-stale-rv", true, 200, 410, "Expired", BodyStatus, 0, ErrExpired, Watch, RowExpired,
		"status: ERROR event: 410 Expired: The resourceVersion for the provided watch is too old."},
	{"watchlist-future-rv", true, 200, 504, "Timeout", BodyStatus, time.Second, ErrUnavailable, Watch, RowTooLarge,
		"status: ERROR event: 504 Timeout: Timeout: Too large resource version: 99999999, current: 10366"},
}

// Every answer a real API server was seen to refuse with is read the same
// whatever pieces it arrives in.
func TestRecordedAnswers(t *testing.T) {
	chops := map[string]func(io.Reader) io.Reader{
		"whole":    func(r io.Reader) io.Reader { return r },
		"one byte": iotest.OneByteReader,
		"half":     iotest.HalfReader,
		"data+err": iotest.DataErrReader,
	}
	for _, want := range answers {
		for how, chop := range chops {
			t.Run(want.recording+"/"+how, func(t *testing.T) {
				resp := readRecording(t, want.recording, chop)
				var got *Error
				if want.event {
					got = FromEvent(errorEvent(t, resp), nil)
				} else {
					got = FromResponse(resp)
				}
				assert.Equal(t, want.event, got.Event)
				assert.Equal(t, want.http, got.HTTPStatus)
				assert.Equal(t, want.code, got.Code)
				assert.Equal(t, want.reason, got.Reason)
				assert.Equal(t, want.body, got.Body)
				assert.Equal(t, want.retry, got.RetryAfter)
				assert.Equal(t, want.text, got.Error())
				assert.False(t, got.Cut)
				if want.is != nil {
					assert.ErrorIs(t, got, want.is)
				}
				v := Decide(Failure{Verb: want.verb, Err: got, Contact: true}, Run{})
				assert.Equal(t, want.row, v.Row)
				assert.Equal(t, want.retry, v.AtLeast)
			})
		}
	}
}

func TestRecordedDetails(t *testing.T) {
	whole := func(r io.Reader) io.Reader { return r }

	invalid := FromResponse(readRecording(t, "watchlist-422", whole))
	assert.Equal(t, "meta.k8s.io", invalid.Group)
	assert.Equal(t, "ListOptions", invalid.Kind)
	assert.Equal(t, []Cause{{
		Type:    "FieldValueForbidden",
		Message: "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
		Field:   "resourceVersionMatch",
	}}, invalid.Causes)

	denied := FromResponse(readRecording(t, "watch-403", whole))
	assert.Equal(t, "configmaps", denied.Kind)
	assert.Equal(t, "Failure", denied.Status.Status)
}

// The rest of the recordings of answers: a watch that the user started at
// "abc", and one that a shutdown ended.
func TestRecordedHistory(t *testing.T) {
	whole := func(r io.Reader) io.Reader { return r }
	invalid := Failure{Verb: Watch, Err: FromResponse(readRecording(t, "watch-rv-invalid", whole)), UserVersion: true}
	var run Run
	for _, want := range []Action{Resume, Resume, Stop} {
		v := Decide(invalid, run)
		require.Equal(t, RowInvalidVersion, v.Row)
		require.Equal(t, want, v.Action)
		run = v.Run
		if want == Stop {
			require.ErrorIs(t, v.Err, ErrInvalidResourceVersion)
		}
	}

	resp := readRecording(t, "watch-apiserver-shutdown", whole)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err, "a shutdown ends the stream clean")
	resp.Body.Close()
	require.Contains(t, string(body), "BOOKMARK")
	v := Decide(Failure{Verb: Watch, Err: io.EOF, Worked: true,
		Stream: &Stream{Age: 8 * time.Second, Timeout: 300 * time.Second, Bookmarks: 1}}, Run{})
	require.Equal(t, RowBrokenStream, v.Row)
	require.Equal(t, DelaySpread, v.Delay)

	gone := FromResponse(readRecording(t, "watch-crd-gone-404", whole))
	v = Decide(Failure{Verb: Watch, Err: gone, Worked: true}, Run{Row: RowDeniedAfterWork, Count: 9, Age: 2 * time.Minute})
	require.Equal(t, Stop, v.Action)
	require.ErrorIs(t, v.Err, ErrResourceGone)
}
