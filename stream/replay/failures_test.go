package replay_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	. "example.com/rawwatch/stream/replay"
)

// A row of FAILURES.md: a recording that was decoded and encoded again is not
// what the server sent. A line comes back byte for byte, through a recorder, a
// file, a script and a recorder again.
func TestFailureB24LinesComeBackByteForByte(t *testing.T) {
	lines := []string{
		`{"type":"ADDED","Type":"DELETED","object":{"metadata":{"resourceVersion":"5"},"Metadata":{"resourceversion":"9"}}}`,
		`{"type":"MODIFIED","object":{"n":9007199254740993,"e":1e3,"E":1E+3,"z":-0,"f":1.10}}`,
		`{"type":"MODIFIED","object":{"s":"<x>&\u003c\/\u00e9é\u2028"}}`,
		` { "object" : { "a" : 1 , "a":2,"":null } , "type" :	"ADDED" } `,
		`{"type":"ADDED","object":{"kind":"Secret","data":null,"x":"` + strings.Repeat("y", 70_000) + `"}}`,
		"{\"type\":\"ADDED\",\"object\":{\"s\":\"\xff\xfe\"}}",
		"{\"type\":\"ADDED\",\"object\":{}}\r",
		"not an event at all \x00\x01",
	}
	want := strings.Join(lines, "\n") + "\n"
	script := Script{On(Watch(ConfigMaps, "10"), Respond(200), Write(want))}
	for _, keep := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			for range 3 { // each time from the recording of the time before
				var got string
				recording := record(t, script, Options{}, keep, func(c *http.Client, url string) {
					var err error
					got, err = fetch(t, c, url+watch10)
					require.NoError(t, err)
				})
				require.Equal(t, want, got)
				for _, line := range lines[:5] {
					assert.Contains(t, recording, `"ev":`+line+"}\n")
				}
				d, err := NewReader(strings.NewReader(recording))
				require.NoError(t, err)
				script, err = d.Script(0)
				require.NoError(t, err)
			}
		})
	}
}
