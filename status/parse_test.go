package status

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestShapeOfBody(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		want       Body
		message    string
	}{
		{"nothing", "", BodyEmpty, ""},
		{"white space", " \r\n\t", BodyEmpty, ""},
		{"null", "null\n", BodyNull, ""},
		{"a Status", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"m","code":403}`, BodyStatus, "m"},
		{"a Status without kind, as the list deadline writes it", `{"metadata":{},"status":"Failure","message":"m","reason":"Timeout","details":{},"code":504}`, BodyStatus, "m"},
		{"only a kind", `{"kind":"Status"}`, BodyStatus, ""},
		{"only a known reason", `{"reason":"Expired"}`, BodyStatus, ""},
		{"a pretty-printed Status", "{\n  \"kind\": \"Status\",\n  \"message\": \"m\"\n}", BodyStatus, "m"},
		{"a Status after a byte order mark", "\xef\xbb\xbf{\"kind\":\"Status\"}", BodyStatus, ""},
		{"a Status and more", `{"kind":"Status","message":"m"}{"kind":"Status"}`, BodyStatus, "m"},
		{"a Pod, whose status is an object", `{"kind":"Pod","status":{"reason":"Expired"}}`, BodyJSON, ""},
		{"a Secret", `{"kind":"Secret","data":{"message":"aGVsbG8="}}`, BodyJSON, ""},
		{"a gateway's JSON", `{"message":"no Route matched"}`, BodyJSON, "no Route matched"},
		{"another gateway's JSON", `{"error":"x"}`, BodyJSON, "x"},
		{"empty object", `{}`, BodyJSON, ""},
		{"array", `[1]`, BodyJSON, ""},
		{"string", `"m"`, BodyJSON, ""},
		{"upper-case keys are other keys", `{"Kind":"Status","Reason":"Expired","Code":410}`, BodyJSON, ""},
		{"the last of duplicate keys wins", `{"kind":"Status","message":"a","message":"b"}`, BodyStatus, "b"},
		{"HTML", "<html><body>x</body></html>", BodyHTML, ""},
		{"HTML after blank lines", "\r\n\n<!DOCTYPE html>", BodyHTML, ""},
		{"XML", "<?xml version='1.0'?>", BodyHTML, ""},
		{"text", "404 page not found\n", BodyText, "404 page not found"},
		{"text that starts like JSON", "{oops", BodyText, "{oops"},
		{"text in brackets", "[error] upstream", BodyText, "[error] upstream"},
		{"bytes", "\x00\xff", BodyText, "\x00\xff"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, body := parse([]byte(tc.body))
			assert.Equal(t, tc.want, body)
			assert.Equal(t, tc.message, s.Message)
		})
	}
}

func TestFieldsAreReadLeniently(t *testing.T) {
	for _, tc := range []struct {
		name, members string
		want          Status
	}{
		{"code as a string", `"code":"410"`, Status{Code: 410}},
		{"code as a float", `"code":410.0`, Status{Code: 410}},
		{"code with an exponent", `"code":4.1e2`, Status{}},
		{"code with a fraction", `"code":410.5`, Status{}},
		{"code that is none", `"code":99999999999999999999`, Status{}},
		{"code beyond all floats", `"code":1e999`, Status{}},
		{"negative code", `"code":-410`, Status{}},
		{"code as an object", `"code":{"x":410}`, Status{}},
		{"null members", `"code":null,"reason":null,"message":null,"details":null,"metadata":null`, Status{}},
		{"members of the wrong type", `"reason":410,"message":["m"],"details":"d"`, Status{}},
		{"details", `"details":{"group":"g","kind":"k","name":"n","retryAfterSeconds":2}`,
			Status{Group: "g", Kind: "k", Name: "n", RetryAfter: 2 * time.Second}},
		{"retry as a string", `"details":{"retryAfterSeconds":"3"}`, Status{RetryAfter: 3 * time.Second}},
		{"retry as a float", `"details":{"retryAfterSeconds":1.5}`, Status{RetryAfter: 1500 * time.Millisecond}},
		{"negative retry", `"details":{"retryAfterSeconds":-2}`, Status{}},
		{"absurd retry", `"details":{"retryAfterSeconds":9223372036854775807}`, Status{RetryAfter: 5 * time.Minute}},
		{"retry that is no number", `"details":{"retryAfterSeconds":"soon"}`, Status{}},
		{"retry that is NaN", `"details":{"retryAfterSeconds":"NaN"}`, Status{}},
		{"causes", `"details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"m","field":"f"}]}`,
			Status{Causes: []Cause{{Type: "ResourceVersionTooLarge", Message: "m", Field: "f"}}}},
		{"null causes", `"details":{"causes":null}`, Status{}},
		{"causes that are none", `"details":{"causes":[1,null,"x",{"reason":"a"}]}`, Status{Causes: []Cause{{Type: "a"}}}},
		{"causes as an object", `"details":{"causes":{"reason":"a"}}`, Status{}},
		{"invalid UTF-8", "\"message\":\"a\xffb\"", Status{Message: "a�b"}},
		{"half a surrogate", `"message":"a\ud800b"`, Status{Message: "a�b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, body := parse([]byte(`{"kind":"Status",` + tc.members + `}`))
			assert.Equal(t, BodyStatus, body)
			assert.Equal(t, tc.want, got)
		})
	}
}

// A body that is cut off somewhere gives what came before the cut, and never
// more than the whole one.
func TestStatusCutAnywhere(t *testing.T) {
	const whole = `{"kind":"Status","reason":"Expired","code":410,"message":"too old"}`
	for n := range len(whole) {
		s, body := parse([]byte(whole[:n]))
		if n >= len(`{"kind":"Status"`) {
			require.Equal(t, BodyStatus, body, whole[:n])
		}
		if n >= len(`{"kind":"Status","reason":"Expired"`) {
			require.Equal(t, "Expired", s.Reason, whole[:n])
		}
		require.Contains(t, []int{0, 410}, s.Code, whole[:n])
		if body == BodyStatus && n < len(whole)-1 {
			require.Empty(t, s.Message, "half a message: %s", whole[:n])
		}
	}
}

func TestTextsAreClipped(t *testing.T) {
	long := strings.Repeat("é", 40<<10)
	e := FromEvent([]byte(fmt.Sprintf(
		`{"kind":"Status","message":%q,"reason":%[1]q,"code":410,"details":{"name":%[1]q,"causes":[%s{}]}}`,
		long, strings.Repeat(`{"reason":"r"},`, 100))), nil)
	assert.Equal(t, 410, e.Code, "what comes after a long message still counts")
	assert.Len(t, e.Message, 4<<10)
	assert.Len(t, e.Reason, 256)
	assert.Len(t, e.Name, 256)
	assert.Len(t, e.Causes, 32)
	assert.ErrorIs(t, e, ErrExpired)
	assert.LessOrEqual(t, len(e.Error()), 512)
	assert.NotContains(t, e.Message, "�", "cut between characters")
}

func TestErrorText(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  *Error
		want string
	}{
		{"no event object", FromEvent(nil, nil), "status: ERROR event: no code and no reason"},
		{"null", FromEvent([]byte("null"), nil), "status: ERROR event: no code and no reason: null"},
		{"an object in place of a Status is not shown", FromEvent([]byte(`{"kind":"Secret","data":{"p":"aHVudGVyMg=="}}`), nil),
			"status: ERROR event: no code and no reason: JSON that is not a Status, 45 bytes"},
		{"a reason alone", FromEvent([]byte(`{"kind":"Status","reason":"Expired"}`), nil), "status: ERROR event: 410 Expired"},
		{"an unknown code", FromEvent([]byte(`{"kind":"Status","code":666,"message":"m"}`), nil), "status: ERROR event: 666: m"},
		{"an unknown reason", FromEvent([]byte(`{"kind":"Status","reason":"Odd","message":"m"}`), nil), "status: ERROR event: Odd: m"},
		{"HTML is not shown", answer(502, "<html><body>secret page</body></html>"), "status: 502 Bad Gateway: HTML page, 37 bytes"},
		{"no body", answer(503, ""), "status: 503 Service Unavailable"},
		{"codes that differ", answer(500, `{"kind":"Status","code":410}`), "status: 500 Internal Server Error (code 410 inside)"},
		{"several lines", answer(403, "{\n\"kind\":\"Status\",\"message\":\"a\\nb\\r\\tc\"}"), `status: 403 Forbidden: a\nb\r\tc`},
		{"escape sequences", answer(400, "\x1b[31mred\u202e\u009b\x00"), `status: 400 Bad Request: \x1b[31mred\u202e\u009b\x00`},
		{"bytes that are not UTF-8", answer(400, "a\xffb"), `status: 400 Bad Request: a\xffb`},
	} {
		t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.want, tc.err.Error()) })
	}
}

func TestSentinels(t *testing.T) {
	all := map[string]error{
		"expired": ErrExpired, "unauthorized": ErrUnauthorized, "forbidden": ErrForbidden, "not found": ErrNotFound,
		"method": ErrMethodNotAllowed, "too many": ErrTooManyRequests, "unavailable": ErrUnavailable, "redirect": ErrRedirect,
	}
	for _, tc := range []struct {
		err  *Error
		want string
	}{
		{answer(410, ""), "expired"},
		{answer(410, "<html/>"), "expired"},
		{answer(200, `{"kind":"Status","reason":"Gone"}`), "expired"},
		{FromEvent([]byte(`{"code":410,"status":"Failure"}`), nil), "expired"},
		{answer(401, ""), "unauthorized"},
		{answer(403, ""), "forbidden"},
		{FromEvent([]byte(`{"kind":"Status","reason":"Forbidden"}`), nil), "forbidden"},
		{answer(404, "404 page not found"), "not found"},
		{answer(405, ""), "method"},
		{answer(429, "Too many requests, please try again later.\n"), "too many"},
		{answer(408, ""), "unavailable"},
		{answer(502, ""), "unavailable"},
		{answer(599, ""), "unavailable"},
		{answer(302, ""), "redirect"},
		{answer(418, ""), ""},
		{FromEvent(nil, nil), ""},
	} {
		for name, sentinel := range all {
			assert.Equal(t, name == tc.want, tc.err.Is(sentinel), "%v is %s", tc.err, name)
		}
		assert.False(t, tc.err.Is(ErrInvalidResourceVersion) || tc.err.Is(ErrResourceGone) || tc.err.Is(ErrNotStream))
	}
}

// answer reads a response without headers.
func answer(code int, body string) *Error {
	return FromResponse(response(code, nil, body))
}

func response(code int, header http.Header, body string) *http.Response {
	return &http.Response{StatusCode: code, Header: header, Body: newBody(strings.NewReader(body))}
}
