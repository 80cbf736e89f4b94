package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int
		back string
	}{
		{"16Mi", 16 << 20, "16Mi"},
		{"512Ki", 512 << 10, "512Ki"},
		{"1Gi", 1 << 30, "1Gi"},
		{"1024Ki", 1 << 20, "1Mi"},
		{"64k", 64_000, "64000"},
		{"2M", 2_000_000, "2000000"},
		{"1G", 1_000_000_000, "1000000000"},
		{"100", 100, "100"},
	} {
		t.Run(tt.in, func(t *testing.T) {
			var z size
			require.NoError(t, z.Set(tt.in))
			assert.Equal(t, tt.want, int(z))
			assert.Equal(t, tt.back, z.String())
		})
	}
	for _, in := range []string{"", "0", "0Mi", "-1", "Mi", "16MB", "16 Mi", "1.5Mi", "2Gi", "9999999999", "99999Mi"} {
		t.Run("not "+in, func(t *testing.T) {
			var z size
			assert.Error(t, z.Set(in))
			assert.Zero(t, z)
		})
	}
}

func TestDuration(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"800ms": 800 * time.Millisecond, "30s": 30 * time.Second, "5m": 5 * time.Minute, "0": 0, "1h30m": 90 * time.Minute,
	} {
		var d duration
		require.NoError(t, d.Set(in))
		assert.Equal(t, want, time.Duration(d))
	}
	for in, want := range map[string]string{
		"5": "write the unit too, as in 5s", "1.5": "as in 1.5s", "soon": "write it as 90s", "-5s": "negative", "": "write it as",
	} {
		var d duration
		assert.ErrorContains(t, d.Set(in), want, in)
	}
}

func TestDurationsAreShownShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		5 * time.Minute: "5m", time.Hour: "1h", 30 * time.Second: "30s", 90 * time.Second: "1m30s",
		800 * time.Millisecond: "800ms", 0: "0s", 10 * time.Minute: "10m", 20 * time.Hour: "20h",
	} {
		v := duration(d)
		assert.Equal(t, want, v.String())
	}
}

func TestCount(t *testing.T) {
	var c count
	require.NoError(t, c.Set("12"))
	assert.Equal(t, "12", c.String())
	for _, in := range []string{"-1", "1.5", "", "x", "99999999999"} {
		assert.Error(t, c.Set(in), in)
	}
}

func TestChoice(t *testing.T) {
	c := choice{"relist", []string{"relist", "fail"}}
	require.NoError(t, c.Set("fail"))
	assert.Equal(t, "fail", c.String())
	assert.EqualError(t, c.Set("fial"), "did you mean fail? use relist, fail")
	assert.EqualError(t, c.Set("zzzzzz"), "use relist, fail")
	assert.Equal(t, "fail", c.String(), "a wrong word changes nothing")
}
