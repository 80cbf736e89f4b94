package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// scanCases are frames and what is to be found in them. want is "" for
// frames that are no JSON, and "shape KIND" for JSON that is no event.
// All of them are fuzz seeds too.
var scanCases = []struct{ name, frame, want string }{
	// Views.
	{"object", `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"}}}`, "ADDED Pod v1 n/a rv=7 uid=u"},
	{"sorted keys", `{"object":{"apiVersion":"v1","kind":"Pod","metadata":{"annotations":{},"name":"a","namespace":"n","resourceVersion":"7","uid":"u"},"spec":{}},"type":"ADDED"}`, "ADDED Pod v1 n/a rv=7 uid=u"},
	{"metadata last", `{"type":"ADDED","object":{"alpha":[1,{"metadata":{"name":"wrong"}}],"kind":"Pod","metadata":{"name":"a"}}}`, "ADDED Pod  /a"},
	{"table", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"columnDefinitions":null,"rows":[{"cells":["a"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7"}}}]}}`, "ADDED Table meta.k8s.io/v1 n/a rv=9 uid=u"},
	{"table, kind after rows", `{"type":"ADDED","object":{"rows":[{"object":{"metadata":{"name":"a"}},"cells":[]}],"metadata":{"resourceVersion":"9","name":"own"},"apiVersion":"meta.k8s.io/v1","kind":"Table"}}`, "ADDED Table meta.k8s.io/v1 /a rv=9"},
	{"table, identity in the first row only", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"name":"a"}}},{"object":{"metadata":{"name":"b"}}}]}}`, "ADDED Table meta.k8s.io/v1 /a"},
	{"table, no object in the row", `{"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"rows":[{"cells":["a"],"object":null}]}}`, "BOOKMARK Table meta.k8s.io/v1 / rv=9"},
	{"table, rows of the wrong type", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[null,1]}}`, "ADDED Table meta.k8s.io/v1 /"},
	{"table, rows null", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":null}}`, "ADDED Table meta.k8s.io/v1 /"},
	{"table, rows empty", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[ ]}}`, "ADDED Table meta.k8s.io/v1 /"},
	{"table, end marker in the row", `{"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"9"},"rows":[{"cells":["",0,"\u003cunknown\u003e"],"object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"}}}}]}}`, "BOOKMARK Table meta.k8s.io/v1 / rv=9 END"},
	{"a custom resource of kind Table", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"db.example.com/v1","metadata":{"name":"own"},"rows":[{"object":{"metadata":{"name":"row"}}}]}}`, "ADDED Table db.example.com/v1 /own"},
	{"rows in another kind", `{"type":"ADDED","object":{"kind":"Sheet","metadata":{"name":"own"},"rows":[{"object":{"metadata":{"name":"row"}}}]}}`, "ADDED Sheet  /own"},
	{"status", `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":410}}`, "ERROR Status v1 /"},

	// Bookmarks.
	{"skeletal bookmark", `{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"77","creationTimestamp":null},"spec":{"containers":null},"status":{}}}`, "BOOKMARK Pod v1 / rv=77"},
	{"bookmark with an empty name", `{"type":"BOOKMARK","object":{"metadata":{"name":"","resourceVersion":"78"}}}`, "BOOKMARK  / rv=78"},
	{"end marker", `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"78","annotations":{"a":"b","k8s.io/initial-events-end":"true"}}}}`, "BOOKMARK  / rv=78 END"},
	{"end marker false", `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"false"}}}}`, "BOOKMARK  /"},
	{"end marker of the wrong type", `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":true}}}}`, "BOOKMARK  /"},
	{"end marker with escapes", `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s\u002eio\/initial-events-end":"tr\u0075e"}}}}`, "BOOKMARK  / END"},
	{"end marker in a label", `{"type":"BOOKMARK","object":{"metadata":{"labels":{"k8s.io/initial-events-end":"true"}}}}`, "BOOKMARK  /"},
	{"annotations of the wrong type", `{"type":"BOOKMARK","object":{"metadata":{"annotations":["k8s.io/initial-events-end","true"]}}}`, "BOOKMARK  /"},

	// Fields of other types are absent.
	{"no object", `{"type":"ADDED"}`, "ADDED   /"},
	{"object null", `{"type":"ERROR","object":null}`, "ERROR   /"},
	{"object a number", `{"type":"ERROR","object":-1.5e+3}`, "ERROR   /"},
	{"object a string", `{"type":"ERROR","object":"x"}`, "ERROR   /"},
	{"object an array", `{"type":"ERROR","object":[{"kind":"Pod"}]}`, "ERROR   /"},
	{"metadata null", `{"type":"ADDED","object":{"kind":"Pod","metadata":null}}`, "ADDED Pod  /"},
	{"metadata an array", `{"type":"ADDED","object":{"kind":"Pod","metadata":[{"name":"a"}]}}`, "ADDED Pod  /"},
	{"name null", `{"type":"ADDED","object":{"metadata":{"name":null,"uid":"u"}}}`, "ADDED  / uid=u"},
	{"name an object", `{"type":"ADDED","object":{"metadata":{"name":{"name":"no"},"uid":"u"}}}`, "ADDED  / uid=u"},
	{"kind a bool", `{"type":"ADDED","object":{"kind":true,"apiVersion":false}}`, "ADDED   /"},
	{"no resourceVersion", `{"type":"MODIFIED","object":{"kind":"ConfigMap","metadata":{"name":"a"}}}`, "MODIFIED ConfigMap  /a"},
	{"resourceVersion null", `{"type":"MODIFIED","object":{"metadata":{"resourceVersion":null}}}`, "MODIFIED  /"},
	{"resourceVersion empty", `{"type":"MODIFIED","object":{"metadata":{"resourceVersion":""}}}`, "MODIFIED  / rv="},
	{"resourceVersion a number", `{"type":"MODIFIED","object":{"metadata":{"resourceVersion":99999999999999999999}}}`, "MODIFIED  / rv=99999999999999999999"},
	{"resourceVersion a wild number", `{"type":"MODIFIED","object":{"metadata":{"resourceVersion":-1.50e+3}}}`, "MODIFIED  / rv=-1.50e+3"},
	{"resourceVersion opaque", `{"type":"MODIFIED","object":{"metadata":{"resourceVersion":"v:7/é &"}}}`, "MODIFIED  / rv=v:7/é &"},

	// Keys.
	{"case counts in the frame", `{"type":"ADDED","Type":"DELETED"}`, "ADDED   /"},
	{"case counts in the object", `{"type":"ADDED","object":{"metadata":{"resourceVersion":"5"},"Metadata":{"resourceversion":"9"}}}`, "ADDED  / rv=5"},
	{"escaped keys", `{"\u0074ype":"ADDED","o\u0062ject":{"\u006betadata":1,"\u006d\u0065tadata":{"\u006eame":"a"}}}`, "ADDED  /a"},
	{"key with a surrogate pair", `{"type":"ADDED","object":{"metadata":{"\ud83d\ude00":1,"name":"a"}}}`, "ADDED  /a"},
	{"empty key", `{"":1,"type":"ADDED","":"x"}`, "ADDED   /"},

	// Duplicates: the last one counts, as a whole.
	{"two types", `{"type":"ADDED","type":"DELETED"}`, "DELETED   /"},
	{"two types, the last null", `{"type":"ADDED","type":null}`, "shape "},
	{"two types, one escaped", `{"type":"ADDED","\u0074ype":"DELETED"}`, "DELETED   /"},
	{"two names", `{"type":"ADDED","object":{"metadata":{"name":"a","name":"b"}}}`, "ADDED  /b"},
	{"two names, the last a number", `{"type":"ADDED","object":{"metadata":{"name":"a","name":1}}}`, "ADDED  /"},
	{"two metadata do not merge", `{"type":"ADDED","object":{"metadata":{"name":"a"},"metadata":{"uid":"u"}}}`, "ADDED  / uid=u"},
	{"two metadata, the last null", `{"type":"ADDED","object":{"metadata":{"name":"a"},"metadata":null}}`, "ADDED  /"},
	{"two objects do not merge", `{"type":"ADDED","object":{"kind":"A","metadata":{"name":"a"}},"object":{"metadata":{"uid":"u"}}}`, "ADDED  / uid=u"},
	{"two objects, the last null", `{"type":"ADDED","object":{"kind":"A"},"object":null}`, "ADDED   /"},
	{"two annotations", `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true"},"annotations":{}}}}`, "BOOKMARK  /"},
	{"two end markers", `{"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"true","k8s.io/initial-events-end":"no"}}}}`, "BOOKMARK  /"},
	{"two rows", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"name":"a"}}}],"rows":[]}}`, "ADDED Table meta.k8s.io/v1 /"},
	{"two objects in a row", `{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"name":"a"}},"object":null}]}}`, "ADDED Table meta.k8s.io/v1 /"},

	// Strings.
	{"escapes in values", `{"type":"\u0041DDED","object":{"metadata":{"name":"\"\\\/\b\f\n\r\t","uid":"\u00e9\u2603"}}}`, "ADDED  /\"\\/\b\f\n\r\t uid=é☃"},
	{"hexadecimal digits of both cases", `{"type":"x","object":{"metadata":{"name":"\u00E9\uD83D\uDE00\u00aB"}}}`, "x  /é😀«"},
	{"surrogate pair", `{"type":"x","object":{"metadata":{"name":"\ud83d\ude00"}}}`, "x  /😀"},
	{"high surrogate alone", `{"type":"x","object":{"metadata":{"name":"\ud83dx"}}}`, "x  /\ufffdx"},
	{"low surrogate alone", `{"type":"x","object":{"metadata":{"name":"\ude00\\"}}}`, "x  /\ufffd\\"},
	{"two high surrogates and a low one", `{"type":"x","object":{"metadata":{"name":"\ud83d\ud83d\ude00"}}}`, "x  /\ufffd😀"},
	{"surrogates the wrong way round", `{"type":"x","object":{"metadata":{"name":"\ude00\ud83d"}}}`, "x  /\ufffd\ufffd"},
	{"surrogate and another escape", `{"type":"x","object":{"metadata":{"name":"\ud83d\u0041\ud83d\n"}}}`, "x  /\ufffdA\ufffd\n"},
	{"not UTF-8", "{\"type\":\"x\",\"object\":{\"metadata\":{\"name\":\"a\xff\xc3(\\n\"}}}", "x  /a\xff\xc3(\n"},
	{"any type", `{"type":"","object":{}}`, "   /"},
	{"DEL is plain", "{\"type\":\"\x7f\"}", "\x7f   /"},

	// White space and numbers.
	{"white space everywhere", " \t{ \r\"type\" : \"ADDED\" , \"object\" : { \"metadata\" : { \"name\" : \"a\" } , \"x\" : [ ] , \"y\" : { } , \"z\" : [ 1 , 2 ] } } \r", "ADDED  /a"},
	{"numbers", `{"type":"x","n":[0,-0,1,-12,0.5,1e3,1E+3,1.25e-3,9007199254740993]}`, "x   /"},
	{"literals", `{"type":"x","l":[true,false,null]}`, "x   /"},

	// JSON, but no event.
	{"list instead of a stream", `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[]}`, "shape ConfigMapList"},
	{"list with the kind last", `{"apiVersion":"v1","items":[{"kind":"Widget"}],"kind":"WidgetList"}`, "shape WidgetList"},
	{"status instead of a stream", `{"kind":"Status","code":404}`, "shape Status"},
	{"error of another kind", `{"error":"x"}`, "shape "},
	{"type null", `{"type":null,"object":{}}`, "shape "},
	{"empty object", `{}`, "shape "},
	{"array", `[1,{"type":"ADDED"}]`, "shape "},
	{"string", `"ADDED"`, "shape "},
	{"number", `404`, "shape "},
	{"literal", `null`, "shape "},

	// Not JSON.
	{"nothing", ``, ""},
	{"blank", ` `, ""},
	{"html", `<html>`, ""},
	{"cut in a key", `{"type":"ADDED","obj`, ""},
	{"cut in an object", `{"type":"ADDED","object":{"metadata":{"name":"b","resourceVersion":"12"`, ""},
	{"cut behind a backslash", `{"type":"ADDED\`, ""},
	{"cut in an escape", `{"type":"\u00`, ""},
	{"cut in a literal", `{"type":"x","a":tru`, ""},
	{"cut in a number", `{"type":"x","a":1.`, ""},
	{"two values", `{"type":"ADDED"}{"type":"ADDED"}`, ""},
	{"comma behind", `{"type":"ADDED"},`, ""},
	{"brace behind", `{"type":"ADDED"}}`, ""},
	{"trailing comma in an object", `{"type":"ADDED",}`, ""},
	{"trailing comma in an array", `{"type":"ADDED","a":[1,]}`, ""},
	{"trailing comma inside", `{"type":"ADDED","a":{"b":{},}}`, ""},
	{"leading comma", `{,"type":"ADDED"}`, ""},
	{"only a comma", `{"type":"x","a":[,]}`, ""},
	{"no colon", `{"type" "ADDED"}`, ""},
	{"no colon inside", `{"type":"x","a":{"b"}}`, ""},
	{"two colons", `{"type":"x","a":{"b"::1}}`, ""},
	{"no comma", `{"type":"ADDED" "object":{}}`, ""},
	{"no comma inside", `{"type":"x","a":{"b":1 "c":2}}`, ""},
	{"no comma in an array", `{"type":"x","a":[1 2]}`, ""},
	{"key no string", `{"type":"x","a":{1:2}}`, ""},
	{"wrong bracket", `{"type":"x","a":[1}}`, ""},
	{"wrong brace", `{"type":"x","a":{"b":1]}`, ""},
	{"unquoted", `{"type":ADDED}`, ""},
	{"single quotes", `{'type':'ADDED'}`, ""},
	{"newline in a string", "{\"type\":\"x\",\"a\":\"abcdefghi\nj\"}", ""},
	{"zero byte in a string", "{\"type\":\"x\x00\"}", ""},
	{"control character", "{\"type\":\"x\",\"a\":\"\x1f\"}", ""},
	{"bad escape", `{"type":"x","a":"\x41"}`, ""},
	{"bad escape in a wanted string", `{"type":"\a"}`, ""},
	{"bad hex", `{"type":"x","a":"\u00g0"}`, ""},
	{"short hex", `{"type":"x","a":"\u00"}`, ""},
	{"leading zero", `{"type":"x","a":01}`, ""},
	{"leading plus", `{"type":"x","a":+1}`, ""},
	{"minus alone", `{"type":"x","a":-}`, ""},
	{"no digits behind the point", `{"type":"x","a":1.}`, ""},
	{"no digits before the point", `{"type":"x","a":.5}`, ""},
	{"no digits in the exponent", `{"type":"x","a":1e+}`, ""},
	{"bad resourceVersion number", `{"type":"x","object":{"metadata":{"resourceVersion":01}}}`, ""},
	{"bad literal", `{"type":"x","a":nul}`, ""},
	{"long literal", `{"type":"x","a":nulll}`, ""},
	{"upper-case literal", `{"type":"x","a":True}`, ""},
	{"NaN", `{"type":"x","a":NaN}`, ""},
	{"comment", `{"type":"x"/**/}`, ""},
	{"byte order mark", "\ufeff{\"type\":\"x\"}", ""},
	{"form feed", "{\"type\":\f\"x\"}", ""},
	{"no-break space", "{\"type\":\u00a0\"x\"}", ""},
}

func TestScanFindsTheFields(t *testing.T) {
	for _, c := range scanCases {
		t.Run(c.name, func(t *testing.T) {
			var ev Event
			err := ScanEvent([]byte(c.frame), &ev)
			switch {
			case c.want == "":
				var syntax *SyntaxError
				require.ErrorAs(t, err, &syntax)
				require.LessOrEqual(t, syntax.Offset, int64(len(c.frame)))
			case strings.HasPrefix(c.want, "shape "):
				sameError(t, &ShapeError{Kind: c.want[len("shape "):], Index: -1}, err)
			default:
				require.NoError(t, err)
				require.Equal(t, squeeze(c.want), squeeze(string(ev.Type)+" "+line(&ev.Meta)))
			}
			agreesWithEncodingJSON(t, []byte(c.frame))
		})
	}
}

// squeeze makes one space of many: absent fields leave some.
func squeeze(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' }), " ")
}

// agreesWithEncodingJSON compares every way of scanning b with the same fields
// looked up in maps that encoding/json has filled.
func agreesWithEncodingJSON(t *testing.T, b []byte) {
	t.Helper()
	before := bytes.Clone(b)
	var ev Event
	err := ScanEvent(b, &ev)
	wantType, wantObject, wantMeta, isEvent := lookUpEvent(b)

	var syntax *SyntaxError
	var shape *ShapeError
	switch {
	case !json.Valid(b):
		require.ErrorAs(t, err, &syntax, "encoding/json does not accept it")
		require.GreaterOrEqual(t, syntax.Offset, int64(0))
		require.LessOrEqual(t, syntax.Offset, int64(len(b)))
	case !isEvent:
		require.ErrorAs(t, err, &shape)
	default:
		require.NoError(t, err)
		require.Equal(t, wantType, *text(ev.Type))
		require.Equal(t, wantObject, ev.Object)
		requireMeta(t, wantMeta, ev.Meta)
	}

	var m Meta
	err = ScanObject(b, &m)
	var members map[string]json.RawMessage
	switch isObject := json.Unmarshal(b, &members) == nil && members != nil; {
	case !json.Valid(b):
		require.ErrorAs(t, err, &syntax)
	case !isObject:
		require.ErrorAs(t, err, &shape)
	default:
		require.NoError(t, err)
		requireMeta(t, lookUpObject(b), m)
	}
	require.Equal(t, before, b, "the input must not be written to")
}

// metaStrings is Meta with strings, nil when absent.
type metaStrings struct {
	Kind, APIVersion, Namespace, Name, UID, ResourceVersion *string
	InitialEventsEnd                                        bool
}

func requireMeta(t *testing.T, want metaStrings, m Meta) {
	t.Helper()
	require.Equal(t, want, metaStrings{
		Kind: text(m.Kind), APIVersion: text(m.APIVersion), Namespace: text(m.Namespace), Name: text(m.Name),
		UID: text(m.UID), ResourceVersion: text(m.ResourceVersion), InitialEventsEnd: m.InitialEventsEnd,
	})
}

// text gives bytes the form that encoding/json gives a string: what is not
// UTF-8 is replaced there, and kept here.
func text(b []byte) *string {
	if b == nil {
		return nil
	}
	s := string([]rune(string(b)))
	return &s
}

func lookUpEvent(frame []byte) (kind string, object []byte, m metaStrings, isEvent bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(frame, &members) != nil {
		return "", nil, m, false
	}
	s := lookUpString(members["type"])
	if s == nil {
		return "", nil, m, false
	}
	return *s, members["object"], lookUpObject(members["object"]), true
}

func lookUpObject(b []byte) (m metaStrings) {
	object := lookUpMembers(b)
	m.Kind, m.APIVersion = lookUpString(object["kind"]), lookUpString(object["apiVersion"])
	own := lookUpMembers(object["metadata"])
	m.ResourceVersion = lookUpString(own["resourceVersion"])
	if rv := own["resourceVersion"]; len(rv) > 0 && (rv[0] == '-' || rv[0] >= '0' && rv[0] <= '9') {
		s := string(rv)
		m.ResourceVersion = &s
	}
	if m.Kind != nil && *m.Kind == "Table" && m.APIVersion != nil && strings.HasPrefix(*m.APIVersion, "meta.k8s.io/") {
		var rows []json.RawMessage
		_ = json.Unmarshal(object["rows"], &rows)
		rows = append(rows, nil)
		own = lookUpMembers(lookUpMembers(lookUpMembers(rows[0])["object"])["metadata"])
	}
	m.Namespace, m.Name, m.UID = lookUpString(own["namespace"]), lookUpString(own["name"]), lookUpString(own["uid"])
	end := lookUpString(lookUpMembers(own["annotations"])["k8s.io/initial-events-end"])
	m.InitialEventsEnd = end != nil && *end == "true"
	return m
}

func lookUpMembers(b []byte) (members map[string]json.RawMessage) {
	_ = json.Unmarshal(b, &members)
	return members
}

func lookUpString(b []byte) (s *string) {
	if json.Unmarshal(b, &s) != nil {
		return nil
	}
	return s
}

func TestScanStopsAtTheOffendingByte(t *testing.T) {
	for _, c := range []struct {
		frame  string
		offset int64
		msg    string
	}{
		{`{"type":"x","a":tru}`, 19, `decode: at byte 19: invalid character '}' in a literal`},
		{`{"type":"x","a":[1,]}`, 19, `decode: at byte 19: invalid character ']' where a value should begin`},
		{`{"type":"x"`, 11, `decode: at byte 11: unexpected end`},
		{`{"type":"x"} ,`, 13, `decode: at byte 13: invalid character ',' after the end`},
		{"{\"type\":\"\n", 9, `decode: at byte 9: invalid character '\n' in a string`},
	} {
		var ev Event
		err := ScanEvent([]byte(c.frame), &ev)
		sameError(t, &SyntaxError{Offset: c.offset}, err)
		require.EqualError(t, err, c.msg)
	}
}

func TestScanEveryPrefixIsIncomplete(t *testing.T) {
	for _, c := range scanCases {
		if c.want == "" || c.frame[0] != '{' {
			continue
		}
		whole := strings.TrimRight(c.frame, " \r")
		for n := range len(whole) {
			var ev Event
			sameError(t, &SyntaxError{Offset: int64(n)}, ScanEvent([]byte(whole[:n]), &ev))
		}
	}
}

// deep returns n containers inside each other, of alternating kinds.
func deep(n int) string {
	var open, closing strings.Builder
	for i := range n {
		if i%3 == 0 {
			open.WriteString(`[`)
		} else {
			open.WriteString(`{"a":`)
		}
	}
	open.WriteString("{}")
	for i := n - 1; i >= 0; i-- {
		if i%3 == 0 {
			closing.WriteString(`]`)
		} else {
			closing.WriteString(`}`)
		}
	}
	return open.String() + closing.String()
}

func TestScanNestsAsDeepAsEncodingJSON(t *testing.T) {
	// Levels are saved 63 at a time: all the edges around that, and the limit.
	for _, n := range []int{1, 61, 62, 63, 64, 65, 125, 126, 127, 128, 9996, 9997, 9998, 9999, 10000, 10001} {
		for _, frame := range []string{
			`{"type":"x","object":{"metadata":{"labels":` + deep(n) + `}}}`,
			`{"type":"x","a":` + deep(n) + `}`,
			deep(n),
			strings.Repeat("[", n) + strings.Repeat("]", n),
			strings.Repeat(`{"":`, n) + `"}` + strings.Repeat("}", n),
			strings.Replace(deep(n), "]", "}", 1),
		} {
			agreesWithEncodingJSON(t, []byte(frame))
		}
	}
	var ev Event
	err := ScanEvent([]byte(strings.Repeat("[", 10_001)), &ev)
	sameError(t, &SyntaxError{Offset: 10_000}, err)
	require.ErrorContains(t, err, "nested too deep")
}

func TestScanReadsStringsOfEveryLength(t *testing.T) {
	// Strings are looked at eight bytes at a time: each length, with
	// something special at each place, in front of each length of rest.
	for _, odd := range []string{"", `\"`, `\\`, `\u00e9`, "é", "\x1f", "\x00", "\"", "\xff", "\x80", "\x7f", " ", "!", "#", "[", "]"} {
		for before := range 10 {
			for after := range 10 {
				s := strings.Repeat("x", before) + odd + strings.Repeat("y", after)
				agreesWithEncodingJSON(t, []byte(`{"type":"t","object":{"`+s+`":"`+s+`","metadata":{"name":"`+s+`"}}}`))
				agreesWithEncodingJSON(t, []byte(`["`+s+`"]`))
			}
		}
	}
}

func TestScanAgreesAboutEveryChangeOfOneByte(t *testing.T) {
	// Each byte of a real frame replaced, removed, and preceded by another:
	// is it still JSON?
	frame, _, _ := bytes.Cut(recorded(t, "watch-configmaps"), []byte("\n"))
	var s Scanner
	var ev Event
	check := func(b []byte) {
		t.Helper()
		var syntax *SyntaxError
		err := s.ScanEvent(b, &ev)
		if valid := json.Valid(b); valid == errors.As(err, &syntax) {
			t.Fatalf("valid: %v, but scan says %v: %q", valid, err, b)
		}
	}
	for i := range frame {
		check(slices.Delete(bytes.Clone(frame), i, i+1))
		check(frame[:i])
		for _, c := range []byte("\"\\{}[]:,0-.e \n\x00\xff") {
			changed := bytes.Clone(frame)
			changed[i] = c
			check(changed)
			check(slices.Insert(bytes.Clone(frame), i, c))
		}
	}
}

func TestAScannerIsUsedAgainWithoutAllocating(t *testing.T) {
	var s Scanner
	var ev Event
	frames := [][]byte{
		[]byte(`{"type":"ADDED","object":{"kind":"Pod","metadata":{"name":"a\u0062c","labels":{"a":[[{}]]}}}}`),
		[]byte(`{"type":"ADDED","object":{"kind":"Pod","x":` + deep(200) + `}}`),
	}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for _, frame := range frames {
			if err := s.ScanEvent(frame, &ev); err != nil {
				t.Fatal(err)
			}
		}
	}))
}
