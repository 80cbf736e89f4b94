package status

import (
	"net/http"
	"strings"
	"time"
)

// MaxRetryAfter caps every hint: a server that says a week is mistaken.
const MaxRetryAfter = 5 * time.Minute

// retryAfter reads a Retry-After header (RFC 9110, 10.2.3): whole seconds, or
// a date, which is relative to the Date header where there is one, since the
// server's clock need not be ours. Whatever is negative, past or not readable
// is 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if isDigits(value) {
		// By its length first: the number may not fit any integer.
		if value = strings.TrimLeft(value, "0"); len(value) > 3 {
			return MaxRetryAfter
		}
		seconds := 0
		for _, digit := range value {
			seconds = seconds*10 + int(digit-'0')
		}
		return capped(time.Duration(seconds) * time.Second)
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(header.Get("Date")); err == nil {
		now = date
	}
	return capped(at.Sub(now))
}

func isDigits(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

func capped(d time.Duration) time.Duration { return min(max(d, 0), MaxRetryAfter) }
