package replay_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// record runs f against a server through a Recorder and returns the recording.
func record(t *testing.T, script Script, o Options, keep bool, f func(c *http.Client, url string)) string {
	t.Helper()
	srv := NewServer(t, script, o)
	var b bytes.Buffer
	rec := &Recorder{Base: srv.Client().Transport, To: &b, KeepSecrets: keep}
	f(&http.Client{Transport: rec}, srv.URL().String())
	require.NoError(t, rec.Close())
	srv.Close()
	return b.String()
}

func fetch(t *testing.T, c *http.Client, url string) (string, error) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// lines are the records of a recording without its header.
func recordLines(recording string) []string {
	return strings.Split(strings.TrimSuffix(recording, "\n"), "\n")[1:]
}

func TestRecorderWritesTheStoryAsItHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		event := `{"type":"ADDED", "object":{"n":9007199254740993,"n":1e3,"s":"<x>&"}}`
		got := record(t, Script{
			On(List(ConfigMaps), JSON(200, ListBody("10")+"\n")...),
			On(Watch(ConfigMaps, "10"), Respond(200, "Audit-Id: x"), Pause(1500*time.Millisecond), Write(event+"\n"),
				Write(event[:10]), Pause(time.Second), Write(event[10:]+"\n"+event+"\n"), Write(`{"torn":`), Cut()),
		}, Options{}, false, func(c *http.Client, url string) {
			_, err := fetch(t, c, url+ConfigMaps+"?limit=500")
			require.NoError(t, err)
			c.Transport.(*Recorder).Mark("half way")
			body, err := fetch(t, c, url+watch10)
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
			assert.Equal(t, strings.Repeat(event+"\n", 3)+`{"torn":`, body)
		})
		assert.True(t, strings.HasPrefix(got, `{"rwr":1,"tool":"rawwatch","start":"2000-01-01T00:00:00Z","redacted":["headers","query","secrets"]}`+"\n"), got)
		assert.Equal(t, []string{
			`{"c":1,"d":0,"t":"req","method":"GET","url":"/api/v1/namespaces/t/configmaps?limit=500"}`,
			fmt.Sprintf(`{"c":1,"d":0,"t":"res","status":200,"h":{"Content-Length":"%d","Content-Type":"application/json"}}`, len(ListBody("10"))+1),
			`{"c":1,"d":0,"t":"body","lf":true,"json":` + ListBody("10") + `}`,
			`{"c":1,"d":0,"t":"end","why":"eof"}`,
			`{"d":0,"t":"mark","name":"half way"}`,
			`{"c":2,"d":0,"t":"req","method":"GET","url":"/api/v1/namespaces/t/configmaps?watch=true&resourceVersion=10"}`,
			`{"c":2,"d":0,"t":"res","status":200,"h":{"Audit-Id":"x","Content-Type":"application/json"}}`,
			`{"c":2,"d":1.5,"t":"ev","ev":` + event + `}`,
			`{"c":2,"d":1,"t":"ev","cut":[10],"ev":` + event + `}`,
			`{"c":2,"d":0,"t":"ev","ev":` + event + `}`,
			`{"c":2,"d":0,"t":"raw","text":"{\"torn\":"}`,
			`{"c":2,"d":0,"t":"end","why":"unexpected-eof"}`,
		}, recordLines(got))

		// Played back and recorded again, it is the same recording.
		d, err := NewReader(strings.NewReader(got))
		require.NoError(t, err)
		script, err := d.Script(1)
		require.NoError(t, err)
		again := record(t, script, Options{}, false, func(c *http.Client, url string) {
			_, err := fetch(t, c, url+ConfigMaps+"?limit=7")
			require.NoError(t, err)
			_, err = fetch(t, c, url+watch10+"&timeoutSeconds=44")
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
		})
		// But for where the reads ended: what is sent without a pause is read together.
		want := strings.Split(strings.ReplaceAll(strings.Join(recordLines(got)[7:], "\n"), `"cut":[10],`, ""), "\n")
		assert.Equal(t, want, recordLines(again)[6:])
	})
}

func TestRecorderPassesBytesOnWhenTheyCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		record(t, Script{
			On(Watch(ConfigMaps, "10"), Respond(200), Write(`{"type"`), Pause(time.Hour), Write(`:"ADDED"}`), Hold()),
		}, Options{}, false, func(c *http.Client, url string) {
			resp, err := c.Get(url + watch10)
			require.NoError(t, err)
			defer resp.Body.Close()
			p := make([]byte, 100)
			n, err := resp.Body.Read(p)
			require.NoError(t, err)
			assert.Equal(t, `{"type"`, string(p[:n]))
			assert.Zero(t, time.Since(start))
		})
	})
}

func TestRecorderTellsHowEachExchangeEnded(t *testing.T) {
	for _, c := range []struct {
		name   string
		script Script
		o      Options
		want   string
	}{
		{"eof", Script{On(Watch(ConfigMaps, "10"), Respond(200))}, Options{}, `"t":"end","why":"eof"`},
		{"cut", Script{On(Watch(ConfigMaps, "10"), Respond(200), Cut())}, Options{}, `"t":"end","why":"unexpected-eof"`},
		{"reset", Script{On(Watch(ConfigMaps, "10"), Respond(200), Reset())}, Options{}, `"t":"end","why":"reset"`},
		{"rst stream", Script{On(Watch(ConfigMaps, "10"), Respond(200), RstStream(2))}, Options{HTTP2: true}, `"t":"end","why":"reset"`},
		{"timeout", Script{On(Watch(ConfigMaps, "10"), Respond(200), Hold())}, Options{}, `"t":"end","why":"timeout"`},
		{"refused", Script{Refuse(1)}, Options{}, `"t":"err","why":"refused"`},
		{"dropped", Script{Drop(1)}, Options{}, `"t":"err","why":"unexpected-eof"`},
		{"no header", Script{On(Watch(ConfigMaps, "10"), Hold())}, Options{}, `"t":"err","why":"timeout"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := record(t, c.script, c.o, false, func(cl *http.Client, url string) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					req, err := http.NewRequestWithContext(ctx, "GET", url+watch10, nil)
					require.NoError(t, err)
					resp, err := cl.Do(req)
					if err == nil {
						io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
				})
				all := recordLines(got)
				assert.Contains(t, all[len(all)-1], c.want)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		got := record(t, Script{On(Watch(ConfigMaps, "10"), Respond(200), Write("{"), Hold())}, Options{}, false, func(c *http.Client, url string) {
			resp, err := c.Get(url + watch10)
			require.NoError(t, err)
			_, err = resp.Body.Read(make([]byte, 1))
			require.NoError(t, err)
			resp.Body.Close()
		})
		all := recordLines(got)
		assert.Contains(t, all[len(all)-1], `"t":"end","why":"client-cancel"`)
		assert.Contains(t, all[len(all)-2], `"t":"raw","text":"{"`)
	})
}

// Who has read all of an answer has not given it up, even if it left the EOF
// behind it unread.
func TestAnAnswerThatWasReadHasItsEnd(t *testing.T) {
	for read, want := range map[int]string{1: "client-cancel", 2: "eof"} {
		var b bytes.Buffer
		rec := &Recorder{To: &b, Base: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, ContentLength: 2, Body: io.NopCloser(strings.NewReader("{}"))}, nil
		})}
		resp, err := rec.RoundTrip(httptest.NewRequest("GET", "/version", nil))
		require.NoError(t, err)
		_, err = io.ReadFull(resp.Body, make([]byte, read))
		require.NoError(t, err)
		resp.Body.Close()
		all := recordLines(b.String())
		assert.Contains(t, all[len(all)-1], `"t":"end","why":"`+want+`"`)
	}
}

func TestRecordingThatCannotBeWrittenDoesNotDisturbTheClient(t *testing.T) {
	srv := NewServer(t, Script{On(List("/"), JSON(200, "{}")...)}, Options{})
	rec := &Recorder{Base: srv.Client().Transport, To: writerFunc(func([]byte) (int, error) { return 0, errors.New("disk full") })}
	body, err := fetch(t, &http.Client{Transport: rec}, srv.URL().String()+"/")
	require.NoError(t, err)
	assert.Equal(t, "{}", body)
	assert.ErrorContains(t, rec.Close(), "disk full")
}

// canary is what must never reach a recording. It stands in every place a
// credential can stand.
const canary = "c4n4ry"

var canary64 = base64.StdEncoding.EncodeToString([]byte(canary))

func secret(extra string) string {
	return `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"t","resourceVersion":"7","annotations":{"a":"b","kubectl.kubernetes.io/last-applied-configuration":` +
		`"{\"kind\":\"Secret\",\"data\":{\"k\":\"` + canary64 + `\"},\"stringData\":{\"p\":\"` + canary + `\"}}\n"}},` +
		`"data":{"k": "` + canary64 + `" ,"other":"` + canary64 + `","none":null},"stringData":{"p":"` + canary + `"}` + extra + `}`
}

func TestNoSecretReachesTheRecording(t *testing.T) {
	path := "/api/v1/namespaces/t/secrets"
	torn := `{"type":"ADDED","object":` + secret("")[:len(secret(""))-40]
	item := strings.Replace(secret(""), `"kind":"Secret","apiVersion":"v1",`, "", 1)
	got := record(t, Script{
		On(List(path), JSON(200, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[`+item+`,`+item+`]}`, "Set-Cookie: "+canary)...),
		On(Watch(path, "7"), Respond(200), Write(EventOf("ADDED", secret(""))), Write(EventOf("MODIFIED", secret(`,"x":1`))), Write("garbage "+canary+"\n"), Write(torn), Cut()),
		// Under a path that does not say so, and in other clothes.
		On(List("/proxy"), JSON(200, secret(""))...),
		On(Watch("/proxy", "1"), Respond(200), Write(EventOf("ADDED", secret(""))), Write(torn), Cut()),
		On(Watch(path, "8"), Respond(200, "Content-Encoding: gzip"), Write(Gzip(EventOf("ADDED", secret("")))), Cut()),
		On(List(path), JSON(200, `{"kind":"Table","rows":[{"cells":["s",1],"object":`+secret("")+`}]}`)...),
		On(List(path), JSON(500, "oops "+canary, "Content-Type: text/plain")...),
		On(Request{Method: "POST", Path: "/api/v1/namespaces/t/serviceaccounts/sa/token"},
			JSON(201, `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"`+canary+`","expirationTimestamp":"2026-01-01T00:00:00Z"}}`)...),
		On(List(path), JSON(200, `{"kind":"Secret","data":"`+canary+`","DATA":{"k":"`+canary+`"},"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"not json `+canary+`"}}}`)...),
		On(List(path), JSON(200, `{"kind":"Secret","data":{"k":{"deep":["`+canary+`"]}}}`)...),
	}, Options{}, false, func(c *http.Client, url string) {
		do := func(method, pathAndQuery string) {
			req, err := http.NewRequest(method, url+pathAndQuery, nil)
			require.NoError(t, err)
			req.Header = http.Header{
				"Authorization": {"Bearer " + canary}, "Cookie": {canary}, "Impersonate-User": {canary}, "Impersonate-Extra-A": {canary},
				"X-Api-Token": {canary}, "Proxy-Authorization": {canary}, "X-Remote-User": {canary}, "Accept-Encoding": {"identity"},
			}
			resp, err := c.Do(req)
			require.NoError(t, err)
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		do("GET", path+"?limit=5&access_token="+canary+"&to%6ben="+canary)
		do("GET", path+"?watch=true&resourceVersion=7")
		do("GET", "/proxy")
		do("GET", "/proxy?watch=true&resourceVersion=1")
		do("GET", path+"?watch=true&resourceVersion=8")
		do("GET", path)
		do("GET", path)
		do("POST", "/api/v1/namespaces/t/serviceaccounts/sa/token")
		do("GET", path)
		do("GET", path)
	})
	assert.NotContains(t, got, canary)
	assert.NotContains(t, got, canary64)
	assert.NotContains(t, got, base64.StdEncoding.EncodeToString([]byte(EventOf("ADDED", secret(""))))[:40])

	recs, _, err := readAll(t, strings.NewReader(got))
	require.NoError(t, err)
	var first, second *Record
	for _, r := range recs {
		if r.Kind == KindEvent && r.Exchange == 2 {
			first, second = second, r
		}
	}
	// Equal values stay equal, keys and everything else stay as they were.
	valueOf := func(b []byte) string {
		_, rest, _ := strings.Cut(string(b), `"data":{"k": "`)
		v, rest, ok := strings.Cut(rest, `" ,"other":"`)
		require.True(t, ok, "%s", b)
		assert.True(t, strings.HasPrefix(rest, v+`","none":null},"stringData":{"p":"`), "%s", b)
		return v
	}
	v := valueOf(first.Bytes)
	assert.Equal(t, v, valueOf(second.Bytes))
	_, err = base64.StdEncoding.DecodeString(v)
	assert.NoError(t, err)
	assert.Contains(t, string(first.Bytes), `"metadata":{"name":"s","namespace":"t","resourceVersion":"7","annotations":{"a":"b"`)
	assert.Contains(t, got, `"t":"raw","len":`+fmt.Sprint(len(torn)))

	problems, err := Lint(strings.NewReader(got))
	require.NoError(t, err)
	assert.Empty(t, problems)

	// What is left out of the recording is filled in when it is played.
	d, err := NewReader(strings.NewReader(got))
	require.NoError(t, err)
	_, err = d.Script(0)
	require.NoError(t, err)
}

func TestKeepSecretsKeepsEverything(t *testing.T) {
	path := "/api/v1/namespaces/t/secrets"
	got := record(t, Script{
		On(Watch(path, "7"), Respond(200), Write(EventOf("ADDED", secret("")))),
	}, Options{}, true, func(c *http.Client, url string) {
		req, _ := http.NewRequest("GET", url+path+"?watch=true&resourceVersion=7", nil)
		req.Header.Set("Authorization", "Bearer "+canary)
		resp, err := c.Do(req)
		require.NoError(t, err)
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	})
	assert.Contains(t, got, `"Authorization":"Bearer `+canary)
	assert.Contains(t, got, strings.TrimSuffix(EventOf("ADDED", secret("")), "\n"))
	assert.Contains(t, got, `"redacted":[]`)
}

func TestWhatIsNoSecretIsNotTouched(t *testing.T) {
	object := `{"kind":"ConfigMap" , "data":{"k":"v"},"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"k\":\"v\"}}"}}}`
	got := record(t, Script{
		On(Watch(ConfigMaps, "10"), Respond(200), Write(EventOf("ADDED", object)), Write("not an event\n")),
	}, Options{}, false, func(c *http.Client, url string) {
		_, err := fetch(t, c, url+watch10)
		require.NoError(t, err)
	})
	assert.Contains(t, got, `"ev":`+strings.TrimSuffix(EventOf("ADDED", object), "\n")+"}\n")
	assert.Contains(t, got, `"text":"not an event\n"`)
}
