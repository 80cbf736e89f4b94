package replay_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// planted is what must never be in a recording, not even its beginning. It is
// a password, a token, a key: whatever stands where secrets do.
const planted = "c4n4ryX9-0123456789-zyxw"

// presented is what the client says who it is with. It is another text, since
// what a server repeats of that is taken out wherever it stands, and would
// hide that nothing else has been.
const presented = "cr3dX7-9876543210-abcd"

// traces are the forms in which a piece of them would be seen. Four bytes are
// enough to know one by.
func traces() []string {
	return []string{planted[:4], url.QueryEscape(planted)[:4], base64.StdEncoding.EncodeToString([]byte(planted))[:5], presented[:4]}
}

func planted64() string { return base64.StdEncoding.EncodeToString([]byte(planted)) }

// plantedSecret is a Secret with the canary in every value: data as base64,
// stringData as text, a certificate and its key, and in the annotation of
// kubectl apply. Its managedFields name its keys, and keys may be seen.
func plantedSecret() string {
	certificate := base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\n" + planted + "\n-----END CERTIFICATE-----\n"))
	return `{"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"t","uid":"u","resourceVersion":"7",` +
		`"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"kind\":\"Secret\",\"data\":{\"k\":\"` + planted64() + `\"},\"stringData\":{\"p\":\"` + planted + `\"}}\n"},` +
		`"managedFields":[{"manager":"kubectl","fieldsV1":{"f:data":{".":{},"f:k":{}}}}]},` +
		`"data":{"k":"` + planted64() + `","tls.crt":"` + certificate + `","tls.key":"` + certificate + `"},"stringData":{"p":"` + planted + `"},"type":"Opaque"}`
}

// cutBody is a body that ends after n bytes, as a connection does that breaks.
func cutBody(body string, n int) io.Reader {
	return io.MultiReader(strings.NewReader(body[:n]), iotest.ErrReader(io.ErrUnexpectedEOF))
}

// Every body with something to hide, cut at every byte of it, read whole and
// byte by byte: what was torn cannot be parsed, and so it is not clear what is
// in it.
func TestNothingPlantedIsRecordedWhereverItIsCut(t *testing.T) {
	secrets := "/api/v1/namespaces/t/secrets"
	watch := secrets + "?watch=true&resourceVersion=7"
	event := EventOf("ADDED", plantedSecret())
	table := `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"rows":[{"cells":["s","Opaque",1],"object":` + plantedSecret() + `}]}`
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte(event))
	z.Close()
	for name, c := range map[string]struct {
		path   string
		status int
		body   string
		header string // Content-Encoding
	}{
		"watch":                     {watch, 200, event + EventOf("MODIFIED", plantedSecret()), ""},
		"watch of tables":           {watch, 200, EventOf("ADDED", table), ""},
		"watch of all types":        {"/proxy?watch=true", 200, EventOf("DELETED", plantedSecret()), ""},
		"deprecated watch":          {"/api/v1/watch/namespaces/t/secrets?watch=true", 200, event, ""},
		"watch, garbage":            {watch, 200, "garbage " + planted + "\n" + planted, ""},
		"watch, pretty":             {watch, 200, strings.ReplaceAll(event, ",", ",\n  "), ""},
		"watch, gzip":               {watch, 200, packed.String(), "gzip"},
		"list":                      {secrets + "?limit=5", 200, `{"kind":"SecretList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[` + plantedSecret() + "," + plantedSecret() + "]}\n", ""},
		"list, metadata last":       {secrets, 200, `{"apiVersion":"v1","items":[` + plantedSecret() + `],"kind":"SecretList","metadata":{"resourceVersion":"7"}}`, ""},
		"list of everything":        {"/proxy", 200, `{"kind":"List","apiVersion":"v1","items":[{"kind":"ConfigMap"},` + plantedSecret() + `]}`, ""},
		"table":                     {secrets, 200, table, ""},
		"one":                       {secrets + "/s", 200, plantedSecret(), ""},
		"error that shows a Secret": {secrets, 500, "cannot decode " + planted, ""},
		"token":                     {"/api/v1/namespaces/t/serviceaccounts/sa/token", 201, `{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","status":{"token":"` + planted + `","expirationTimestamp":"2026-01-01T00:00:00Z"}}`, ""},
		"token inside of another":   {"/proxy?watch=true", 200, EventOf("ADDED", `{"kind":"Bundle","items":[{"kind":"TokenRequest","status":{"token":"`+planted+`"}}]}`), ""},
		"kind in escapes":           {"/proxy?watch=true", 200, EventOf("ADDED", `{"kind":"\u0053ecret","stringData":{"p":"`+planted+`"}}`), ""},
		"credential in text":        {ConfigMaps, 401, "you sent Bearer " + presented + ", which is wrong", ""},
		"credential in a Status":    {ConfigMaps, 403, `{"kind":"Status","message":"token ` + presented + ` is not known","reason":"Forbidden","details":{"name":"` + presented + `"},"code":403}`, ""},
		"credential in an event":    {ConfigMaps + "?watch=true", 200, EventOf("ERROR", `{"kind":"Status","message":"token `+presented+` has expired","code":401}`) + "Bearer " + presented, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range len(c.body) + 1 {
				for _, slow := range []bool{false, true} {
					if slow && n%31 != 0 {
						continue
					}
					body := cutBody(c.body, n)
					if slow {
						body = iotest.OneByteReader(body)
					}
					recording := recordAnswer(t, c.path, &http.Response{
						StatusCode: c.status, ContentLength: -1, Body: io.NopCloser(body),
						Header: http.Header{"Content-Encoding": {c.header}, "Set-Cookie": {planted}, "X-Session-Token": {planted}},
					}, c.body[:n])
					for _, trace := range traces() {
						require.NotContains(t, recording, trace, "cut at byte %d, slow %v", n, slow)
					}
					if n%31 != 0 {
						continue
					}
					problems, err := Lint(strings.NewReader(recording))
					require.NoError(t, err)
					require.Empty(t, problems, "cut at byte %d", n)
				}
			}
		})
	}
}

// recordAnswer is the recording of one answer that a client reads to its end,
// who sees all of it.
func recordAnswer(t *testing.T, path string, answer *http.Response, want string) string {
	t.Helper()
	var b bytes.Buffer
	rec := &Recorder{To: &b, Base: roundTripper(func(r *http.Request) (*http.Response, error) {
		answer.Request = r
		return answer, nil
	})}
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	r := httptest.NewRequest("GET", path+sep+"access_token="+planted, nil)
	r.Header = http.Header{"Authorization": {"Bearer " + presented}, "Cookie": {"s=" + presented}, "Impersonate-User": {planted}}
	resp, err := rec.RoundTrip(r)
	require.NoError(t, err)
	got, err := io.ReadAll(resp.Body)
	assert.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, want, string(got))
	require.NoError(t, rec.Close())
	return b.String()
}

// What a transport fails with may quote what it was given.
func TestNothingPlantedIsRecordedOfAnError(t *testing.T) {
	var b bytes.Buffer
	rec := &Recorder{To: &b, Base: roundTripper(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("cannot send %q to %s", r.Header, r.URL)
	})}
	r := httptest.NewRequest("GET", "http://replay.test"+ConfigMaps+"?access_token="+planted, nil)
	r.Header = http.Header{"Authorization": {"Bearer other-" + planted}}
	_, err := rec.RoundTrip(r)
	require.Error(t, err)
	for _, trace := range traces() {
		assert.NotContains(t, b.String(), trace)
	}
}

// Names that say nothing elsewhere are those of credentials in a query.
func TestNothingPlantedIsRecordedOfAQuery(t *testing.T) {
	for _, key := range []string{"code", "sig", "key", "X-Amz-Signature", "PASSWD", "api_key", "%74oken"} {
		recording := recordAnswer(t, "/x?limit=5&"+key+"="+planted, &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(cutBody("", 0))}, "")
		assert.NotContains(t, recording, planted[:4], key)
		assert.Contains(t, recording, "limit=5")
	}
}

// A body too long to be held is written in parts, and what is JSON in a part of
// one is so by accident.
func TestNothingPlantedIsRecordedOfALongBody(t *testing.T) {
	whole := strings.Repeat("x", 16<<20+1)
	for _, part := range []string{`"` + planted + `"`, `{"kind":"ConfigMap","data":"` + planted + `"}`} {
		body := io.MultiReader(strings.NewReader(whole), strings.NewReader(part), iotest.ErrReader(io.ErrUnexpectedEOF))
		recording := recordAnswer(t, "/api/v1/secrets", &http.Response{StatusCode: 200, ContentLength: -1, Body: io.NopCloser(body)}, whole+part)
		assert.NotContains(t, recording, planted[:4])
	}
}
