package replay

import (
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQueryValuesAreComparedAsTheServerReadsThem(t *testing.T) {
	for _, tt := range []struct {
		key, want, got string
		same           bool
	}{
		{"watch", "true", "1", true}, {"watch", "", "false", true}, {"watch", "true", "", false},
		{"sendInitialEvents", "true", "True", true}, {"sendInitialEvents", "", "0", true},
		{"allowWatchBookmarks", "true", "1", true}, {"allowWatchBookmarks", "true", "false", false},
		{"limit", "1", "true", false}, {"resourceVersion", "", "0", false},
	} {
		got := httptest.NewRequest("GET", ConfigMaps+"?"+tt.key+"="+tt.got, nil)
		diff := Request{Path: ConfigMaps}.With(tt.key, tt.want).differences(got)
		assert.Equal(t, tt.same, len(diff) == 0, "%s: want %q, got %q: %s", tt.key, tt.want, tt.got, diff)
	}
}
