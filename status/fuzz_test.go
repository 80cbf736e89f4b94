package status

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

// Whatever comes as a body or as the object of an ERROR event: no panic,
// bounded texts without control characters, hints within bounds, a verdict,
// and the same one the second time.
func FuzzStatus(f *testing.F) {
	names, err := filepath.Glob(filepath.Join(recordings, "*.http"))
	if err != nil || len(names) == 0 {
		f.Fatal("no recordings")
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if _, body, _ := strings.Cut(string(data), "\r\n\r\n"); len(body) < 4<<10 {
			f.Add([]byte(body), 500, "3")
		}
	}
	for _, s := range []string{"", "null", page, tooLargeBody, st(410, "Expired"), `{"kind":"Status","code":"4.1e2","details":{"causes":[{}],"retryAfterSeconds":1e300}}`,
		"Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "\x1b[2J\u202e\xff", "{\"message\":\"\\u0000\\ud800\"}", "\x1f\x8b\x08"} {
		f.Add([]byte(s), 403, "Mon, 30 Nov 2026 19:42:48 GMT")
	}
	f.Fuzz(func(t *testing.T, body []byte, code int, retry string) {
		fromEvent := FromEvent(body, nil)
		fromResponse := FromResponse(response(code, http.Header{"Retry-After": {retry}}, string(body)))
		for _, e := range []*Error{fromEvent, fromResponse} {
			checkText(t, e.Error(), 512)
			for _, s := range []string{e.Reason, e.Status.Status, e.Group, e.Kind, e.Name} {
				if len(s) > maxField {
					t.Fatalf("field of %d bytes", len(s))
				}
			}
			if len(e.Message) > maxMessage || len(e.Causes) > maxCauses {
				t.Fatalf("message of %d bytes, %d causes", len(e.Message), len(e.Causes))
			}
			if e.RetryAfter < 0 || e.RetryAfter > 5*time.Minute || e.RetryAfter < e.Status.RetryAfter {
				t.Fatalf("retry after %v, %v", e.RetryAfter, e.Status.RetryAfter)
			}
			if e.Code != 0 && (e.Code < 100 || e.Code > 999) {
				t.Fatalf("code %d", e.Code)
			}
			if e.Body == BodyHTML && strings.Contains(e.Error(), "<") {
				t.Fatalf("shows a page: %s", e)
			}
			v := Decide(Failure{Verb: Watch, Err: e, Worked: true}, Run{})
			if v != Decide(Failure{Verb: Watch, Err: e, Worked: true}, Run{}) || rowByID(v.Row) == nil {
				t.Fatalf("verdict %+v", v)
			}
		}
		if again := FromEvent(body, nil); again.Error() != fromEvent.Error() {
			t.Fatalf("%q, then %q", fromEvent, again)
		}
	})
}

func checkText(t *testing.T, s string, limit int) {
	t.Helper()
	if len(s) > limit {
		t.Fatalf("%d bytes: %q", len(s), s)
	}
	if !utf8.ValidString(s) {
		t.Fatalf("not UTF-8: %q", s)
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			t.Fatalf("%U in %q", r, s)
		}
	}
}
