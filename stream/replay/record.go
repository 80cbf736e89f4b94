package replay

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"example.com/rawwatch/decode"
)

// A Kind says what a [Record] is about. Kinds this package does not know are
// skipped when a recording is read.
type Kind string

const (
	KindRequest  Kind = "req"
	KindResponse Kind = "res"   // status and header
	KindEvent    Kind = "ev"    // one event line of a watch
	KindRaw      Kind = "raw"   // bytes of a watch that are not an event line
	KindBody     Kind = "body"  // the body of an answer that is not a watch, or a part of it
	KindEnd      Kind = "end"   // how the answer ended
	KindError    Kind = "err"   // there was no answer
	KindMark     Kind = "mark"  // a place with a name
	KindFault    Kind = "fault" // something to be done to the stream when it is replayed
)

// A Why says how an exchange ended: in a [KindEnd] record after an answer, in
// a [KindError] record instead of one.
type Why string

const (
	WhyEOF           Why = "eof"
	WhyUnexpectedEOF Why = "unexpected-eof"
	WhyReset         Why = "reset" // RST, RST_STREAM, or GOAWAY and close
	WhyTimeout       Why = "timeout"
	WhyClientCancel  Why = "client-cancel"
	WhyRefused       Why = "refused" // errors only
	WhyOther         Why = "other"   // errors only: DNS, TLS, …
)

// A RecordingHeader is the first line of a recording.
type RecordingHeader struct {
	Version  int       // of the format: 1; 0 for what is not an .rwr file (bare events, an HTTP dump)
	Tool     string    // what wrote it
	Start    time.Time // when After of the first record began to count
	Redacted []string  // what is not as it was: "headers", "query", "secrets"
}

// A Record is one line of a recording after the header.
type Record struct {
	Line  int           // in the file, from 1; set by Reader, ignored by Writer
	After time.Duration // since the record before it, of any exchange
	// Exchange numbers the request that the record belongs to ("c" in the
	// file), from 1. Exchanges interleave when they overlapped in time.
	Exchange int
	Kind     Kind

	Method string      // KindRequest
	URL    string      // KindRequest: path and query
	Header http.Header // KindRequest, KindResponse
	Status int         // KindResponse

	// Bytes are those of KindEvent, without the newline at the end; of KindRaw;
	// or of KindBody. Those that come from a Reader are valid until its next call.
	Bytes []byte
	// Cuts are the offsets in Bytes at which a read of the recorder's ended,
	// ascending. What the client saw can be played back piece by piece.
	Cuts []int
	// Hidden is the length of KindRaw or KindBody bytes that are left out
	// because they might hold a Secret, and Hash tells equal ones from others.
	Hidden int
	Hash   string

	Why  Why    // KindEnd, KindError
	Text string // KindError: the message; KindMark: the name; KindFault: what to do, as ParseFault reads it

	checked bool // Bytes are known to be an event line
}

// appendLine appends the record as a line of the file. The bytes of an event
// come last, so that they stand as they are between a colon and the closing
// brace of the line.
func (r *Record) appendLine(b []byte) ([]byte, error) {
	b = append(b, '{')
	if r.Exchange != 0 {
		b = append(b, `"c":`...)
		b = strconv.AppendInt(b, int64(r.Exchange), 10)
		b = append(b, ',')
	}
	b = append(b, `"d":`...)
	// Microseconds: finer than any scheduler, and short in the file.
	b = strconv.AppendFloat(b, float64(max(r.After, 0).Microseconds())/1e6, 'f', -1, 64)
	b = appendMember(b, "t", string(r.Kind))
	if r.Method != "" {
		b = appendMember(b, "method", r.Method)
	}
	if r.URL != "" {
		b = appendMember(b, "url", r.URL)
	}
	if r.Status != 0 {
		b = fmt.Appendf(b, `,"status":%d`, r.Status)
	}
	if len(r.Header) > 0 {
		b = appendHeader(b, r.Header)
	}
	if r.Why != "" {
		b = appendMember(b, "why", string(r.Why))
	}
	if r.Text != "" {
		b = appendMember(b, textKey(r.Kind), r.Text)
	}
	if len(r.Cuts) > 0 {
		b = append(b, `,"cut":`...)
		for i, c := range r.Cuts {
			b = strconv.AppendInt(append(b, "[,"[min(i, 1)]), int64(c), 10)
		}
		b = append(b, ']')
	}
	if r.Hidden > 0 {
		b = fmt.Appendf(b, `,"len":%d`, r.Hidden)
		b = appendMember(b, "hash", r.Hash)
	}
	b, err := r.appendBytes(b)
	return append(b, "}\n"...), err
}

// textKey is the key that Text stands under.
func textKey(k Kind) string {
	switch k {
	case KindMark:
		return "name"
	case KindFault:
		return "fault"
	}
	return "error"
}

func (r *Record) appendBytes(b []byte) ([]byte, error) {
	switch {
	case r.Kind == KindEvent:
		if !r.checked && !isEventLine(r.Bytes) {
			return b, fmt.Errorf("replay: these %d bytes are not one event line", len(r.Bytes))
		}
		b = append(b, `,"ev":`...)
		return append(b, r.Bytes...), nil
	case r.Bytes == nil:
		return b, nil
	case r.Kind == KindBody:
		// Servers end a list with a newline, which JSON text in a line cannot.
		text, lf := bytes.CutSuffix(r.Bytes, []byte("\n"))
		if fitsInLine(text) && isJSON(text) {
			if lf {
				b = append(b, `,"lf":true`...)
			}
			b = append(b, `,"json":`...)
			return append(b, text...), nil
		}
	}
	if utf8.Valid(r.Bytes) {
		return appendMember(b, "text", string(r.Bytes)), nil
	}
	return appendMember(b, "b64", base64.StdEncoding.EncodeToString(r.Bytes)), nil
}

// isEventLine reports whether b can stand in an "ev" member: a JSON object with
// a type, in one line, in UTF-8.
func isEventLine(b []byte) bool {
	var ev decode.Event
	return fitsInLine(b) && decode.ScanEvent(b, &ev) == nil
}

// hasType reports whether b, which is valid JSON, is an object with a type.
func hasType(b []byte) bool {
	for key := range members(b) {
		if key == "type" {
			return true
		}
	}
	return false
}

// fitsInLine reports whether b survives as a part of a line of text. A carriage
// return would too, but not every editor.
func fitsInLine(b []byte) bool {
	return bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 && utf8.Valid(b)
}

func appendMember(b []byte, key, value string) []byte {
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":`...)
	return appendQuoted(b, value)
}

// appendQuoted is quote, for text that mostly needs no escapes.
func appendQuoted(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			return append(b, quote(s)...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}

// appendHeader writes fields in order of their names, a single value as a
// string and several as an array.
func appendHeader(b []byte, h http.Header) []byte {
	b = append(b, `,"h":{`...)
	for i, k := range slices.Sorted(maps.Keys(h)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, quote(k)...), ':')
		if len(h[k]) == 1 {
			b = append(b, quote(h[k][0])...)
			continue
		}
		b = append(b, '[')
		for j, v := range h[k] {
			if j > 0 {
				b = append(b, ',')
			}
			b = append(b, quote(v)...)
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// sortedHeader is h as pairs, in order of the names.
func sortedHeader(h http.Header) (pairs [][2]string) {
	for _, k := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[k] {
			pairs = append(pairs, [2]string{k, v})
		}
	}
	return pairs
}
