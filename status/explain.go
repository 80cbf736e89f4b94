package status

import "slices"

// Explain returns the rows that an answer with this code and reason may come
// to, in their order: which one depends on the history and on the body. 0 and
// "" mean not given; what is not given is taken from the other. The cause
// ResourceVersionTooLarge is taken for a reason. The result is nil if neither
// is known.
func Explain(code int, reason string) []Row {
	answer := Error{Status: Status{Code: code, Reason: reason}}
	switch {
	case reason == causeTooLarge:
		answer.Reason, answer.Code = "Timeout", 504
		answer.Causes = []Cause{{Type: causeTooLarge}}
	case code == 0:
		answer.Code = CodeOf(reason)
	}
	if answer.Code == 0 {
		return nil
	}
	found := map[string]bool{}
	for _, body := range []Body{BodyStatus, BodyHTML, BodyText} {
		for _, event := range []bool{false, true} {
			e := answer
			e.Body, e.Event, e.HTTPStatus = body, event, answer.Code
			switch {
			case event && (body != BodyStatus || answer.Code < 400):
				continue // an event's object is JSON, and says what went wrong
			case body != BodyStatus && reason != "":
				continue // nor does a page have a reason
			case body != BodyStatus:
				e.Status = Status{}
			}
			// Reached and worked, from never to both, and with and without a
			// version from the user.
			for history := range 8 {
				f := Failure{Err: &e, Contact: history&1 != 0, Worked: history&3 == 3, UserVersion: history&4 != 0}
				found[Decide(f, Run{}).Row] = true
			}
		}
	}
	return slices.DeleteFunc(Table(), func(r Row) bool { return !found[r.ID] })
}
