package status

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"
)

const (
	maxMessage = 4 << 10
	maxField   = 256
	maxCauses  = 32
)

// parse finds out what body is and reads what it can of it. The body may be
// cut off anywhere; what came before the cut counts. The message is clipped to
// maxBody only: cut any shorter, before credentials are taken out of it, it
// could end in the first half of one.
func parse(body []byte) (Status, Body) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return Status{}, BodyEmpty
	case string(body) == "null":
		return Status{}, BodyNull
	case body[0] == '<':
		return Status{}, BodyHTML
	case body[0] == '{':
		// Not asked whether it is valid: a Status that was cut off is not.
		if object, ok := parseObject(body); ok {
			return parseStatus(object)
		}
	case json.Valid(body):
		return Status{}, BodyJSON
	}
	return Status{Message: string(body[:min(len(body), maxBody)])}, BodyText
}

// object is a JSON object by its exact keys, the last of duplicates winning.
// (Decoding into a struct would also take "Code" for "code".)
type object map[string]json.RawMessage

// parseObject reads the members of an object up to its end or the first thing
// that is not JSON. It is not ok when not even one key could be read and the
// object did not end.
func parseObject(data []byte) (object, bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if token, err := dec.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	members := object{}
	for dec.More() {
		token, err := dec.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return members, len(members) > 0
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			if _, again := members[key]; !again {
				members[key] = nil
			}
			return members, true
		}
		members[key] = value
	}
	_, err := dec.Token()
	return members, err == nil || len(members) > 0
}

// parseStatus reads an object as a Status if it has the shape of one: it says
// so, or its "status" is one of the two words, or it has a reason that is
// known. A Pod, whose status is an object, has none of these.
func parseStatus(o object) (Status, Body) {
	s := Status{
		Status:  o.text("status", maxField),
		Message: o.text("message", maxBody),
		Reason:  o.text("reason", maxField),
		Code:    o.code(),
	}
	if o.text("kind", maxField) != "Status" && s.Status != "Failure" && s.Status != "Success" && CodeOf(s.Reason) == 0 {
		message := s.Message
		if message == "" {
			message = o.text("error", maxBody)
		}
		return Status{Message: message}, BodyJSON
	}
	if details, ok := parseObject(o["details"]); ok {
		s.Group = details.text("group", maxField)
		s.Kind = details.text("kind", maxField)
		s.Name = details.text("name", maxField)
		s.Causes = parseCauses(details["causes"])
		s.RetryAfter = details.seconds("retryAfterSeconds")
	}
	return s, BodyStatus
}

func parseCauses(data []byte) []Cause {
	dec := json.NewDecoder(bytes.NewReader(data))
	if token, err := dec.Token(); err != nil || token != json.Delim('[') {
		return nil
	}
	var causes []Cause
	for len(causes) < maxCauses && dec.More() {
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			break
		}
		if cause, ok := parseObject(value); ok {
			causes = append(causes, Cause{
				Type:    cause.text("reason", maxField),
				Message: cause.text("message", maxMessage),
				Field:   cause.text("field", maxField),
			})
		}
	}
	return causes
}

// text returns a member that is a string, else "". What json.Unmarshal makes
// of it is valid UTF-8, whatever bytes were in it.
func (o object) text(key string, limit int) string {
	var s string
	if value := o[key]; len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return ""
	}
	return clip(s, limit)
}

// number returns a member that is a number, or a string that holds one: some
// servers write code and retryAfterSeconds from languages without integers.
func (o object) number(key string) (float64, bool) {
	text := string(o[key])
	if s := o.text(key, maxField); s != "" {
		text = s
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil && !math.IsNaN(n)
}

// code returns "code" if it can be an HTTP status. What cannot is left out, so
// that the other fields of the answer are not contradicted by garbage.
func (o object) code() int {
	n, ok := o.number("code")
	if !ok || n < 100 || n >= 1000 || n != math.Trunc(n) {
		return 0
	}
	return int(n)
}

func (o object) seconds(key string) time.Duration {
	n, ok := o.number(key)
	if !ok || n <= 0 {
		return 0
	}
	// Capped as a float: the product may not fit a Duration.
	return time.Duration(min(n, MaxRetryAfter.Seconds()) * float64(time.Second))
}
