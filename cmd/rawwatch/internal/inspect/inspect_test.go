package inspect

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"example.com/rawwatch/cmd/rawwatch/internal/versions"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
)

// TestARecordingMayEndAnywhere cuts a real recording behind every few bytes:
// there is a report of what is left, and it never says more than the whole.
func TestARecordingMayEndAnywhere(t *testing.T) {
	whole := unpacked(t)
	last := 0
	for end := 0; end <= len(whole); end += 97 {
		r, err := replay.NewReader(bytes.NewReader(whole[:end]))
		if err != nil {
			continue // cut in the header
		}
		report, err := Read(t.Context(), r, nil)
		require.NoError(t, err, "cut behind %d bytes", end)
		report.Text("x", true)
		events := 0
		for _, c := range report.Connections {
			events += c.Events
		}
		require.GreaterOrEqual(t, events, last, "cut behind %d bytes", end)
		last = events
	}
	require.Equal(t, 12, last)
}

func unpacked(t testing.TB) []byte {
	f, err := os.Open("../../../../testdata/recordings/node.rwr.gz")
	require.NoError(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	require.NoError(t, err)
	whole, err := io.ReadAll(z)
	require.NoError(t, err)
	return whole
}

// FuzzRead: whatever is in a file, there is a report or an error.
func FuzzRead(f *testing.F) {
	f.Add(unpacked(f)[:20_000])
	f.Add([]byte(`{"type":"MODIFIED","object":{"metadata":{"name":"a","managedFields":[1,{"manager":2}]}}}` + "\n"))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nx"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := replay.NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		if report, err := Read(t.Context(), r, func(Version) error { return nil }); err == nil {
			report.Text("x", false)
		}
	})
}

// TestStrangersAreShownAndNotObeyed: a report is for terminals, whatever the
// recorded server and its tenants called things.
func TestStrangersAreShownAndNotObeyed(t *testing.T) {
	const evil = `\u001b[2J\u202e`
	object := func(kind, version string) string {
		return `{"type":"` + kind + `","object":{"kind":"` + evil + `","apiVersion":"` + evil + `/v1","metadata":{"name":"` + evil + `","namespace":"` + evil +
			`","uid":"u","resourceVersion":"` + version + `","managedFields":[{"manager":"` + evil + version + `","subresource":"` + evil + `"}]}}}`
	}
	lines := []string{
		`{"rwr":1,"tool":"` + evil + `"}`,
		`{"c":1,"d":0,"t":"req","method":"GET","url":"/api/v1/pods?watch=1&resourceVersion=` + evil + `"}`,
		`{"c":1,"d":0,"t":"res","status":200}`,
		`{"c":1,"d":0,"t":"ev","ev":` + object("ADDED", "1") + `}`,
		`{"c":1,"d":0,"t":"ev","ev":` + object("MODIFIED", "2") + `}`,
		`{"c":1,"d":0,"t":"ev","ev":{"type":"ERROR","object":{"kind":"Status","code":410,"reason":"` + evil + `","message":"` + evil + `"}}}`,
		`{"c":1,"d":0,"t":"end","why":"` + evil + `"}`,
	}
	r, err := replay.NewReader(strings.NewReader(strings.Join(lines, "\n") + "\n"))
	require.NoError(t, err)
	report, err := Read(t.Context(), r, nil)
	require.NoError(t, err)
	text := string(report.Text("\x1b[2J", false))
	for _, part := range []string{"CONNECTIONS", "GAPS", "EVENTS", "WRITERS", "BUSIEST", "BIGGEST"} {
		require.Contains(t, text, part)
	}
	require.NotContains(t, text, "\x1b")
	require.NotContains(t, text, "\u202e")
	require.Contains(t, text, `\x1b[2J\u202e`)
}

// TestAnEmptyReportHasEmptyLists: null is nothing that jq's .[] goes through.
func TestAnEmptyReportHasEmptyLists(t *testing.T) {
	r, err := replay.NewReader(strings.NewReader(`{"rwr":1}` + "\n"))
	require.NoError(t, err)
	report, err := Read(t.Context(), r, nil)
	require.NoError(t, err)
	text, err := json.Marshal(report)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
}

// report is that of a recording with these records, one second apart.
func report(t *testing.T, records ...string) (r *Report, walked []string) {
	t.Helper()
	text := `{"rwr":1}` + "\n"
	for _, record := range records {
		text += strings.Replace(record, "{", `{"d":1,`, 1) + "\n"
	}
	reader, err := replay.NewReader(strings.NewReader(text))
	require.NoError(t, err)
	r, err = Read(t.Context(), reader, func(v Version) error {
		walked = append(walked, fmt.Sprintf("%g %s %s", v.At, v.Type, v.Name))
		return nil
	})
	require.NoError(t, err)
	return r, walked
}

const (
	list  = `{"c":1,"t":"req","url":"/api/v1/namespaces/t/configmaps?limit=500"}`
	watch = `{"c":2,"t":"req","url":"/api/v1/namespaces/t/configmaps?watch=true&resourceVersion=10"}`
)

func event(eventType, object string) string {
	return `{"c":2,"t":"ev","ev":` + strings.TrimSpace(replay.EventOf(eventType, object)) + `}`
}

// written is a ConfigMap with two field managers, of which the second wrote
// last.
func written(rv, first, second string) string {
	entry := func(manager, time string) string {
		return `{"manager":"` + manager + `","operation":"Update","time":"` + time + `"}`
	}
	return `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"t","uid":"u","resourceVersion":"` + rv + `","managedFields":[` +
		entry("first", first) + `,` + entry("second", second) + `]}}`
}

func TestWhatIsCounted(t *testing.T) {
	items := `{"c":1,"t":"body","json":` + replay.ListBody("10", replay.Item("a", "8"), replay.Item("b", "9")) + `}`
	r, walked := report(t, list, `{"c":1,"t":"res","status":200}`, items, `{"c":1,"t":"end","why":"eof"}`,
		watch, `{"c":2,"t":"res","status":200}`,
		event("ADDED", replay.Item("a", "8")),    // known: a resume
		event("ADDED", replay.Item("a", "11")),   // known, and another version
		event("MODIFIED", replay.Item("b", "9")), // the same again
		event("DELETED", replay.Item("b", "12")),
		event("ADDED", replay.Item("b", "13")),
		event("BOOKMARK", `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"14"}}`),
		`{"c":2,"t":"raw","len":100,"hash":"0"}`, `{"c":2,"t":"raw","text":"<html>\n"}`, `{"c":2,"t":"end","why":"reset"}`)
	require.Equal(t, []string{"4 ADDED a", "4 ADDED b", "8 MODIFIED a", "10 DELETED b", "11 ADDED b"}, walked, "what is the same again is no version")
	require.Equal(t, []*Kind{{Kind: "ConfigMap", Listed: 2, Added: 3, Modified: 1, Deleted: 1, Bookmark: 1, Bytes: r.Kinds[0].Bytes}}, r.Kinds)
	require.Equal(t, []int{3, 2}, []int{r.Objects[0].Events, r.Objects[1].Events}, "to what is listed nothing has happened")
	require.Equal(t, []int{1, 1}, []int{r.Hidden, r.Broken})
	first, second := r.Connections[0], r.Connections[1]
	require.Equal(t, Connection{Number: 1, At: 1, Seconds: 3, What: "list", URL: first.URL, Status: 200, Items: 2, Bytes: first.Bytes, End: "eof", path: first.path}, *first)
	require.Equal(t, Connection{Number: 2, At: 5, Seconds: 10, What: "watch", URL: second.URL, Status: 200, Events: 6, Bytes: second.Bytes, End: "reset", path: second.path}, *second)
	whole := int64(len(replay.ListBody("10", replay.Item("a", "8"), replay.Item("b", "9"))))
	require.Equal(t, whole, first.Bytes)
	without, _ := report(t, watch, `{"c":2,"t":"res","status":200}`, `{"c":2,"t":"raw","len":100,"hash":"0"}`)
	require.EqualValues(t, 100, without.Connections[0].Bytes, "hidden ones, too")
}

func TestWhereEventsMayBeMissing(t *testing.T) {
	relist := strings.ReplaceAll(list, `"c":1`, `"c":3`)
	r, _ := report(t, list, watch, relist,
		strings.ReplaceAll(relist, "limit=500", "limit=1"),                         // a look at the resourceVersion
		strings.ReplaceAll(relist, "limit=500", "limit=500&continue=x"),            // its next page
		strings.ReplaceAll(relist, "limit=500", "limit=500&labelSelector=app%3Dx"), // another collection
		`{"c":3,"t":"res","status":410}`, `{"c":3,"t":"body","json":`+replay.StatusBody(410, "Expired")+`}`, `{"c":3,"t":"end","why":"eof"}`,
		event("ERROR", replay.StatusBody(500, "InternalError")), event("ERROR", replay.StatusBody(410, "Gone")))
	require.Equal(t, []Gap{
		{3, "the client listed again: /api/v1/namespaces/t/configmaps"},
		{9, "the server had forgotten the history: 410 Expired: m"},
		{11, "the server had forgotten the history: 410 Gone: m"},
	}, r.Gaps)
}

func TestWhoWrote(t *testing.T) {
	const early, late = "2026-12-01T00:00:01Z", "2026-12-01T00:00:02Z"
	r, _ := report(t, watch, `{"c":2,"t":"res","status":200}`,
		event("ADDED", written("11", early, early)), event("MODIFIED", written("12", early, late)), // second
		event("MODIFIED", written("13", late, late)), // first
		event("MODIFIED", written("14", late, late))) // neither: of those that wrote last, the last
	require.Equal(t, []*Writer{{"second", 2, 2}, {"first", 1, 1}}, r.Writers)
	require.Equal(t, 3, r.Modified)
	require.Equal(t, 3, r.Empty)
}

func TestAWatchInGzipThatWasCutIsCountedUpToThere(t *testing.T) {
	packed := base64.StdEncoding.EncodeToString([]byte(replay.Gzip(replay.Event("ADDED", "a", "11"))))
	r, _ := report(t, watch, `{"c":2,"t":"res","status":200,"h":{"Content-Encoding":"gzip"}}`, `{"c":2,"t":"raw","b64":"`+packed+`"}`)
	require.Equal(t, 1, r.Connections[0].Events)
}

func TestObjectsAreCountedUpToANumber(t *testing.T) {
	c := newCollector(nil)
	for n := range mostCounted + 2 {
		c.count(versions.Key{Name: fmt.Sprint(n)}, stream.Event{Name: "x"})
	}
	require.Len(t, c.counts, mostCounted)
	require.Equal(t, 2, c.report.MoreObjects)
}
