package decode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A row of FAILURES.md: what a general JSON library makes of an object is not
// what the server sent. Keys match by case alone, numbers keep their text, and
// the object's bytes are those of the wire.
func TestFailureB24BytesOfAnObjectStayAsTheyAre(t *testing.T) {
	for _, tt := range []struct{ line, eventType, version, object string }{
		{`{"type":"ADDED","Type":"DELETED","object":{}}`, "ADDED", "", `{}`},
		{`{"Type":"DELETED","TYPE":"X","type":"ADDED","Object":{"metadata":{"resourceVersion":"9"}},"object":{}}`, "ADDED", "", `{}`},
		{`{"type":"ADDED","object":{"metadata":{"resourceVersion":"5"},"Metadata":{"resourceversion":"9"}}}`, "ADDED", "5",
			`{"metadata":{"resourceVersion":"5"},"Metadata":{"resourceversion":"9"}}`},
		{`{"type":"ADDED","object":{"n":9007199254740993,"e":1e3,"z":-0}}`, "ADDED", "", `{"n":9007199254740993,"e":1e3,"z":-0}`},
		{`{"type":"ADDED","object":{"s":"<x>&\u003c"}}`, "ADDED", "", `{"s":"<x>&\u003c"}`},
		{`{"type":"ADDED","object":{ "a" : 1 ,"a":2,  "":null } }`, "ADDED", "", `{ "a" : 1 ,"a":2,  "":null }`},
		{"{\"type\":\"ADDED\",\"object\":{\"s\":\"\xff\"}}", "ADDED", "", "{\"s\":\"\xff\"}"},
	} {
		for _, chop := range choppings() {
			ev, err := NewReader(chop.of(strings.NewReader(tt.line+"\n")), 0).Next()
			require.NoError(t, err, tt.line)
			assert.Equal(t, tt.eventType, string(ev.Type))
			assert.Equal(t, tt.version, string(ev.ResourceVersion))
			assert.Equal(t, tt.object, string(ev.Object), chop.name)
		}
	}
}
