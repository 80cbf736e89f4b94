package demo

import (
	"fmt"
	"strings"

	"example.com/rawwatch/stream/replay"
)

// scene is one way in which a watch breaks.
type scene struct {
	title  string
	server string        // what the server does
	ending []replay.Step // of the watch that is open
	next   []replay.Step // what the next one gets, once
	// gone: history is lost, so what happens meanwhile can be seen from its
	// outcome alone. There has to be a deletion in it.
	gone bool
}

var scenes = []scene{
	{
		title: "a clean end", server: "ends the watch in good order, as it does every few minutes",
		ending: []replay.Step{replay.End()},
	}, {
		title: "half an event", server: "dies in the middle of an event",
		ending: []replay.Step{replay.Write(half), replay.Cut()},
	}, {
		title: "history lost, told in the stream", server: "says in an event that it has forgotten what comes next",
		ending: []replay.Step{replay.Write(replay.EventOf("ERROR", failure(410, "Expired", "too old resource version"))), replay.End()},
		gone:   true,
	}, {
		title: "a reset", server: "resets the connection",
		ending: []replay.Step{replay.Reset()},
	}, {
		title: "silence", server: "says nothing any more, and does not hang up",
		ending: []replay.Step{replay.Hold()},
	}, {
		title: "too many requests", server: "hangs up, and has no time for the next watch: 429, Retry-After: 1",
		ending: []replay.Step{replay.Cut()},
		next:   replay.JSON(429, failure(429, "TooManyRequests", "please try again later")+"\n", "Retry-After: 1"),
	}, {
		title: "a proxy's error page", server: "hangs up, and a proxy answers the next watch with 503 and HTML",
		ending: []replay.Step{replay.Cut()},
		next:   replay.JSON(503, "<html><body><h1>503 Service Unavailable</h1></body></html>\n", "Content-Type: text/html"),
	}, {
		title: "history lost, told at the door", server: "hangs up, and answers the next watch with 410",
		ending: []replay.Step{replay.Cut()},
		next:   replay.JSON(410, failure(410, "Expired", "too old resource version")+"\n"),
		gone:   true,
	},
}

// failure is a Status.
func failure(code int, reason, message string) string {
	return fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
}

// half is the first half of an event.
var half = func() string {
	whole := replay.EventOf("MODIFIED", `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-01","namespace":"`+namespace+`"}}`)
	return strings.TrimSpace(whole[:len(whole)/2])
}()
