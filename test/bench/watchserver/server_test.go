package watchserver

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A stream ends when it asked to, where the server was told to end streams and
// that is not much later; one that ends early is to a client a server that goes
// down.
func TestLives(t *testing.T) {
	for _, c := range []struct {
		life  time.Duration
		query string
		want  time.Duration
	}{
		{10 * time.Second, "", 10 * time.Second},
		{10 * time.Second, "timeoutSeconds=10", 10 * time.Second},
		{10 * time.Second, "timeoutSeconds=17", 17 * time.Second},
		{10 * time.Second, "timeoutSeconds=20", 20 * time.Second},
		{10 * time.Second, "timeoutSeconds=21", 10 * time.Second},
		{10 * time.Second, "timeoutSeconds=412", 10 * time.Second},
		{10 * time.Second, "timeoutSeconds=0", 10 * time.Second},
		{10 * time.Second, "timeoutSeconds=soon", 10 * time.Second},
		{0, "timeoutSeconds=412", 0},
	} {
		s := Server{options: Options{Life: c.life}}
		assert.Equal(t, c.want, s.lives(httptest.NewRequest(http.MethodGet, "/?"+c.query, nil)), c.query)
	}
}
