package stream_test

import (
	"strings"
	"testing"
	"time"

	"example.com/rawwatch/status"
	"example.com/rawwatch/stream"
	"example.com/rawwatch/stream/replay"
	"github.com/stretchr/testify/assert"
)

// Failures of one kind: answers that are no stream, and what they mean.

// An answer that is no refusal by the API server itself says nothing about
// the version: it is kept, and nothing is listed.
func TestFailureB26WhatIsNoStatusIsATransientAnswer(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, answer := range map[string][]replay.Step{
		"502 with nothing":             replay.JSON(502, ""),
		"503 Status":                   refused(503, "ServiceUnavailable"),
		"503 text":                     replay.JSON(503, "upstream", "Content-Type: text/plain"),
		"504 page":                     replay.JSON(504, htmlPage, "Content-Type: text/html"),
		"408 page":                     replay.JSON(408, htmlPage, "Content-Type: text/html"),
		"403 page of a proxy":          replay.JSON(403, htmlPage, "Content-Type: text/html"),
		"500 that is no Status":        replay.JSON(500, `{"error":"x"}`),
		"500 that echoes a credential": replay.JSON(500, "Authorization: Bearer "+secret+long, "Content-Type: text/plain"),
		"500 ServerTimeout":            refused(500, "ServerTimeout"),
		"500 that never ends":          {replay.Respond(500), replay.Write(long), replay.Hold()},
		"429 of a busy server":         replay.JSON(429, "Too many requests, please try again later.\n", "Content-Type: text/plain", "Retry-After: 1"),
		"200 page":                     stream200(htmlPage, end),
		"200 page that says so":        {replay.Respond(200, "Content-Type: text/html"), replay.Write("<html>"), end},
		"200 with a List":              stream200(replay.ListBody("10"), end),
		"headers never come":           {replay.Hold()},
		"garbage for headers":          {replay.Raw("garbage\r\n\r\n"), cut},
		"half a header":                {replay.Raw("HTTP/1.1 200 OK\r\nContent-Ty"), cut},
		"closed before headers":        {cut},
		"reset before headers":         {replay.Reset()},
		"401 after it had worked":      refused(401, "Unauthorized"),
		"404 text after it had worked": replay.JSON(404, "404 page not found\n", "Content-Type: text/plain"),
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{
					listOf("10"),
					watchOf("10", ev("ADDED", "a", "11"), end),
					on(watch("11"), answer...),
					watchOf("11", ev("ADDED", "b", "12"), r.stop()...),
				}
			})
			r.w.Client.Transport = withToken{r.w.Client.Transport}
			r.played("SYNCED 10", "ADDED a 11", "ADDED b 12")
			for _, ended := range r.ended {
				if ended.Err != nil {
					assert.NotContains(t, ended.Err.Error(), secret)
					assert.LessOrEqual(t, len(ended.Err.Error()), 600)
				}
			}
		})
	}
	bubble(t, "a List in place of a stream stops after three", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			bad := watchOf("10", replay.ListBody("10"), end)
			return replay.Script{listOf("10"), bad, bad, bad}
		})
		assert.Equal(t, []string{"SYNCED 10"}, r.all())
		assert.ErrorIs(t, r.err, status.ErrNotStream)
	})
	bubble(t, "an answer nobody asked for, on an idle connection, hurts nobody", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{
				listOf("10"),
				watchOf("10", ev("ADDED", "a", "11"), end,
					replay.Raw("HTTP/1.0 408 Request Time-out\r\nContent-Type: text/html\r\n\r\n"+htmlPage), cut),
				watchOf("11", "", r.stop()...),
			}
		})
		r.played("SYNCED 10", "ADDED a 11")
		seen := r.srv.Requests()
		assert.NotEqual(t, seen[1].Conn, seen[2].Conn)
	})
}

func TestFailureB28ServersHintIsAFloor(t *testing.T) {
	for name, tt := range map[string]struct {
		answer  []replay.Step
		atLeast time.Duration
		atMost  time.Duration
	}{
		"header in seconds":     {refused(429, "TooManyRequests", "Retry-After: 3"), 3 * time.Second, 6 * time.Second},
		"details":               {replay.JSON(429, replay.StatusRetry(429, "TooManyRequests", 9)), 9 * time.Second, 18 * time.Second},
		"the larger of both":    {replay.JSON(429, replay.StatusRetry(429, "TooManyRequests", 2), "Retry-After: 9"), 9 * time.Second, 18 * time.Second},
		"event, 429":            {stream200(replay.EventOf("ERROR", replay.StatusRetry(429, "TooManyRequests", 2)), end), 2 * time.Second, 4 * time.Second},
		"event, 500":            {stream200(replay.EventOf("ERROR", replay.StatusRetry(500, "InternalError", 4)), end), 4 * time.Second, 8 * time.Second},
		"absurd":                {refused(429, "TooManyRequests", "Retry-After: 999999999"), 299 * time.Second, 301 * time.Second},
		"zero":                  {refused(429, "TooManyRequests", "Retry-After: 0"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"negative":              {refused(429, "TooManyRequests", "Retry-After: -1"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"garbage":               {refused(429, "TooManyRequests", "Retry-After: soon"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"a date in the past":    {refused(503, "ServiceUnavailable", "Retry-After: Fri, 31 Dec 1999 15:04:05 GMT"), 800 * time.Millisecond, 1600 * time.Millisecond},
		"a date to come":        {refused(503, "ServiceUnavailable", "Retry-After: Sat, 01 Jan 2000 00:00:20 GMT"), 18 * time.Second, 40 * time.Second},
		"even on the first try": {refused(503, "ServiceUnavailable", "Retry-After: 3"), 3 * time.Second, 6 * time.Second},
	} {
		bubble(t, name, func(t *testing.T) {
			r := newRig(t, func(r *rig) replay.Script {
				return replay.Script{listOf("10"), on(watch("10"), tt.answer...), watchOf("10", "", r.stop()...)}
			})
			r.played("SYNCED 10")
			pause := r.gaps()[1]
			assert.GreaterOrEqual(t, pause, tt.atLeast)
			assert.LessOrEqual(t, pause, tt.atMost+10*time.Millisecond)
		})
		if !strings.Contains(name, "event") {
			bubble(t, name+", on the list", func(t *testing.T) {
				r := newRig(t, func(r *rig) replay.Script {
					return replay.Script{on(list, tt.answer...), listOf("10"), watchOf("10", "", r.stop()...)}
				})
				r.played("SYNCED 10")
				assert.GreaterOrEqual(t, r.gaps()[0], tt.atLeast)
				assert.LessOrEqual(t, r.gaps()[0], tt.atMost+10*time.Millisecond)
			})
		}
	}
	busy := refused(429, "TooManyRequests", "Retry-After: 3")
	bubble(t, "a server that stays busy is asked for as long as it takes, and never listed", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			s := replay.Script{listOf("10")}
			for range 100 {
				s = append(s, on(watch("10"), busy...))
			}
			return append(s, watchOf("10", "", r.stop()...))
		})
		r.played("SYNCED 10")
	})
	bubble(t, "a cancel ends the wait at once", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{listOf("10"), on(watch("10"), refused(429, "TooManyRequests", "Retry-After: 300")...)}
		})
		var cancelled time.Time
		time.AfterFunc(time.Minute, func() { cancelled = time.Now(); r.cancel(errScriptOver) })
		r.played("SYNCED 10")
		assert.Zero(t, time.Since(cancelled))
	})
	bubble(t, "and so it does with a caller's own policy", func(t *testing.T) {
		r := newRig(t, func(r *rig) replay.Script {
			return replay.Script{watchOf("10", ev("ADDED", "a", "11"), end), on(watch("11"), busy...), watchOf("11", "", r.stop()...)}
		}, func(w *stream.Watcher) { w.Start, w.ResourceVersion = stream.StartExact, "10" })
		r.played("ADDED a 11")
		assert.GreaterOrEqual(t, r.gaps()[1], 3*time.Second)
	})
}
