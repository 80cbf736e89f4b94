package replay

import (
	"slices"
	"strings"
	"time"
)

// A FaultKind is what is known about the faults of one name.
type FaultKind struct {
	Name  string
	Takes string // "bytes", "duration", "status", "code" (HTTP/2) or "": no argument
	Does  string
	Right string // what a right client does

	// One of these: what takes the place of an event; what ends the answer in
	// its place; what takes the place of the whole exchange.
	event    func(*Fault, Step) []Step
	ending   func(*Fault, Step) []Step
	exchange func(*Fault, Exchange) []Exchange
	gone     bool // there is no going on from where the stream ended
}

// Faults lists all faults.
func Faults() []FaultKind { return slices.Clone(faultKinds) }

func faultNames() (names []string) {
	for _, k := range faultKinds {
		names = append(names, k.Name)
	}
	return names
}

var faultKinds = []FaultKind{
	{Name: "cut", Takes: "bytes", Does: "sends so many bytes of the event (half of it by default), then FIN",
		Right: "drops the torn event, resumes from the event before", ending: func(f *Fault, s Step) []Step {
			n := min(max(f.number(len(s.bytes)/2), 0), len(s.bytes))
			return []Step{Write(s.bytes[:n]), Cut()}
		}},
	{Name: "eof", Does: "ends the stream cleanly before the event",
		Right: "resumes from the event before", ending: instead(End())},
	{Name: "reset", Does: "sends RST in place of the event",
		Right: "resumes from the event before", ending: instead(Reset())},
	{Name: "goaway", Takes: "code", Does: "sends GOAWAY and closes (HTTP/2)",
		Right: "resumes on a new connection", ending: func(f *Fault, _ Step) []Step {
			return []Step{GoAway(uint32(f.number(0))), Cut()}
		}},
	{Name: "rst-stream", Takes: "code", Does: "sends RST_STREAM (HTTP/2), INTERNAL_ERROR by default",
		Right: "resumes, on the same connection if it likes", ending: func(f *Fault, _ Step) []Step {
			return []Step{RstStream(uint32(f.number(2)))}
		}},
	{Name: "stall", Does: "sends nothing more and keeps the connection open",
		Right: "closes it when its idle limit has passed, resumes", ending: instead(Hold())},
	{Name: "latency", Takes: "duration", Does: "waits before the event, 200ms by default",
		Right: "nothing", event: func(f *Fault, s Step) []Step {
			return []Step{Pause(f.duration(200 * time.Millisecond)), s}
		}},
	{Name: "slicer", Takes: "bytes", Does: "sends the event so many bytes at a time, 1 by default",
		Right: "puts it together", event: func(f *Fault, s Step) []Step {
			s.cuts = nil
			for n := max(f.number(1), 1); n < len(s.bytes); n += max(f.number(1), 1) {
				s.cuts = append(s.cuts, n)
			}
			return []Step{s}
		}},
	{Name: "gone-status", Does: "answers 410 Gone with a Status instead of the stream",
		Right: "tells of a gap, lists again", exchange: func(_ *Fault, e Exchange) []Exchange {
			return []Exchange{On(e.Request, JSON(410, StatusBody(410, "Expired"))...)}
		}},
	{Name: "gone-event", Does: "sends an ERROR event 410 Expired in place of the event, and ends",
		Right: "tells of a gap, lists again", gone: true,
		ending: instead(Write(ErrorEvent(410, "Expired")), End())},
	{Name: "status", Takes: "status", Does: "answers the request once with this status, 503 by default, and Retry-After: 1",
		Right: "does what the code says: most often asks again, not before one second",
		exchange: func(f *Fault, e Exchange) []Exchange {
			code := f.number(503)
			return []Exchange{On(e.Request, JSON(code, StatusRetry(code, "", 1), "Retry-After: 1")...), e}
		}},
	{Name: "html", Takes: "status", Does: "answers once with a proxy's page, of status 502 by default",
		Right: "asks again after a while", exchange: func(f *Fault, e Exchange) []Exchange {
			const page = "<html><body><h1>Bad Gateway</h1></body></html>\n"
			return []Exchange{On(e.Request, JSON(f.number(502), page, "Content-Type: text/html")...), e}
		}},
	{Name: "garbage", Takes: "bytes", Does: "sends a line that is no JSON, of 64 bytes by default, in place of the event",
		Right: "gives the stream up, resumes from the event before", ending: func(f *Fault, _ Step) []Step {
			return []Step{Write(filler(max(f.number(64)-1, 1)) + "\n"), Hold()}
		}},
	{Name: "concat", Does: "sends the event twice in one line",
		Right: "gives the stream up, as the line is no event; resumes from the event before",
		ending: func(_ *Fault, s Step) []Step {
			return []Step{Write(strings.TrimSuffix(s.bytes, "\n") + s.bytes), Hold()}
		}},
	{Name: "bad-utf8", Does: "puts a string that is not UTF-8 into the object",
		Right: "delivers it with its bytes as they are", event: member(func(*Fault) string { return "\"bad\":\"\xff\xfe\"" })},
	{Name: "huge", Takes: "bytes", Does: "puts a string of so many bytes (17 MiB by default) into the object",
		Right: "delivers it or, over its limit, resumes once and then stops with the sizes",
		event: member(func(f *Fault) string { return `"huge":"` + strings.Repeat("x", max(f.number(17<<20), 0)) + `"` })},
	{Name: "dup", Does: "sends the event twice", Right: "delivers it once",
		event: func(_ *Fault, s Step) []Step { return []Step{s, s} }},
	{Name: "drop", Does: "leaves the event out", Right: "cannot know",
		event: func(*Fault, Step) []Step { return nil }},
	{Name: "rv-back", Does: "gives the event resourceVersion 1",
		Right: "delivers it; versions of events are not compared", event: version(`"1"`)},
	{Name: "no-rv", Does: "gives the event an empty resourceVersion",
		Right: "delivers it, its resume point stays", event: version(`""`)},
	{Name: "unknown-type", Does: "sends an event of type UNHEARD before the event",
		Right: "skips it, tells its log", event: func(_ *Fault, s Step) []Step {
			return []Step{Write(EventOf("UNHEARD", string(lookup([]byte(s.bytes), "object")))), s}
		}},
	{Name: "crlf", Does: "ends the line with CR LF", Right: "delivers the event as if it were LF",
		event: func(_ *Fault, s Step) []Step { return []Step{Write(strings.TrimSuffix(s.bytes, "\n") + "\r\n")} }},
	{Name: "blank-lines", Does: "sends three blank lines before the event", Right: "skips them",
		event: func(_ *Fault, s Step) []Step { return []Step{Write("\n\r\n \n"), s} }},
	{Name: "gzip-member", Does: "compresses the stream unasked, each event a gzip member of its own",
		Right: "delivers each event when it comes, not when the next one does", exchange: func(_ *Fault, e Exchange) []Exchange {
			e.Answer = slices.Clone(e.Answer)
			for i, s := range e.Answer {
				switch s.kind {
				case stepRespond:
					e.Answer[i].header = append(slices.Clone(s.header), "Content-Encoding: gzip")
				case stepWrite:
					e.Answer[i] = Write(Gzip(s.bytes))
				}
			}
			return []Exchange{e}
		}},
}

// instead makes the ending that consists of steps.
func instead(steps ...Step) func(*Fault, Step) []Step {
	return func(*Fault, Step) []Step { return steps }
}

// member makes the change that puts a member at the front of the object.
func member(text func(*Fault) string) func(*Fault, Step) []Step {
	return func(f *Fault, s Step) []Step {
		b := []byte(s.bytes)
		at, ok := find(b, "object")
		brace := at.start + skipSpace(at.of(b), 0)
		if !ok || b[brace] != '{' {
			return []Step{s}
		}
		sep := ","
		if b[skipSpace(b, brace+1)] == '}' {
			sep = ""
		}
		return []Step{Write(s.bytes[:brace+1] + text(f) + sep + s.bytes[brace+1:])}
	}
}

// version makes the change of the event's resourceVersion; an event that has
// none stays as it is.
func version(to string) func(*Fault, Step) []Step {
	return func(_ *Fault, s Step) []Step {
		at, ok := find([]byte(s.bytes), "object", "metadata", "resourceVersion")
		if !ok {
			return []Step{s}
		}
		return []Step{Write(s.bytes[:at.start] + to + s.bytes[at.end:])}
	}
}
