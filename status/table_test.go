package status

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// st is a Status body with a code and a reason.
func st(code int, reason string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":%q,"code":%d}`, reason, code)
}

func event(code int, reason string) *Error { return FromEvent([]byte(st(code, reason)), nil) }

func refused(code int, reason string) *Error { return answer(code, st(code, reason)) }

// dialed is a transport error as net/http returns it before there are headers.
func dialed(err error) error {
	return &url.Error{Op: "Get", URL: "https://server/", Err: &net.OpError{Op: "dial", Net: "tcp", Err: err}}
}

const (
	tooLargeBody = `{"kind":"Status","status":"Failure","message":"m","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"m"}],"retryAfterSeconds":1},"code":504}`
	page         = "<html><body>x</body></html>"
)

var (
	watched = Failure{Verb: Watch, Worked: true, Contact: true}
	first   = Failure{Verb: Watch}
	reached = Failure{Verb: Watch, Contact: true}
	listed  = Failure{Verb: List, Worked: true, Contact: true}
	chosen  = Failure{Verb: Watch, Contact: true, UserVersion: true}
)

func (f Failure) with(err error) Failure { f.Err = err; return f }

func (f Failure) on(s Stream) Failure { f.Stream = &s; return f }

// lived is a stream of five minutes that ended after age.
func lived(age time.Duration) Stream { return Stream{Age: age, Timeout: 5 * time.Minute, Events: 1} }

func quiet(age time.Duration, inARow int) Stream {
	return Stream{Age: age, Timeout: 5 * time.Minute, EmptyInARow: inARow}
}

func run(row string, count int, age time.Duration) Run { return Run{Row: row, Count: count, Age: age} }

type kubeconfigError struct{}

func (kubeconfigError) Error() string       { return "kubeconfig: exec plugin: not found" }
func (kubeconfigError) FailureKind() string { return "credentials" }

var cases = []struct {
	name    string
	failure Failure
	run     Run
	row     string
	action  Action
	delay   Delay
	err     error
}{
	// History is lost, in every form it takes.
	{"410 Gone with a Status", watched.with(refused(410, "Gone")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 with no body", watched.with(answer(410, "")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 as HTML", watched.with(answer(410, page)), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 as text", watched.with(answer(410, "gone")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"ERROR 410 Gone", watched.with(event(410, "Gone")).on(lived(0)), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"ERROR 410 Expired", watched.with(event(410, "Expired")).on(lived(0)), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"ERROR 410 without reason", watched.with(event(410, "")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"ERROR Expired without code", watched.with(FromEvent([]byte(`{"kind":"Status","reason":"Expired"}`), nil)), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"ERROR Expired with another code", watched.with(event(500, "Expired")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"HTTP 500 around Expired", watched.with(answer(500, st(410, "Expired"))), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 on a page of a list", listed.with(refused(410, "Expired")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 for the version of the user", chosen.with(event(410, "Expired")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 for the first request of all", first.with(refused(410, "Expired")), Run{}, RowExpired, Relist, DelaySpread, nil},
	{"410 again", watched.with(event(410, "Expired")), run(RowExpired, 1, 0), RowExpired, Relist, DelayBackoff, nil},

	{"a version the server has not reached", listed.with(answer(504, tooLargeBody)), Run{}, RowTooLarge, Resume, DelayBackoff, nil},
	{"the same as ERROR event", watched.with(FromEvent([]byte(tooLargeBody), nil)), run(RowTooLarge, 1, 0), RowTooLarge, Resume, DelayBackoff, nil},
	{"the same three times", watched.with(FromEvent([]byte(tooLargeBody), nil)), run(RowTooLarge, 2, 0), RowTooLarge, Relist, DelayBackoff, nil},
	{"the same three times for a list", listed.with(answer(504, tooLargeBody)), run(RowTooLarge, 2, 0), RowTooLarge, Relist, DelayBackoff, nil},

	{"an object that cannot be read", watched.with(event(500, "StorageReadError")), Run{}, RowStorageRead, Relist, DelaySpread, nil},
	{"an object that cannot be read, again", watched.with(event(500, "StorageReadError")), run(RowStorageRead, 1, 0), RowStorageRead, Relist, DelayBackoff, nil},

	{"429", watched.with(refused(429, "TooManyRequests")), Run{}, RowTooManyRequests, Resume, DelayBackoff, nil},
	{"429 as text", first.with(answer(429, "Too many requests, please try again later.\n")), Run{}, RowTooManyRequests, Resume, DelayBackoff, nil},
	{"429 as HTML", watched.with(answer(429, page)), Run{}, RowTooManyRequests, Resume, DelayBackoff, nil},
	{"ERROR 429", watched.with(event(429, "TooManyRequests")), Run{}, RowTooManyRequests, Resume, DelayBackoff, nil},
	{"429 for ever", watched.with(refused(429, "TooManyRequests")), run(RowTooManyRequests, 1e6, 240*time.Hour), RowTooManyRequests, Resume, DelayBackoff, nil},

	{"302 with its HTML", first.with(answer(302, page)), Run{}, RowRedirect, Stop, DelayNone, nil},
	{"307 after it had worked", watched.with(answer(307, "")), Run{}, RowRedirect, Stop, DelayNone, nil},

	{"401", first.with(refused(401, "Unauthorized")), Run{}, RowDenied, Stop, DelayNone, nil},
	{"403", reached.with(refused(403, "Forbidden")), Run{}, RowDenied, Stop, DelayNone, nil},
	{"403 with no body", reached.with(answer(403, "")), Run{}, RowDenied, Stop, DelayNone, nil},
	{"404 as text", reached.with(answer(404, "404 page not found\n")), Run{}, RowDenied, Stop, DelayNone, nil},
	{"405", reached.with(refused(405, "MethodNotAllowed")), Run{}, RowDenied, Stop, DelayNone, nil},
	{"ERROR 403", reached.with(event(403, "Forbidden")), Run{}, RowDenied, Stop, DelayNone, nil},
	{"403 as HTML from a server never reached", first.with(answer(403, page)), Run{}, RowDenied, Stop, DelayNone, nil},
	{"watch denied where list worked", Failure{Verb: Watch, Contact: true, Err: refused(403, "Forbidden")}, Run{}, RowDenied, Stop, DelayNone, nil},

	{"401 after it had worked", watched.with(refused(401, "Unauthorized")), Run{}, RowDeniedAfterWork, Resume, DelayBackoff, nil},
	{"404 after it had worked", watched.with(answer(404, "404 page not found\n")), Run{}, RowDeniedAfterWork, Resume, DelayBackoff, nil},
	{"403 just short of 2 min", watched.with(refused(403, "Forbidden")), run(RowDeniedAfterWork, 20, 2*time.Minute-1), RowDeniedAfterWork, Resume, DelayBackoff, nil},
	{"403 for 2 min", watched.with(refused(403, "Forbidden")), run(RowDeniedAfterWork, 3, 2*time.Minute), RowDeniedAfterWork, Stop, DelayNone, nil},
	{"404 for 2 min: the type is gone", watched.with(answer(404, "404 page not found\n")), run(RowDeniedAfterWork, 3, 2*time.Minute), RowDeniedAfterWork, Stop, DelayNone, ErrResourceGone},

	{"500 without reason for the user's version", chosen.with(answer(500, `{"kind":"Status","message":"m","code":500}`)), Run{}, RowInvalidVersion, Resume, DelayBackoff, nil},
	{"the same three times: it is invalid", chosen.with(answer(500, `{"kind":"Status","message":"m","code":500}`)), run(RowInvalidVersion, 2, 0), RowInvalidVersion, Stop, DelayNone, ErrInvalidResourceVersion},
	{"500 with a reason for the user's version", chosen.with(refused(500, "InternalError")), run(RowServerError, 1, 0), RowServerError, Resume, DelayBackoff, nil},
	{"500 from a proxy for the user's version", chosen.with(answer(500, page)), Run{}, RowServerError, Resume, DelayBackoff, nil},

	{"500", watched.with(refused(500, "InternalError")), Run{}, RowServerError, Resume, DelayBackoff, nil},
	{"500 with no Status", watched.with(answer(500, `{"error":"x"}`)), Run{}, RowServerError, Resume, DelayBackoff, nil},
	{"504 as HTML", watched.with(answer(504, page)), Run{}, RowServerError, Resume, DelayBackoff, nil},
	{"ERROR 500", watched.with(event(500, "ServerTimeout")).on(lived(time.Minute)), Run{}, RowServerError, Resume, DelayBackoff, nil},
	{"ERROR 504", watched.with(event(504, "Timeout")), run(RowServerError, 1, 0), RowServerError, Resume, DelayBackoff, nil},
	{"500, 504, 500: suspicion", watched.with(event(500, "InternalError")), run(RowServerError, 2, 0), RowServerError, Probe, DelayBackoff, nil},
	{"a list is its own probe", listed.with(refused(500, "InternalError")), run(RowServerError, 7, 0), RowServerError, Resume, DelayBackoff, nil},
	{"403 inside a 500 is no denial", watched.with(answer(500, st(403, "Forbidden"))), Run{}, RowServerError, Resume, DelayBackoff, nil},

	{"502 with no body", watched.with(answer(502, "")), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"503 as text", first.with(answer(503, "upstream")), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"503 many times", watched.with(refused(503, "ServiceUnavailable")), run(RowUnavailable, 99, 0), RowUnavailable, Resume, DelayBackoff, nil},
	{"408 as HTML", watched.with(answer(408, page)), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"520", watched.with(answer(520, "")), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"200 as HTML", watched.with(answer(200, page)), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"200 as HTML, seen by the decoder", watched.with(&End{Kind: EndHTML}).on(lived(0)), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"403 as HTML after it had worked", watched.with(answer(403, page)), run(RowUnavailable, 99, time.Hour), RowUnavailable, Resume, DelayBackoff, nil},
	{"404 as HTML once the server was reached", reached.with(answer(404, page)), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"400 as text once the server was reached", watched.with(answer(400, "bad gateway config")), Run{}, RowUnavailable, Resume, DelayBackoff, nil},
	{"413 as HTML once the server was reached", watched.with(answer(413, page)), Run{}, RowUnavailable, Resume, DelayBackoff, nil},

	{"400", watched.with(refused(400, "BadRequest")), Run{}, RowBadRequest, Stop, DelayNone, nil},
	{"422", first.with(refused(422, "Invalid")), Run{}, RowBadRequest, Stop, DelayNone, nil},
	{"http spoken to https", first.with(answer(400, "Client sent an HTTP request to an HTTPS server.\n")), Run{}, RowBadRequest, Stop, DelayNone, nil},
	{"ERROR 400", watched.with(event(400, "BadRequest")), Run{}, RowBadRequest, Stop, DelayNone, nil},
	{"406", watched.with(refused(406, "NotAcceptable")), Run{}, RowClientError, Stop, DelayNone, nil},
	{"413", watched.with(refused(413, "RequestEntityTooLarge")), Run{}, RowClientError, Stop, DelayNone, nil},
	{"415", watched.with(refused(415, "UnsupportedMediaType")), Run{}, RowClientError, Stop, DelayNone, nil},
	{"418 from a server never reached", first.with(answer(418, page)), Run{}, RowClientError, Stop, DelayNone, nil},

	{"ERROR null", watched.with(FromEvent([]byte("null"), nil)), Run{}, RowErrorEvent, Resume, DelayBackoff, nil},
	{"ERROR without object", watched.with(FromEvent(nil, nil)), Run{}, RowErrorEvent, Resume, DelayBackoff, nil},
	{"ERROR with a Pod", watched.with(FromEvent([]byte(`{"kind":"Pod","metadata":{"name":"a"}}`), nil)), Run{}, RowErrorEvent, Resume, DelayBackoff, nil},
	{"ERROR 666", watched.with(event(666, "")), Run{}, RowErrorEvent, Resume, DelayBackoff, nil},
	{"ERROR with a code that contradicts its reason", watched.with(event(666, "Forbidden")), Run{}, RowErrorEvent, Resume, DelayBackoff, nil},
	{"ERROR null three times: suspicion", watched.with(FromEvent(nil, nil)), run(RowErrorEvent, 2, 0), RowErrorEvent, Probe, DelayBackoff, nil},

	{"certificate", first.with(dialed(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})), Run{}, RowCertificate, Stop, DelayNone, nil},
	{"name in the certificate", first.with(dialed(x509.HostnameError{Host: "x", Certificate: &x509.Certificate{}})), Run{}, RowCertificate, Stop, DelayNone, nil},
	{"certificate after contact", watched.with(dialed(&tls.CertificateVerificationError{Err: x509.UnknownAuthorityError{}})), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"https spoken to http", first.with(dialed(http.ErrSchemeMismatch)), Run{}, RowPlainHTTP, Stop, DelayNone, nil},
	{"https spoken to something else", first.with(dialed(tls.RecordHeaderError{})), Run{}, RowPlainHTTP, Stop, DelayNone, nil},
	{"https spoken to http after contact", watched.with(dialed(http.ErrSchemeMismatch)), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"exec plugin", first.with(dialed(kubeconfigError{})), Run{}, RowCredentials, Stop, DelayNone, nil},
	{"exec plugin after contact", reached.with(dialed(kubeconfigError{})), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"refused", first.with(dialed(os.NewSyscallError("connect", syscall.ECONNREFUSED))), Run{}, RowUnreachable, Stop, DelayNone, nil},
	{"DNS", first.with(dialed(&net.DNSError{Name: "server", IsNotFound: true})), Run{}, RowUnreachable, Stop, DelayNone, nil},
	{"no route", first.with(dialed(os.NewSyscallError("connect", syscall.EHOSTUNREACH))), Run{}, RowUnreachable, Stop, DelayNone, nil},
	{"refused after contact", reached.with(dialed(os.NewSyscallError("connect", syscall.ECONNREFUSED))), run(RowConnect, 99, time.Hour), RowConnect, Resume, DelayBackoff, nil},

	{"a list in place of a stream", watched.with(&End{Kind: EndListBody}).on(lived(0)), Run{}, RowListBody, Resume, DelayBackoff, nil},
	{"a list in place of a stream three times", watched.with(&End{Kind: EndListBody}).on(lived(0)), run(RowListBody, 2, 0), RowListBody, Stop, DelayNone, ErrNotStream},
	{"an event over the limit", watched.with(&End{Kind: EndFrameSize}).on(lived(time.Minute)), Run{}, RowFrameSize, Resume, DelayBackoff, nil},
	{"an event over the limit twice", watched.with(&End{Kind: EndFrameSize}).on(lived(time.Minute)), run(RowFrameSize, 1, time.Minute), RowFrameSize, Stop, DelayNone, nil},
	{"a list item over the limit", listed.with(&End{Kind: EndFrameSize}), Run{}, RowFrameSize, Resume, DelayBackoff, nil},
	{"an event that is no JSON", watched.with(&End{Kind: EndBadFrame}).on(lived(time.Minute)), Run{}, RowBadFrame, Resume, DelayBackoff, nil},
	{"an event that is no JSON three times", watched.with(&End{Kind: EndBadFrame}).on(lived(0)), run(RowBadFrame, 2, 0), RowBadFrame, Probe, DelayBackoff, nil},
	{"a list that is no JSON three times", listed.with(&End{Kind: EndBadFrame}), run(RowBadFrame, 2, 0), RowBadFrame, Resume, DelayBackoff, nil},

	{"an event of unknown type", watched.with(&End{Kind: EndUnknownType}).on(lived(0)), Run{}, RowUnknownType, Skip, DelayNone, nil},

	{"full length, with nothing", watched.with(io.EOF).on(quiet(5*time.Minute, 1)), Run{}, RowQuietEnd, Probe, DelaySoon, nil},
	{"full length", watched.with(io.EOF).on(lived(5 * time.Minute)), Run{}, RowTimeoutEnd, Resume, DelaySoon, nil},
	{"full length again", watched.with(io.EOF).on(lived(5 * time.Minute)), run(RowTimeoutEnd, 9, time.Hour), RowTimeoutEnd, Resume, DelaySoon, nil},
	{"a second early", watched.with(io.EOF).on(lived(299 * time.Second)), Run{}, RowTimeoutEnd, Resume, DelaySoon, nil},
	{"more than a second early", watched.with(io.EOF).on(lived(299*time.Second - 1)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"more than a second late", watched.with(io.EOF).on(lived(301*time.Second + 1)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"a watch of one second", watched.with(io.EOF).on(Stream{Age: time.Second, Timeout: time.Second, Bookmarks: 1}), Run{}, RowTimeoutEnd, Resume, DelaySoon, nil},
	{"a quiet watch of one second", watched.with(io.EOF).on(Stream{Age: time.Second, Timeout: time.Second}), Run{}, RowQuietEnd, Probe, DelaySoon, nil},
	{"a watch of one second that ends at once", watched.with(io.EOF).on(Stream{Age: 5 * time.Millisecond, Timeout: time.Second}), Run{}, RowShortWatch, Resume, DelayBackoff, nil},

	{"short and empty", watched.with(io.EOF).on(quiet(5*time.Millisecond, 1)), Run{}, RowShortWatch, Resume, DelayBackoff, nil},
	{"short and empty, as net/http's body says it", watched.with(nil).on(quiet(5*time.Millisecond, 1)), Run{}, RowShortWatch, Resume, DelayBackoff, nil},
	{"short from headers that were held back", watched.with(io.EOF).on(Stream{Age: 3005 * time.Millisecond, Headers: 3 * time.Second, Timeout: time.Minute}), Run{}, RowShortWatch, Resume, DelayBackoff, nil},
	{"the tenth empty one", watched.with(&End{Kind: EndClean, Err: io.EOF}).on(quiet(time.Minute, 10)), Run{}, RowShortWatch, Resume, DelayBackoff, nil},
	{"short and empty three times: suspicion", watched.with(io.EOF).on(quiet(5*time.Millisecond, 3)), run(RowShortWatch, 2, 0), RowShortWatch, Probe, DelayBackoff, nil},
	{"short with a bookmark", watched.with(io.EOF).on(Stream{Age: time.Millisecond, Timeout: time.Minute, Bookmarks: 1}), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"empty but not short", watched.with(io.EOF).on(quiet(time.Second, 9)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"short, empty and torn", watched.with(io.ErrUnexpectedEOF).on(quiet(time.Millisecond, 0)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},

	{"idle", watched.with(&End{Kind: EndIdle}).on(lived(time.Minute)), Run{}, RowIdle, Resume, DelaySpread, nil},
	{"idle again", watched.with(&End{Kind: EndIdle}).on(lived(time.Minute)), run(RowIdle, 1, 0), RowIdle, Resume, DelayBackoff, nil},
	{"reset", watched.with(&net.OpError{Op: "read", Err: os.NewSyscallError("read", syscall.ECONNRESET)}).on(lived(time.Minute)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"GOAWAY", watched.with(errors.New("http2: server sent GOAWAY and closed the connection")).on(lived(time.Minute)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"torn at its timeout", watched.with(io.ErrUnexpectedEOF).on(lived(5 * time.Minute)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"torn again and again", watched.with(io.ErrUnexpectedEOF).on(lived(0)), run(RowBrokenStream, 99, time.Hour), RowBrokenStream, Resume, DelayBackoff, nil},
	{"a list that is cut", listed.with(&End{Kind: EndTorn, Err: io.ErrUnexpectedEOF}), Run{}, RowBrokenStream, Resume, DelaySpread, nil},
	{"a kind that is not known", watched.with(&End{Kind: "new"}).on(lived(0)), Run{}, RowBrokenStream, Resume, DelaySpread, nil},

	{"closed without an answer", first.with(&url.Error{Op: "Get", Err: io.EOF}), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"cut inside the headers", first.with(&url.Error{Op: "Get", Err: io.ErrUnexpectedEOF}), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"no headers in time", watched.with(&End{Kind: EndNoHeaders}), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"reset while dialling", first.with(dialed(os.NewSyscallError("read", syscall.ECONNRESET))), Run{}, RowConnect, Resume, DelayBackoff, nil},
	{"dial timeout", first.with(dialed(os.ErrDeadlineExceeded)), Run{}, RowConnect, Resume, DelayBackoff, nil},

	{"204", watched.with(answer(204, "")), Run{}, RowUnknown, Resume, DelayBackoff, nil},
	{"HTTP 666", first.with(answer(666, "")), Run{}, RowUnknown, Resume, DelayBackoff, nil},
	{"no error at all", first.with(nil), Run{}, RowUnknown, Resume, DelayBackoff, nil},
	{"a kind that is not known, without a stream", first.with(&End{Kind: "new"}), Run{}, RowUnknown, Resume, DelayBackoff, nil},
}

func TestVerdicts(t *testing.T) {
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			v := Decide(tc.failure, tc.run)
			assert.Equal(t, tc.row, v.Row, "row")
			assert.Equal(t, tc.action, v.Action, "action")
			assert.Equal(t, tc.delay, v.Delay, "delay")
			if v.Action == Stop {
				assert.Equal(t, tc.err, v.Err, "sentinel")
			}
			assert.Equal(t, v, Decide(tc.failure, tc.run), "Decide is pure")

			switch {
			case v.Action == Skip:
				assert.Equal(t, tc.run, v.Run)
			case tc.run.Row == v.Row:
				assert.Equal(t, Run{Row: v.Row, Count: tc.run.Count + 1, Age: tc.run.Age}, v.Run)
			default:
				assert.Equal(t, Run{Row: v.Row, Count: 1}, v.Run)
			}
		})
	}
}

// The message of an answer says nothing to the table.
func TestMessageDoesNotMatter(t *testing.T) {
	for _, tc := range cases {
		var e *Error
		if !errors.As(tc.failure.Err, &e) || e.Body != BodyStatus {
			continue
		}
		want := Decide(tc.failure, tc.run)
		for _, message := range []string{"", "too old resource version: 10 (77)", "Too large resource version", "Unauthorized"} {
			other := *e
			other.Message = message
			assert.Equal(t, want, Decide(tc.failure.with(&other), tc.run), "%s: %q", tc.name, message)
		}
	}
}

// Every row and every escalation is reached by a case above, so no row is
// hidden behind those before it.
func TestEveryRowIsReached(t *testing.T) {
	reached, escalated := map[string]bool{}, map[string]bool{}
	for _, tc := range cases {
		v := Decide(tc.failure, tc.run)
		reached[v.Row] = true
		if row := rowByID(v.Row); v.Action == row.Escalation.Action && v.Action != row.Action {
			escalated[v.Row] = true
		}
	}
	for _, row := range Table() {
		assert.True(t, reached[row.ID], "row %s is not reached", row.ID)
		assert.Equal(t, row.Escalation != (Escalation{}), escalated[row.ID], "escalation of %s", row.ID)
	}
	assert.Len(t, reached, len(table))
}

func TestRowsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range Table() {
		assert.False(t, seen[row.ID], "two rows %s", row.ID)
		seen[row.ID] = true
		assert.NotEmpty(t, row.Condition, row.ID)
		assert.NotEmpty(t, row.Why, row.ID)
		assert.NotContains(t, row.Condition+row.Why+row.Source+row.Hint, "\n", row.ID)
		if row.Action == Stop || row.Escalation.Action == Stop {
			assert.NotEmpty(t, row.Hint, "%s: a person is to read of it", row.ID)
		}
		if row.Action == Stop || row.Action == Skip {
			assert.Equal(t, DelayNone, row.Delay, row.ID)
			assert.Equal(t, DelayNone, row.Again, row.ID)
		} else {
			assert.NotEqual(t, DelayNone, row.Delay, "%s: nothing is tried again without a pause", row.ID)
			assert.GreaterOrEqual(t, row.Again, row.Delay, row.ID)
		}
	}
	Table()[0].ID = "changed"
	assert.Equal(t, RowExpired, Table()[0].ID, "Table returns a copy")
}

func TestTableAsText(t *testing.T) {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", Preamble)
	for _, row := range Table() {
		fmt.Fprintf(&out, "\n%s\n  if    %s\n  then  %s\n  why   %s\n", row.ID, row.Condition, row.Verdict(), row.Why)
		if row.Source != "" {
			fmt.Fprintf(&out, "  see   %s\n", row.Source)
		}
		if row.Hint != "" {
			fmt.Fprintf(&out, "  try   %s\n", row.Hint)
		}
	}
	const golden = "testdata/table.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String(), "run the test with -update after a change on purpose")
}
