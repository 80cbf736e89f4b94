package status

import (
	"bytes"
	"strings"
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
		if s, shape, ok := parseObject(body); ok {
			return s, shape
		}
	case valid(body):
		return Status{}, BodyJSON
	}
	return Status{Message: string(body[:min(len(body), maxBody)])}, BodyText
}

// parseObject reads an object as a Status if it has the shape of one: it says
// so, or its "status" is one of the two words, or it has a reason that is
// known. A Pod, whose status is an object, has none of these. It is not ok when
// not even one key could be read and the object did not end.
//
// Each member is read anew where it comes again: the last of duplicates wins.
func parseObject(body []byte) (s Status, shape Body, ok bool) {
	var kind, alert string
	var details []byte
	w := walk(body, '{')
	for w.next() {
		switch string(w.key) {
		case "kind":
			kind = text(w.value, maxField)
		case "status":
			s.Status = text(w.value, maxField)
		case "message":
			s.Message = text(w.value, maxBody)
		case "reason":
			s.Reason = text(w.value, maxField)
		case "code":
			s.Code = code(w.value)
		case "details":
			details = w.value
		case "error":
			alert = text(w.value, maxBody)
		}
	}
	switch {
	case !w.begun && !w.ended:
		return Status{}, BodyText, false
	case kind == "Status", s.Status == "Failure", s.Status == "Success", CodeOf(s.Reason) != 0:
		s.parseDetails(details)
		return s, BodyStatus, true
	case s.Message != "":
		return Status{Message: s.Message}, BodyJSON, true
	}
	return Status{Message: alert}, BodyJSON, true
}

func (s *Status) parseDetails(details []byte) {
	for w := walk(details, '{'); w.next(); {
		switch string(w.key) {
		case "group":
			s.Group = text(w.value, maxField)
		case "kind":
			s.Kind = text(w.value, maxField)
		case "name":
			s.Name = text(w.value, maxField)
		case "causes":
			s.Causes = parseCauses(w.value)
		case "retryAfterSeconds":
			s.RetryAfter = seconds(w.value)
		}
	}
}

func parseCauses(list []byte) []Cause {
	var causes []Cause
	for w := walk(list, '['); len(causes) < maxCauses && w.next(); {
		if w.value[0] == '{' {
			causes = append(causes, parseCause(w.value))
		}
	}
	return causes
}

func parseCause(object []byte) (c Cause) {
	for w := walk(object, '{'); w.next(); {
		switch string(w.key) {
		case "reason":
			c.Type = text(w.value, maxField)
		case "message":
			c.Message = text(w.value, maxMessage)
		case "field":
			c.Field = text(w.value, maxField)
		}
	}
	return c
}

// text returns a value that is a string, else "".
func text(value []byte, limit int) string {
	if value[0] != '"' {
		return ""
	}
	quoted := value[1 : len(value)-1]
	return string(unescape(make([]byte, 0, min(len(quoted), limit)), quoted, limit))
}

// thousandths reads a value that is a number, or a string that holds one: some
// servers write code and retryAfterSeconds from languages without integers. It
// stops counting at unlimited. An exponent makes it no number: nobody has seen
// one there, and strconv.ParseFloat is 12 KB of a small program.
func thousandths(value []byte) (n int, ok bool) {
	digits := string(value)
	if s := text(value, maxField); s != "" {
		digits = s
	}
	digits, negative := strings.CutPrefix(digits, "-")
	whole, fraction, hasFraction := strings.Cut(digits, ".")
	if !isDigits(whole) || hasFraction && !isDigits(fraction) {
		return 0, false
	}
	for _, digit := range whole + (fraction + "000")[:3] {
		n = min(n*10+int(digit-'0'), unlimited)
	}
	if negative {
		n = -n
	}
	return n, true
}

const unlimited = 1e9 // thousandths: more than any code, and than MaxRetryAfter

// code reads a number that can be an HTTP status. What cannot is left out, so
// that the other fields of the answer are not contradicted by garbage.
func code(value []byte) int {
	n, ok := thousandths(value)
	if !ok || n < 100_000 || n >= 1000_000 || n%1000 != 0 {
		return 0
	}
	return n / 1000
}

func seconds(value []byte) time.Duration {
	n, _ := thousandths(value)
	return capped(time.Duration(n) * time.Millisecond)
}
