package replay_test

import (
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

func TestBodiesAreExactlyTheBytesOfTheNotation(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Event("ADDED", "a", "11"), `{"type":"ADDED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"t","uid":"u-a","resourceVersion":"11"}}}` + "\n"},
		{EventOf("DELETED", ItemUID("a", "u2", "v:7/é &")), `{"type":"DELETED","object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"t","uid":"u2","resourceVersion":"v:7/é &"}}}` + "\n"},
		{Bookmark("5"), `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","creationTimestamp":null}}}` + "\n"},
		{InitialEventsEnd("5"), `{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"},
		{StatusBody(410, "Expired"), `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"Expired","code":410}`},
		{StatusBody(500, ""), `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","code":500}`},
		{StatusRetry(429, "TooManyRequests", 3), `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"m","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429}`},
		{ErrorEvent(410, "Expired"), `{"type":"ERROR","object":` + StatusBody(410, "Expired") + "}\n"},
		{ListBody("10", Item("a", "9"), Item("b", "8")), `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10"},"items":[` + Item("a", "9") + "," + Item("b", "8") + "]}"},
		{ListPage("10", "tok", Item("a", "9")), `{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"10","continue":"tok"},"items":[` + Item("a", "9") + "]}"},
	} {
		assert.Equal(t, c.want, c.got)
	}
}

func TestGzipIsOneMember(t *testing.T) {
	z, err := gzip.NewReader(strings.NewReader(Gzip("one") + Gzip("two")))
	require.NoError(t, err)
	z.Multistream(false)
	b, err := io.ReadAll(z)
	require.NoError(t, err)
	assert.Equal(t, "one", string(b))
}
