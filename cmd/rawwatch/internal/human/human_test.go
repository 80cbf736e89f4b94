package human

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1234 * time.Microsecond: "1ms", 812 * time.Millisecond: "812ms", 1234 * time.Millisecond: "1.2s",
		12345 * time.Millisecond: "12s", 432 * time.Second: "7m12s",
		time.Minute: "1m", time.Hour: "1h", 3601 * time.Second: "1h0m1s", 90 * time.Minute: "1h30m",
	} {
		assert.Equal(t, want, Short(d))
	}
}

func TestExact(t *testing.T) {
	for text, d := range map[string]time.Duration{
		"0s": 0, "90ms": 90 * time.Millisecond, "5m": 5 * time.Minute, "1h": time.Hour, "1h30m": 90 * time.Minute, "1h0m1s": time.Hour + time.Second, "10m10s": 610 * time.Second,
	} {
		assert.Equal(t, text, Exact(d))
	}
}

func TestCount(t *testing.T) {
	assert.Equal(t, "0 events", Count(0, "event"))
	assert.Equal(t, "1 event", Count(int64(1), "event"))
	assert.Equal(t, "2 events", Count(2, "event"))
	assert.Equal(t, "1 loss", Count(1, "loss"))
	assert.Equal(t, "3 losses", Count(3, "loss"))
}

func TestName(t *testing.T) {
	assert.Equal(t, "node-1", Name("", "node-1"))
	assert.Equal(t, "shop/web-1", Name("shop", "web-1"))
}
