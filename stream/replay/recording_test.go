package replay_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

const recordings = "../../testdata/recordings/"

// example is a recording as a person would write it.
const example = `{"rwr":1,"tool":"rawwatch 0.1","start":"2026-11-20T09:00:00Z","redacted":["headers","secrets"]}
# a list, and a watch that is cut
{"c":1,"d":0,"t":"req","method":"GET","url":"/api/v1/namespaces/t/pods?limit=500"}
{"c":1,"d":0.012,"t":"res","status":200,"h":{"Content-Type":"application/json","Warning":["a","b"]}}

{"c":1,"d":0.001,"t":"body","lf":true,"json":{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[]}}
{"c":2,"d":0.5,"t":"req","method":"GET","url":"/api/v1/namespaces/t/pods?watch=true&resourceVersion=5&timeoutSeconds=301"}
{"c":1,"d":0,"t":"end","why":"eof"}
{"c":9,"d":0,"t":"telemetry","what":"an unknown kind"}
{"c":2,"d":0.009,"t":"res","status":200,"h":{"Content-Type":"application/json"},"unknown":["key"]}
{"c":2,"d":1.204,"t":"ev","cut":[3,10],"ev": {"type":"ADDED", "object":{"kind":"Pod","n":1e3,"n":9007199254740993,"x":"\u003c<&"}}  }
{"d":0,"t":"mark","name":"here"}
{"c":2,"d":2.5,"t":"raw","text":"{\"type\":\"ADDED\",\"object\":{\"kind\":\"Po"}
{"c":2,"d":0,"t":"raw","b64":"/w=="}
{"c":2,"d":0,"t":"raw","len":3,"hash":"00"}
{"c":2,"d":0,"t":"end","why":"unexpected-eof"}
`

// readAll reads a recording; the records' bytes are copied.
func readAll(t *testing.T, r io.Reader) ([]*Record, *Reader, error) {
	t.Helper()
	d, err := NewReader(r)
	if err != nil {
		return nil, d, err
	}
	var out []*Record
	for {
		rec, err := d.Next()
		if err == io.EOF {
			return out, d, nil
		}
		if err != nil {
			return out, d, err
		}
		rec.Bytes = bytes.Clone(rec.Bytes)
		out = append(out, rec)
	}
}

func TestReaderReadsEveryKindOfRecord(t *testing.T) {
	recs, d, err := readAll(t, strings.NewReader(example))
	require.NoError(t, err)
	assert.NoError(t, d.Truncated())
	assert.Equal(t, RecordingHeader{1, "rawwatch 0.1", time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), []string{"headers", "secrets"}}, d.Header)
	require.Len(t, recs, 12)
	assert.Equal(t, &Record{Line: 3, Exchange: 1, Kind: KindRequest, Method: "GET", URL: "/api/v1/namespaces/t/pods?limit=500"}, recs[0])
	assert.Equal(t, http.Header{"Content-Type": {"application/json"}, "Warning": {"a", "b"}}, recs[1].Header)
	assert.Equal(t, 12*time.Millisecond, recs[1].After)
	assert.True(t, bytes.HasSuffix(recs[2].Bytes, []byte("\"items\":[]}\n")))
	assert.Equal(t, WhyEOF, recs[4].Why)
	assert.Equal(t, ` {"type":"ADDED", "object":{"kind":"Pod","n":1e3,"n":9007199254740993,"x":"\u003c<&"}}  `, string(recs[6].Bytes))
	assert.Equal(t, []int{3, 10}, recs[6].Cuts)
	assert.Equal(t, "here", recs[7].Text)
	assert.Equal(t, `{"type":"ADDED","object":{"kind":"Po`, string(recs[8].Bytes))
	assert.Equal(t, "\xff", string(recs[9].Bytes))
	assert.Equal(t, 3, recs[10].Hidden)
}

func TestAnyChoppingAndPackingReadsTheSame(t *testing.T) {
	want, _, err := readAll(t, strings.NewReader(example))
	require.NoError(t, err)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(example))
	z.Close()
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with error": iotest.DataErrReader,
		"random cuts": func(r io.Reader) io.Reader { return &randomReader{r, rand.New(rand.NewPCG(1, 2))} },
	} {
		got, _, err := readAll(t, wrap(strings.NewReader(example)))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
		got, _, err = readAll(t, wrap(bytes.NewReader(packed.Bytes())))
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name+", gzip")
	}
}

type randomReader struct {
	r   io.Reader
	rnd *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	return r.r.Read(p[:min(len(p), 1+r.rnd.IntN(40))])
}

func TestWriterWritesWhatReaderReads(t *testing.T) {
	want, d, err := readAll(t, strings.NewReader(example))
	require.NoError(t, err)
	var b bytes.Buffer
	w, err := NewWriter(&b, d.Header)
	require.NoError(t, err)
	for _, r := range want {
		require.NoError(t, w.Write(r))
	}
	got, again, err := readAll(t, &b)
	require.NoError(t, err)
	assert.Equal(t, d.Header, again.Header)
	for i := range want {
		want[i].Line, got[i].Line = 0, 0
	}
	assert.Equal(t, want, got)
}

func TestEventBytesSurvive(t *testing.T) {
	for _, line := range []string{
		`{"type":"ADDED","object":{"a":"<x>&","b":1e3,"c":9007199254740993,"d":-0.0,"e":1E+400}}`,
		`  {"object" : {"z":1,"a":2,"z":3} ,"type":"A\u0044DED","type":"X" }	 `,
		`{"type":"ADDED","object":{"x":"\u2028\ud83d\ude00` + "\u2028\u00e9\x7f" + `\ud800"}}`,
		`{"type":"ADDED","object":null}`,
	} {
		var b bytes.Buffer
		w, err := NewWriter(&b, RecordingHeader{})
		require.NoError(t, err)
		require.NoError(t, w.Write(&Record{Exchange: 1, Kind: KindEvent, Bytes: []byte(line)}))
		recs, _, err := readAll(t, &b)
		require.NoError(t, err)
		assert.Equal(t, line, string(recs[0].Bytes))
	}
}

func TestWriterRefusesEventsThatAreNone(t *testing.T) {
	w, err := NewWriter(io.Discard, RecordingHeader{})
	require.NoError(t, err)
	for _, line := range []string{"", "{", `[{"type":"ADDED"}]`, `{"object":{}}`, "{\"type\":\"A\"}\r", "{\"type\":\"\xff\"}", `{"type":"A"}{"type":"B"}`} {
		assert.Error(t, w.Write(&Record{Kind: KindEvent, Bytes: []byte(line)}), "%q", line)
	}
	assert.NoError(t, w.Write(&Record{Kind: KindEvent, Bytes: []byte(`{"type":""}`)}))
}

func TestWriterStopsAtTheFirstFailureAndWritesWholeLines(t *testing.T) {
	var lines [][]byte
	w, err := NewWriter(writerFunc(func(p []byte) (int, error) {
		lines = append(lines, bytes.Clone(p))
		if len(lines) == 3 {
			return 0, io.ErrShortWrite
		}
		return len(p), nil
	}), RecordingHeader{})
	require.NoError(t, err)
	for i := range 4 {
		err := w.Write(&Record{Kind: KindMark, Text: "m"})
		assert.Equal(t, i > 0, err != nil)
	}
	assert.Len(t, lines, 3)
	for _, l := range lines {
		assert.Equal(t, 1, bytes.Count(l, []byte("\n")))
		assert.True(t, bytes.HasSuffix(l, []byte("\n")))
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestEveryTruncationReadsAndTellsWhatIsMissing(t *testing.T) {
	whole, _, err := readAll(t, strings.NewReader(example))
	require.NoError(t, err)
	first := strings.IndexByte(example, '\n')
	for n := first + 1; n < len(example); n++ {
		recs, d, err := readAll(t, strings.NewReader(example[:n]))
		require.NoError(t, err, n)
		require.Equal(t, append([]*Record(nil), whole[:len(recs)]...), recs)
		tail := example[strings.LastIndexByte(example[:n], '\n')+1 : n]
		torn := tail != "" && !strings.HasPrefix(tail, "#") && !strings.HasSuffix(tail, "}\n") && example[n] != '\n'
		require.Equal(t, torn, d.Truncated() != nil, "%d: %q", n, tail)
		if torn {
			assert.ErrorIs(t, d.Truncated(), io.ErrUnexpectedEOF)
		}
	}
}

func TestTruncatedGzipGivesItsWholeLines(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 1000 {
		z.Write([]byte(Event("ADDED", fmt.Sprint(rand.Uint64()), "1")))
	}
	z.Close()
	recs, d, err := readAll(t, bytes.NewReader(packed.Bytes()[:packed.Len()/2]))
	require.NoError(t, err)
	assert.Error(t, d.Truncated())
	assert.Greater(t, len(recs), 100)
	assert.Less(t, len(recs), 1000)
	assert.Equal(t, KindEvent, recs[len(recs)-1].Kind)
}

func TestBareEventLinesAreOneWatch(t *testing.T) {
	recs, d, err := readAll(t, strings.NewReader("\n"+Event("ADDED", "a", "1")+"# note\nnot json\n"+Event("DELETED", "a", "2")))
	require.NoError(t, err)
	assert.Zero(t, d.Header.Version)
	var kinds []Kind
	for _, r := range recs {
		kinds = append(kinds, r.Kind)
	}
	assert.Equal(t, []Kind{KindRequest, KindResponse, KindEvent, KindRaw, KindEvent, KindEnd}, kinds)

	f, err := os.Open(recordings + "pods-300.watch.gz")
	require.NoError(t, err)
	defer f.Close()
	recs, d, err = readAll(t, f)
	require.NoError(t, err)
	assert.Len(t, recs, 303)
	assert.NoError(t, d.Truncated())
}

func TestWhatIsNoRecordingIsRefusedWithItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"hello\n":            "replay: line 1: not a recording: neither a JSON line nor an HTTP answer",
		"\n# x\n{\"a\":1}\n": `replay: line 3: not a recording: no "rwr" and no "type" in the first line`,
		`{"rwr":2}`:          "replay: line 1: format version 2: only 1 is known here",
	} {
		_, err := NewReader(strings.NewReader(text))
		assert.EqualError(t, err, want)
	}
	const head = `{"rwr":1}` + "\n"
	for text, want := range map[string]string{
		"nonsense\n{}\n":                                  "replay: line 2: not JSON",
		`{"c":1}` + "\n":                                  `replay: line 2: no "t": what kind of record is it?`,
		`{"t":"ev","ev":{"a":1}}` + "\n":                  `replay: line 2: "ev" is not an event: no object with a "type"`,
		`{"t":"ev","cut":[2,1],"ev":{"type":"A"}}` + "\n": `replay: line 2: "cut" [2 1]: not ascending between 1 and 12`,
		`{"t":"ev","cut":[2,2],"ev":{"type":"A"}}` + "\n": `replay: line 2: "cut" [2 2]: not ascending between 1 and 12`,
		`{"t":"ev","cut":[0],"ev":{"type":"A"}}` + "\n":   `replay: line 2: "cut" [0]: not ascending between 1 and 12`,
		`{"t":"ev","cut":[13],"ev":{"type":"A"}}` + "\n":  `replay: line 2: "cut" [13]: not ascending between 1 and 12`,
		`{"t":"end","d":-1}` + "\n":                       `replay: line 2: "d" is negative`,
		`{"t":"res","h":{"A":5}}` + "\n":                  "replay: line 2: header A: neither a string nor strings",
	} {
		_, _, err := readAll(t, strings.NewReader(head+text))
		assert.EqualError(t, err, want)
	}
	recs, _, err := readAll(t, strings.NewReader(""))
	assert.NoError(t, err)
	assert.Len(t, recs, 3, "an empty file is an empty watch")
}

// dump is a recorded answer and what net/http makes of it.
func dump(t *testing.T, name string) (raw []byte, resp *http.Response, body []byte) {
	t.Helper()
	raw, err := os.ReadFile(name)
	require.NoError(t, err)
	resp, err = http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), nil)
	require.NoError(t, err)
	body, err = io.ReadAll(resp.Body)
	require.NoError(t, err)
	return raw, resp, body
}

func TestHTTPDumpsPlayBackTheirBytes(t *testing.T) {
	names, err := filepath.Glob(recordings + "*.http")
	require.NoError(t, err)
	require.Greater(t, len(names), 30)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			raw, want, body := dump(t, name)
			d, err := NewReader(bytes.NewReader(raw))
			require.NoError(t, err)
			script, err := d.Script(0)
			require.NoError(t, err)
			srv := NewServer(t, script, Options{})
			srv.Client().Transport.(*http.Transport).DisableCompression = true
			resp, err := open(t, srv, "/anything")
			require.NoError(t, err)
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			assert.Equal(t, string(body), string(got))
			assert.Equal(t, want.StatusCode, resp.StatusCode)
			want.Header.Del("Content-Length")
			assert.Equal(t, want.Header, resp.Header)
		})
	}
}

func TestADumpWithoutSenseInItsLengthIsEmpty(t *testing.T) {
	for length, want := range map[string]Why{"-5": WhyEOF, "many": WhyUnexpectedEOF} {
		recs, _, err := readAll(t, strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: "+length+"\r\n\r\n"))
		require.NoError(t, err)
		assert.Equal(t, want, recs[len(recs)-1].Why, length)
		_, _, err = readAll(t, strings.NewReader("HTTP/1.1 200 OK\r\nContent-Length: "+length+"\r\n\r\n{}"))
		assert.Error(t, err, "what follows is no answer")
	}
}

// Pauses in a script are those within one exchange, whatever happened in
// others meanwhile.
func TestExchangesThatOverlapKeepTheirPauses(t *testing.T) {
	d, err := NewReader(strings.NewReader(`{"rwr":1}
{"c":1,"d":0,"t":"req","url":"/a"}
{"c":1,"d":1,"t":"res","status":200}
{"c":2,"d":1,"t":"req","url":"/b"}
{"c":2,"d":1,"t":"res","status":200}
{"c":1,"d":1,"t":"end","why":"eof"}
{"c":2,"d":1,"t":"end","why":"eof"}
`))
	require.NoError(t, err)
	script, err := d.Script(1)
	require.NoError(t, err)
	for i, want := range []time.Duration{4 * time.Second, 3 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			srv := NewServer(t, script[i:i+1], Options{})
			_, _, err := get(t, srv, script[i].Request.Path)
			require.NoError(t, err)
			assert.Equal(t, want, time.Since(began))
			srv.Close()
		})
	}
}

func TestTruncatedDumpEndsUnexpectedly(t *testing.T) {
	raw, _, body := dump(t, recordings+"watch-configmaps.http")
	start := bytes.Index(raw, []byte("\r\n\r\n")) + 4
	for n := start; n < len(raw)-5; n += 7 {
		d, err := NewReader(bytes.NewReader(raw[:n]))
		require.NoError(t, err)
		script, err := d.Script(0)
		require.NoError(t, err)
		srv := NewServer(t, script, Options{})
		_, got, err := get(t, srv, "/")
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		assert.True(t, strings.HasPrefix(string(body), got))
		srv.Close()
	}
}

func TestLintNamesTheLines(t *testing.T) {
	problems, err := Lint(strings.NewReader(`{"rwr":1}
{"c":1,"d":0,"t":"res","status":200}
{"c":2,"d":0,"t":"req","method":"GET","url":"/","h":{"Authorization":"Bearer x"}}
{"c":2,"d":0,"t":"ev","ev":{"type":"A"}}
broken
{"c":2,"d":0,"t":"res","status":20}
{"c":2,"d":0,"t":"res","status":200}
{"c":2,"d":0,"t":"req","url":"/"}
{"c":2,"d":0,"t":"end","why":"tired"}
{"c":2,"d":0,"t":"end","why":"eof"}
{"c":2,"d":0,"t":"fault","fault":"gremlin"}
{"c":3,"d":0,"t":"req","url":"/"}
{"c":4,"d":0,"t":"req","url":"/"}
{"c":4,"d":0,"t":"err","why":"refused"}
{"c":4,"d":0,"t":"o`))
	require.NoError(t, err)
	var got []string
	var minor []int
	for _, p := range problems {
		got = append(got, p.String())
		if p.Minor {
			minor = append(minor, p.Line)
		}
	}
	assert.Equal(t, []int{3, 15, 12}, minor, "these do not keep it from being played")
	assert.Equal(t, []string{
		"line 2: res: no request before it",
		"line 3: header Authorization is not redacted",
		"line 4: ev: no answer (res) before it",
		"line 5: not JSON",
		"line 6: res: status 20",
		"line 7: res: a second one",
		"line 8: exchange 2 asks again before it has ended (line 3)",
		"line 9: end: no answer (res) before it",
		`line 9: end: unknown why "tired"`,
		"line 10: end: its exchange has ended before",
	}, got[:10])
	assert.Contains(t, got[10], `line 11: replay: no fault "gremlin"; there are cut, eof,`)
	assert.Equal(t, []string{
		"line 15: the last line is cut off: unexpected EOF",
		"line 12: exchange 3 has no end: the recording was cut short",
	}, got[11:])

	problems, err = Lint(strings.NewReader(example))
	require.NoError(t, err)
	assert.Empty(t, problems)
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(Event("ADDED", "a", "1")))
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"ty\r\n0\r\n\r\n"))
	f.Add([]byte(`{"rwr":1}` + "\n" + `{"t":"body","json":{"a":[1,2]},"lf":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		recs, d, err := readAll(t, bytes.NewReader(data))
		if err != nil || len(recs) == 0 {
			return
		}
		var b bytes.Buffer
		w, err := NewWriter(&b, d.Header)
		require.NoError(t, err)
		for _, r := range recs {
			require.NoError(t, w.Write(r))
		}
		got, _, err := readAll(t, &b)
		require.NoError(t, err)
		require.Len(t, got, len(recs))
		for i := range recs {
			assert.Equal(t, recs[i].Kind, got[i].Kind)
			assert.Equal(t, string(recs[i].Bytes), string(got[i].Bytes))
		}
		Lint(bytes.NewReader(data))
	})
}
