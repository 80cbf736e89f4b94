package nearest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestTo(t *testing.T) {
	flags := []string{"namespace", "all-namespaces", "selector", "once", "output", "on-expired", "on-unknown-error"}
	for _, tt := range []struct {
		name, word string
		want       []string
	}{
		{"a letter left out", "namspace", []string{"namespace"}},
		{"two letters swapped", "slelector", []string{"selector"}},
		{"neighbours swapped count once", "ocne", []string{"once"}},
		{"the beginning of a long name", "on-unk", []string{"on-unknown-error"}},
		{"case does not matter", "OUTPUT", []string{"output"}},
		{"nothing is near", "zzzzzz", nil},
		{"two letters are the beginning of too much", "on", nil},
		{"nothing typed", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, To(tt.word, flags, 3))
		})
	}
}

func TestToPutsTheClosestFirstAndStopsAtTheLimit(t *testing.T) {
	assert.Equal(t, []string{"pods", "pod"}, To("podss", []string{"pod", "ports", "pods"}, 2))
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"abc", "abd", 1}, {"abcd", "acbd", 1}, {"kitten", "sitting", 3},
	} {
		assert.Equal(t, tt.want, distance(tt.a, tt.b), "%q to %q", tt.a, tt.b)
		assert.Equal(t, tt.want, distance(tt.b, tt.a), "%q to %q", tt.b, tt.a)
	}
}
