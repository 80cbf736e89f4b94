package status

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The whole package reads as encoding/json would, asked for exact keys and for
// what stands before a cut. These tests ask it.

var oddBodies = []string{
	`{}`, `{ }`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{"a" 1}`, `{"a":1 "b":2}`, `{"a":1]`, `{]`, `{1:2}`,
	`{"kind":"Status"`, `{"kind":"Status",`, `{"kind":"Status","code":41`, `{"kind":"Status","code":410x}`, `{"kind":"Status" "code":410}`,
	`{"kind":"Status","code":0410}`, `{"kind":"Status","code":-}`, `{"kind":"Status","code":410.}`, `{"kind":"Status","code":4.1E+2}`, `{"kind":"Status","code":410e}`,
	`{"kind":"Status","code":+410}`, `{"kind":"Status","code":.5}`, `{"kind":"Status","code":"0x19A"}`, `{"kind":"Status","code":""}`, `{"kind":"Status","code":"410`,
	`{"kind":"Status","reason":"Expired","reason":7}`, `{"kind":"Status","reason":"Expired","reason":"Gone`, `{"reason":"Expired","reason":null}`,
	`{"kind":"Status","details":{"name":"a"},"details":{"kind":"b"}}`, `{"kind":"Status","details":{"name":"a"},"details":null}`, `{"kind":"Status","details":{"name":"a"`,
	`{"kind":"Status","details":{"causes":[{"reason":"a","reason":"b"},{}],"causes":[{ }, 1, [{}], {"field":"f"}]}}`,
	`{"kind":"Status","details":{"retryAfterSeconds":"Inf"}}`, `{"kind":"Status","details":["name"]}`, `{"kind":"Status","details":{"name":"a",}}`,
	`{"KIND":"Status"}`, `{"\u006bind":"\u0053tatus"}`, `{"kind\u0000":"Status"}`, "{\"kind\xff\":\"Status\"}", `{"kind":"Status","\ud83d\ude00":1,"code":410}`,
	`{"kind":"Status","message":"\"\\\/\b\f\n\r\t\u00e9\u20AC"}`, `{"kind":"Status","message":"\ud83d\ude00 \ud83d x \ude00 \ud83d\u0041 \ud83d\ud83d\ude00"}`,
	`{"kind":"Status","message":"\ud83d`, `{"kind":"Status","message":"\ud83d\n"}`, `{"kind":"Status","message":"\x41"}`, `{"kind":"Status","message":"\u12g4"}`, `{"kind":"Status","message":"\`,
	"{\"kind\":\"Status\",\"message\":\"\xe2\x82\"}", "{\"kind\":\"Status\",\"message\":\"\xed\xa0\xbd\xff\xf0\x9f\x98\x80\"}", "{\"kind\":\"Status\",\"message\":\"a\nb\"}", "{\"kind\":\"Status\",\"message\":\"\x7f\u2028\"}",
	"{\v\"kind\":\"Status\"}", "\t{\r\n\"kind\" :\t\"Status\" ,\"code\": 410 }\n", `{"error":"e","message":""}`, `{"error":"e","message":3}`, `{"error":["e"]}`,
	`{"kind":"Status","a":[[],{},[{"b":[1,{"c":null}]}],true,false,null,-0.5e-7],"code":410}`, `{"kind":"Status","a":[1,],"code":410}`, `{"kind":"Status","a":[1}],"code":410}`,
	`{"kind":"Status","a":{"b"},"code":410}`, `{"kind":"Status","a":{"b":1,},"code":410}`, `{"kind":"Status","a":[tru],"code":410}`, `{"kind":"Status","a":nullx,"code":410}`,
	`[]`, `[1,"a",{}]`, `[1,]`, `[`, `[1}`, `"s"`, `"s`, `1`, `-1.5e3`, `01`, `1 2`, `true`, `truely`, `nul`, "null\x00",
}

func TestBodiesAreReadLikeEncodingJSON(t *testing.T) {
	for _, body := range oddBodies {
		t.Run(body, func(t *testing.T) { sameAsStd(t, []byte(body)) })
	}
}

func TestRecordedBodiesCutAnywhereAreReadLikeEncodingJSON(t *testing.T) {
	for _, body := range recordedBodies(t) {
		for n := range len(body) {
			sameAsStd(t, body[:n+1])
		}
	}
}

// A limit that falls anywhere in a text cuts it between two characters.
func TestEscapesAreClippedBetweenCharacters(t *testing.T) {
	const quoted = `a\u00e9\u20ac\ud83d\ude00\ud83d\n€` + "\xff😀"
	var whole string
	require.NoError(t, json.Unmarshal([]byte(`"`+quoted+`"`), &whole))
	for limit := range len(whole) + 2 {
		assert.Equal(t, clip(whole, limit), string(unescape(nil, []byte(quoted), limit)), limit)
	}
}

// Depth costs no stack, and ends where encoding/json ends.
func TestDeepNesting(t *testing.T) {
	for _, depth := range []int{1, maxDepth, maxDepth + 1, 1 << 20} {
		for _, pair := range [][2]string{{"[", "]"}, {`{"":`, "}"}} {
			value := strings.Repeat(pair[0], depth-1) + "[]" + strings.Repeat(pair[1], depth-1)
			t.Run(fmt.Sprint(depth, pair[0]), func(t *testing.T) {
				assert.Equal(t, json.Valid([]byte(value)), valid([]byte(value)))
				sameAsStd(t, []byte(`{"code":409,"a":`+value+`,"kind":"Status","code":410}`))
				sameAsStd(t, []byte(`{"kind":"Status","a":`+value+`,"code":410}`))
			})
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, body := range oddBodies {
		f.Add([]byte(body))
	}
	for _, body := range recordedBodies(f) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) { sameAsStd(t, body) })
}

func BenchmarkParse(b *testing.B) {
	body := []byte(tooLargeBody)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		parse(body)
	}
}

func recordedBodies(t testing.TB) (bodies [][]byte) {
	names, err := filepath.Glob(filepath.Join(recordings, "*.http"))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		// Larger ones are lists, and quadratic work when cut anywhere.
		if _, body, _ := bytes.Cut(data, []byte("\r\n\r\n")); len(body) < 4<<10 {
			bodies = append(bodies, body)
		}
	}
	return bodies
}

func sameAsStd(t *testing.T, body []byte) {
	t.Helper()
	got, shape := parse(body)
	want, wantShape := stdParse(body)
	require.Equal(t, wantShape, shape, "%q", body)
	require.Equal(t, want, got, "%q", body)
}

// stdParse is parse, made from encoding/json.
func stdParse(body []byte) (Status, Body) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	switch {
	case len(body) == 0:
		return Status{}, BodyEmpty
	case string(body) == "null":
		return Status{}, BodyNull
	case body[0] == '<':
		return Status{}, BodyHTML
	case body[0] != '{' && json.Valid(body):
		return Status{}, BodyJSON
	}
	o, ok := stdObject(body)
	if !ok {
		return Status{Message: string(body[:min(len(body), maxBody)])}, BodyText
	}
	s := Status{Status: o.text("status", maxField), Message: o.text("message", maxBody), Reason: o.text("reason", maxField)}
	if o.text("kind", maxField) != "Status" && s.Status != "Failure" && s.Status != "Success" && CodeOf(s.Reason) == 0 {
		if s.Message == "" {
			s.Message = o.text("error", maxBody)
		}
		return Status{Message: s.Message}, BodyJSON
	}
	if o["code"] != nil {
		s.Code = code(o["code"])
	}
	details, _ := stdObject(o["details"])
	s.Group, s.Kind, s.Name = details.text("group", maxField), details.text("kind", maxField), details.text("name", maxField)
	if retry := details["retryAfterSeconds"]; retry != nil {
		s.RetryAfter = seconds(retry)
	}
	var causes []json.RawMessage
	json.Unmarshal(details["causes"], &causes)
	for _, value := range causes {
		if cause, ok := stdObject(value); ok && len(s.Causes) < maxCauses {
			s.Causes = append(s.Causes, Cause{cause.text("reason", maxField), cause.text("message", maxMessage), cause.text("field", maxField)})
		}
	}
	return s, BodyStatus
}

type stdMembers map[string]json.RawMessage

// stdObject reads the members before the end of an object, or before the first
// thing that is not JSON. A key counts even if its value does not.
func stdObject(data []byte) (members stdMembers, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	members = stdMembers{}
	for dec.More() {
		token, err := dec.Token()
		key, isKey := token.(string)
		if err != nil || !isKey {
			return members, len(members) > 0
		}
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return members, true
		}
		members[key] = value
	}
	_, err := dec.Token()
	return members, err == nil || len(members) > 0
}

func (o stdMembers) text(key string, limit int) string {
	var s string
	if value := o[key]; len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return clip(s, limit)
}
